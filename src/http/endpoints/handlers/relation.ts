/** POST, DELETE and GET /v1/column/relation. */
import * as api from '../../../api/index.js';
import { changeModel } from './change-model.js';
import type { DatabaseCall, Members } from './handler.js';

export function handleCreateRelation(call: DatabaseCall): Promise<Members> {
  return changeModel(call, api.createRelation);
}

export function handleDeleteRelation(call: DatabaseCall): Promise<Members> {
  return changeModel(call, api.deleteRelation);
}

export function handleListRelations(call: DatabaseCall): Members {
  const listed = api.listRelations(call.model, call.access);
  const count = listed.reduce((sum, { relations }) => sum + relations.length, 0);
  // Not made from objects, because a relation may be named "__proto__" and names keep their order.
  const dimensions = listed.map(({ dimension, relations }) =>
    member(
      dimension,
      `{${relations.map(({ name, columns }) => member(name, JSON.stringify(columns))).join()}}`,
    ),
  );
  return `"count":${count},"relations":{${dimensions.join()}}`;
}

function member(name: string, value: string): string {
  return `${JSON.stringify(name)}:${value}`;
}
