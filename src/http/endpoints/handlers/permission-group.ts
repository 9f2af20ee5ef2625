/** POST, PUT and DELETE /v1/permission_groups. */
import * as api from '../../../api/index.js';
import { changeCatalog } from './change-catalog.js';
import type { Members, TeamCall } from './handler.js';

export function handleCreateGroup(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return changeCatalog(call, (catalog) => api.createGroup(body, catalog));
}

export function handleChangeGroup(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return changeCatalog(call, (catalog) => api.changeGroup(body, catalog));
}

export function handleDeleteGroup(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return changeCatalog(call, (catalog) => api.deleteGroup(body, catalog));
}
