/** POST and GET /v1/query/saved; GET, PUT and DELETE /v1/query/saved/:query_name. */
import * as api from '../../../api/index.js';
import { QuarryError } from '../../../base/index.js';
import type { SavedQuery, SavedQueryType } from '../../../catalog/index.js';
import { aggregate, countEvents, handleTopValues } from './aggregation.js';
import type { DatabaseCall, Handler, Members } from './handler.js';
import { countTotal, handleCountEntities } from './query.js';

/** The handler of each type of query is the handler of the type's own endpoint, so that the answers cannot differ. */
const HANDLERS: Readonly<Record<SavedQueryType, Handler<DatabaseCall>>> = {
  'count/entity': handleCountEntities,
  'count/event': countEvents,
  'count/entity/total': countTotal,
  aggregation: aggregate,
  top_values: handleTopValues,
};

export function saveQuery(call: DatabaseCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return decide(call, (within) => api.createSavedQuery(body, within));
}

export function handleChangeSavedQuery(call: DatabaseCall): Promise<Members> {
  const body = api.parseJson(call.body);
  return decide(call, (within) => api.changeSavedQuery(call.pathName, body, within));
}

/** Ignores the body. */
export function handleDeleteSavedQuery(call: DatabaseCall): Promise<Members> {
  return decide(call, (within) => api.deleteSavedQuery(call.pathName, within));
}

export function handleListSavedQueries(call: DatabaseCall): Members {
  return api.listSavedQueries(call);
}

export async function runSavedQuery(call: DatabaseCall): Promise<Members> {
  const saved = api.savedQueryAt(call.pathName, call);
  if (saved.type === 'count/entity/total' && call.caller.kind === 'demo') {
    throw new QuarryError(503, 'a demo key may not count all entities, not even by a saved query');
  }
  const members = api.membersOfSavedQuery(saved, ['type', 'query', 'dimension']);
  const { cachePeriodSeconds } = saved;
  if (cachePeriodSeconds === null) return `${members},${await answerOf(call, saved)}`;
  // Only keys that see the same rows and columns share an answer.
  const key = JSON.stringify(['saved query', saved.name, saved.version, call.access.fingerprint]);
  const answer = await call.engine.remembered(call.databaseId, key, cachePeriodSeconds, async () =>
    answerOf(call, saved),
  );
  return `${members},${answer}`;
}

/** The member `result`. Binds and starts the query in one turn, with the current catalog: other queries may have run before. */
function answerOf(call: DatabaseCall, saved: SavedQuery): Members | Promise<Members> {
  const catalog = call.engine.catalog();
  const model = catalog.databases.get(call.databaseId);
  if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
  return HANDLERS[saved.type]({ ...call, catalog, model, body: api.bodyOfSavedQuery(saved) });
}

/**
 * Decides on the newest catalog and resolves when the change is durable. Rejects with 8002 if the database was deleted since
 * the caller was authorized.
 */
function decide(
  { engine, databaseId, caller, access, nowMs, checkAgain, notes }: DatabaseCall,
  make: (within: api.SavedQueryCall) => api.ModelDecision<Members>,
): Promise<Members> {
  const customKey = caller.kind === 'custom' ? caller.hash : null;
  return engine.change((catalog) => {
    checkAgain(catalog);
    const model = catalog.databases.get(databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    const decision = make({ catalog, model, nowMs, access, customKey });
    notes.changed(decision.changes, catalog);
    return decision;
  });
}
