/** POST, PUT, DELETE and GET /v1/permission_groups. */
import * as api from '../../../api/index.js';
import { changeCatalog } from './change-catalog.js';
import { handleMembersOf, type Members, type TeamCall } from './handler.js';

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

export const handleListGroups = ({ catalog }: TeamCall): Members =>
  handleMembersOf({ 'permission-groups': api.listGroups(catalog) });
