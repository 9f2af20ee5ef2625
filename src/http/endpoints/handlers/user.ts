/** POST, PUT, DELETE and GET /v1/users. */
import * as api from '../../../api/index.js';
import { changeCatalog } from './change-catalog.js';
import { handleMembersOf, type Members, type TeamCall } from './handler.js';

export async function handleCreateUser(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  // Refuses invalid requests before the hash, which takes 0.1 s.
  api.createUser(body, call.catalog, null);
  const hash = await call.passwords.hash(api.readNewPassword(body), call.randomBytes);
  return changeCatalog(call, (catalog) => api.createUser(body, catalog, hash));
}

export function handleChangeUser(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return changeCatalog(call, (catalog) => api.changeUser(body, catalog));
}

export function handleDeleteUser(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return changeCatalog(call, (catalog) => api.deleteUser(body, catalog));
}

export const handleListUsers = ({ catalog }: TeamCall): Members =>
  handleMembersOf({ users: api.listUsers(catalog) });
