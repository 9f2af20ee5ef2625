/** POST, PUT, DELETE and GET /v1/column. */
import * as api from '../../../api/index.js';
import { changeModel } from './change-model.js';
import { type DatabaseCall, type Members, membersOf } from './handler.js';

export function createColumns(call: DatabaseCall): Promise<Members> {
  return changeModel(call, api.createColumns);
}

export function changeColumn(call: DatabaseCall): Promise<Members> {
  return changeModel(call, api.changeColumn);
}

export function deleteColumn(call: DatabaseCall): Promise<Members> {
  return changeModel(call, api.deleteColumn);
}

export function listColumns(call: DatabaseCall): Members {
  return membersOf(api.listColumns(call.model, call.access));
}
