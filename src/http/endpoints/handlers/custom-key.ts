/** POST, PUT, DELETE and GET /v1/database/custom_key. */
import * as api from '../../../api/index.js';
import { newKeyText } from '../../../catalog/index.js';
import { reachOf } from '../../auth/sessions.js';
import { changeCatalog } from './change-catalog.js';
import type { Members, TeamCall } from './handler.js';

export function handleCreateCustomKey(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  const text = newKeyText(call.randomBytes);
  return changeCatalog(call, (catalog, reach) => api.createCustomKey(body, catalog, reach, text, call.nowMs));
}

export function handleChangeCustomKey(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return changeCatalog(call, (catalog, reach) => api.changeCustomKey(body, catalog, reach, call.nowMs));
}

export function handleDeleteCustomKey(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return changeCatalog(call, (catalog, reach) => api.deleteCustomKey(body, catalog, reach));
}

/** Users see only the keys of their group's databases. */
export function handleListCustomKeys({ catalog, caller, lastUsedMs }: TeamCall): Members {
  return api.listCustomKeys(catalog, reachOf(catalog, caller), lastUsedMs);
}
