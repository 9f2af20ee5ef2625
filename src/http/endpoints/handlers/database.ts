/** POST, PUT, DELETE and GET /v1/database, GET /v1/database/retrieve_all. */
import * as api from '../../../api/index.js';
import { QuarryError } from '../../../base/index.js';
import { newKeyText, propertiesOf } from '../../../catalog/index.js';
import { reachOf } from '../../auth/sessions.js';
import { changeCatalog } from './change-catalog.js';
import { type DatabaseCall, handleMembersOf, type Members, type TeamCall } from './handler.js';

/** First code of temporary server errors: disk, memory, shards. */
const SERVER_ERRORS_FROM = 9000;

export function handleCreateDatabase(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  const text = (): string => newKeyText(call.randomBytes);
  const texts = { master: text(), write: text(), read: text(), demo: text() };
  return changeCatalog(call, (catalog) => api.createDatabase(body, catalog, texts, call.nowMs));
}

export function handleChangeDatabase(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return changeCatalog(call, (catalog, reach) => api.changeDatabase(body, catalog, reach, call.nowMs));
}

/** Rejects with 189 if the deletion cannot be made durable now. */
export async function handleDeleteDatabase(call: TeamCall): Promise<Members> {
  const body = api.parseJson(call.body);
  try {
    return await changeCatalog(call, (catalog, reach) => api.deleteDatabase(body, catalog, reach));
  } catch (error) {
    if (!(error instanceof QuarryError) || error.code < SERVER_ERRORS_FROM) throw error;
    throw new QuarryError(189, 'request failed', 'database deletion request error');
  }
}

export function handleDescribeDatabase({ engine, catalog, databaseId, model }: DatabaseCall): Members {
  return handleMembersOf(
    api.describeDatabase(model, propertiesOf(catalog, databaseId), engine.usage(databaseId)),
  );
}

/** A JSON list without an enclosing object, as the interface requires. Users see only their group's databases. */
export function listDatabases({ engine, catalog, caller }: TeamCall): Members {
  const reach = reachOf(catalog, caller);
  const within = [...catalog.databases.values()].filter(({ id }) => reach(id));
  const all = within.map((model) =>
    api.describeDatabase(model, propertiesOf(catalog, model.id), engine.usage(model.id)),
  );
  return JSON.stringify(all);
}
