/** POST, PUT, DELETE and GET /v1/database, GET /v1/database/retrieve_all. */
import * as api from '../../api/index.js';
import { QuarryError } from '../../base/index.js';
import { newKeyText, propertiesOf } from '../../catalog/index.js';
import { changeCatalog } from './change-catalog.js';
import { type DatabaseCall, type Members, membersOf, type TeamCall } from './handler.js';

/** Codes of faults of the moment begin here: disk, memory, shards. */
const FAULTS_FROM = 9000;

export async function createDatabase(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  const text = (): string => newKeyText(call.randomBytes);
  const texts = { master: text(), write: text(), read: text(), demo: text() };
  const members = await changeCatalog(call, (catalog) =>
    api.createDatabase(body, catalog, texts, call.nowMs),
  );
  await call.addressesResolved();
  return members;
}

export async function changeDatabase(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  const members = await changeCatalog(call, (catalog) => api.changeDatabase(body, catalog, call.nowMs));
  await call.addressesResolved();
  return members;
}

/** A deletion that cannot be made durable now answers 189. */
export async function deleteDatabase(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  try {
    return await changeCatalog(call, (catalog) => api.deleteDatabase(body, catalog));
  } catch (error) {
    if (!(error instanceof QuarryError) || error.code < FAULTS_FROM) throw error;
    throw new QuarryError(189, 'request failed', 'database deletion request error');
  }
}

export function describeDatabase({ engine, catalog, databaseId, model }: DatabaseCall): Members {
  return membersOf(api.describeDatabase(model, propertiesOf(catalog, databaseId), engine.usage(databaseId)));
}

/** A bare list, as the interface has it. */
export function listDatabases({ engine, catalog }: TeamCall): Members {
  const all = [...catalog.databases.values()].map((model) =>
    api.describeDatabase(model, propertiesOf(catalog, model.id), engine.usage(model.id)),
  );
  return JSON.stringify(all);
}
