/** POST, PUT, DELETE and GET /v1/column. */
import * as api from '../../../api/index.js';
import { changeModel } from './change-model.js';
import { type DatabaseCall, handleMembersOf, type Members } from './handler.js';

export function handleCreateColumns(call: DatabaseCall): Promise<Members> {
  return changeModel(call, api.createColumns);
}

export function handleChangeColumn(call: DatabaseCall): Promise<Members> {
  return changeModel(call, api.changeColumn);
}

export function handleDeleteColumn(call: DatabaseCall): Promise<Members> {
  return changeModel(call, api.deleteColumn);
}

export function handleListColumns(call: DatabaseCall): Members {
  return handleMembersOf(api.listColumns(call.model, call.access));
}
