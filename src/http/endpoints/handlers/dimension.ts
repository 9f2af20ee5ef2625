/** POST, DELETE and GET /v1/dimension. */
import * as api from '../../../api/index.js';
import { changeModel } from './change-model.js';
import { type DatabaseCall, type Members, membersOf } from './handler.js';

export function createDimension(call: DatabaseCall): Promise<Members> {
  return changeModel(call, api.createDimensions);
}

export function deleteDimension(call: DatabaseCall): Promise<Members> {
  return changeModel(call, api.deleteDimension);
}

export function listDimensions(call: DatabaseCall): Members {
  return membersOf(api.listDimensions(call.model));
}
