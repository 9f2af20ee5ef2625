/** POST, PUT, DELETE and GET /v1/database/custom_key. */
import * as api from '../../api/index.js';
import { newKeyText } from '../../catalog/index.js';
import { changeCatalog } from './change-catalog.js';
import type { Members, TeamCall } from './handler.js';

export async function createCustomKey(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  const text = newKeyText(call.randomBytes);
  const members = await changeCatalog(call, (catalog) =>
    api.createCustomKey(body, catalog, text, call.nowMs),
  );
  await call.addressesResolved();
  return members;
}

export async function changeCustomKey(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  const members = await changeCatalog(call, (catalog) => api.changeCustomKey(body, catalog, call.nowMs));
  await call.addressesResolved();
  return members;
}

export function deleteCustomKey(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return changeCatalog(call, (catalog) => api.deleteCustomKey(body, catalog));
}

export function listCustomKeys({ catalog }: TeamCall): Members {
  return api.listCustomKeys(catalog);
}
