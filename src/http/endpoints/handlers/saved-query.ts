/** POST and GET /v1/query/saved; GET, PUT and DELETE /v1/query/saved/:query_name. */
import * as api from '../../../api/index.js';
import { type BindingTime, invariant, ObservedTime, QuarryError } from '../../../base/index.js';
import {
  type Catalog,
  type SavedQuery,
  type SavedQueryType,
  savedQueriesOf,
} from '../../../catalog/index.js';
import type { QueryPlan } from '../../../engine/index.js';
import { BEHAVIOUR_KINDS } from '../../../interface/index.js';
import { type BehaviourKind, dimensionsOf } from '../../../ir/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import * as sql from '../../../sql/index.js';
import type { DimensionKey } from '../../../storage/index.js';
import { aggregate, countEvents, handleTopValues } from './aggregation.js';
import { answerBehaviour } from './behaviour.js';
import {
  type DatabaseCall,
  type Evaluation,
  type Handler,
  type LiveAnswer,
  type Members,
  queryOptionsOf,
} from './handler.js';
import { countTotal, handleCountEntities } from './query.js';
import { sqlRequestOf } from './sql-write.js';

/** The handler of each type of query is the handler of the type's own endpoint, so that the answers cannot differ. */
const HANDLERS: Readonly<Record<Exclude<SavedQueryType, 'sql'>, Handler<DatabaseCall>>> = {
  ...(Object.fromEntries(BEHAVIOUR_KINDS.map((kind) => [kind, answerBehaviour(kind)])) as Record<
    BehaviourKind,
    Handler<DatabaseCall>
  >),
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
  return api.listSavedQueries(savedQueryCallOf(call, call.catalog, call.model));
}

export async function runSavedQuery(call: DatabaseCall): Promise<Members> {
  const saved = savedQueryOf(call);
  const members = definitionOf(saved);
  const { cachePeriodSeconds } = saved;
  if (cachePeriodSeconds === null) return `${members},${await answerOf(call, saved)}`;
  // Only keys that see the same rows and columns share an answer.
  // A view may read other views, of which each change makes a new version of the catalog.
  const version = saved.type === 'sql' ? call.catalog.version : saved.version;
  const key = JSON.stringify(['saved query', saved.name, version, call.access.fingerprint]);
  const answer = await call.engine.remembered(call.databaseId, key, cachePeriodSeconds, async () =>
    answerOf(call, saved),
  );
  return `${members},${answer}`;
}

/** GET /v1/query/saved/:query_name/live: the answers of `runSavedQuery`, again whenever they change. */
export async function followSavedQuery(call: DatabaseCall): Promise<LiveAnswer> {
  const { databaseId, pathName, access, caller } = call;
  invariant(call.openLive !== null, 'the endpoint has live answers');
  const key = JSON.stringify([databaseId, 'saved', pathName, access.fingerprint, caller.kind === 'demo']);
  return { events: await call.openLive(call, { key, evaluate: evaluateSavedQuery }) };
}

async function evaluateSavedQuery(call: DatabaseCall): Promise<Evaluation | null> {
  const { engine, catalog, model, nowMs, notes } = call;
  const { records } = engine;
  const saved = savedQueryOf(call);
  const time = new ObservedTime(nowMs);
  api.bindSavedQuery(saved, savedQueryCallOf(call, catalog, model, time));
  const lsn = records.lsn;
  const members = `${definitionOf(saved)},${await answerOf(call, saved)}`;
  const newest = engine.catalog();
  const isSame =
    newest.databases.get(call.databaseId) === model &&
    savedQueriesOf(newest, call.databaseId) === savedQueriesOf(catalog, call.databaseId);
  if (!isSame) return null;
  const dimensions = (notes.plans?.() ?? []).flatMap(dimensionsRead);
  return {
    members,
    // An answer from the cache is that of the version which was visible when it was read.
    lsn: notes.facts?.lsn ?? lsn,
    changedLsn: () => records.changedLsn(dimensions),
    readsTime: time.wasRead,
  };
}

const dimensionsRead = (query: QueryPlan): readonly DimensionKey[] =>
  query.kind === 'select' ? dimensionsOf(query.plan) : [query.plan];

/** The saved query that the path names. Throws 4023, and 503 if the caller may not run it. */
function savedQueryOf(call: DatabaseCall): SavedQuery {
  const saved = api.savedQueryAt(call.pathName, savedQueryCallOf(call, call.catalog, call.model));
  if (saved.type === 'count/entity/total' && call.caller.kind === 'demo') {
    throw new QuarryError(503, 'a demo key may not count all entities, not even by a saved query');
  }
  return saved;
}

const definitionOf = (saved: SavedQuery): Members =>
  api.membersOfSavedQuery(saved, ['type', 'query', 'dimension']);

/** The member `result`. Binds and starts the query in one turn, with the current catalog: other queries may have run before. */
function answerOf(call: DatabaseCall, saved: SavedQuery): Members | Promise<Members> {
  const catalog = call.engine.catalog();
  const model = catalog.databases.get(call.databaseId);
  if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
  if (saved.type === 'sql') return rowsOf({ ...call, catalog, model }, saved);
  return HANDLERS[saved.type]({ ...call, catalog, model, body: api.bodyOfSavedQuery(saved) });
}

/** The members `result` and `count` of a view. */
async function rowsOf(call: DatabaseCall, saved: SavedQuery): Promise<Members> {
  const { engine, access, model } = call;
  const plan = sql.bindView(saved, sqlRequestOf(call, model));
  call.notes.plans = () => [{ kind: 'select', plan }];
  const isRestricted = access.fingerprint !== '';
  const select = { plan, explain: 'no', isRestricted } as const;
  const { parts, done } = engine.select([select], 'json', queryOptionsOf(call, false));
  const texts: Buffer[] = [];
  let byteCount = 0;
  for await (const part of parts) {
    byteCount += part.length;
    if (byteCount > ROWS_BYTES_MAX) {
      const instead = `POST /v1/sql with SELECT * FROM [${saved.name}]`;
      throw new QuarryError(9006, `the rows have more than ${ROWS_BYTES_MAX} bytes; read them by ${instead}`);
    }
    texts.push(Buffer.from(part));
    done?.(part);
  }
  return Buffer.concat(texts).toString('utf8');
}

/** The rows of a view that is run as a saved query; the answer is in memory. */
const ROWS_BYTES_MAX = 16 * 2 ** 20;

/** The call with the rights of its caller in the given version of the catalog. */
export function savedQueryCallOf(
  call: DatabaseCall,
  catalog: Catalog,
  model: DatabaseModel,
  nowMs: BindingTime = call.nowMs,
): api.SavedQueryCall & sql.ViewScope {
  const { caller, access } = call;
  const customKey = caller.kind === 'custom' ? caller.hash : null;
  const savedQueries = savedQueriesOf(catalog, model.id);
  const bindView: api.SavedQueryCall['bindView'] = (view) =>
    sql.bindView(view, sqlRequestOf({ ...call, catalog, nowMs }, model));
  return { catalog, model, nowMs, access, customKey, savedQueries, bindView };
}

/**
 * Decides on the newest catalog and resolves when the change is durable. Rejects with 8002 if the database was deleted since
 * the caller was authorized.
 */
function decide(
  call: DatabaseCall,
  make: (within: api.SavedQueryCall) => api.ModelDecision<Members>,
): Promise<Members> {
  const { engine, databaseId, checkAgain, notes } = call;
  return engine.change((catalog) => {
    checkAgain(catalog);
    const model = catalog.databases.get(databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    const decision = make(savedQueryCallOf(call, catalog, model));
    notes.changed(decision.changes, catalog);
    return decision;
  });
}
