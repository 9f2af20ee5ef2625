/** POST, DELETE and GET /v1/dimension. */
import * as api from '../../api/index.js';
import { databaseOf } from '../../catalog/index.js';
import { type Call, type Members, membersOf } from './handler.js';

export async function createDimension(call: Call): Promise<Members> {
  const body = api.parseJson(call.body);
  const answer = await call.engine.change((catalog) =>
    api.createDimensions(body, databaseOf(catalog, call.databaseId)),
  );
  return membersOf(answer);
}

export async function deleteDimension(call: Call): Promise<Members> {
  const body = api.parseJson(call.body);
  const answer = await call.engine.change((catalog) =>
    api.deleteDimension(body, databaseOf(catalog, call.databaseId)),
  );
  return membersOf(answer);
}

export function listDimensions(call: Call): Members {
  return membersOf(api.listDimensions(call.model));
}
