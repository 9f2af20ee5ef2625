/** POST, DELETE and GET /v1/dimension. */
import * as api from '../../../api/index.js';
import { changeModel } from './change-model.js';
import { type DatabaseCall, handleMembersOf, type Members } from './handler.js';

export function createDimension(call: DatabaseCall): Promise<Members> {
  return changeModel(call, api.createDimensions);
}

export function handleDeleteDimension(call: DatabaseCall): Promise<Members> {
  return changeModel(call, api.deleteDimension);
}

export function handleListDimensions(call: DatabaseCall): Members {
  return handleMembersOf(api.listDimensions(call.model));
}
