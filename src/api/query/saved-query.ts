/**
 * POST, PUT, DELETE and GET /v1/query/saved. A query is checked with the rights of the caller who saves it and stored as
 * JSON text. Each run binds it again, with the rights of the caller who runs it.
 * PUT replaces type, query and dimension. It leaves an omitted cache-period unchanged; null removes it.
 * A key with a column whitelist or a row filter sees only the saved queries that it may run. The others do not exist for
 * it (4023), except that their names are taken (4022).
 */
import { type BindingTime, QuarryError, quoted } from '../../base/index.js';
import {
  type Catalog,
  type CatalogChange,
  type SavedQuery,
  type SavedQueryType,
  savedQueriesOf,
} from '../../catalog/index.js';
import {
  BEHAVIOUR_KINDS,
  changedSavedQuery,
  newSavedQuery,
  savedAggregation,
  savedSelect,
} from '../../interface/index.js';
import type { BehaviourKind } from '../../ir/index.js';
import { type DatabaseModel, DEFAULT_DIMENSION } from '../../schema/index.js';
import { bindBehaviour } from '../behaviour/kinds.js';
import type { Access } from '../body/access.js';
import { objectAt, readAll, readOrNull } from '../body/fields.js';
import { isList, isObject, type Json, type JsonObject, kindOf, parseJson, writeJson } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import type { ModelDecision } from '../model/dimension.js';
import { bindAggregation } from './aggregation.js';
import { bindCountEntity } from './count-entity.js';
import { bindCountEvent } from './count-event.js';
import { bindTopValues } from './top-values.js';
import { bindTotal } from './total.js';

const WHERE = 'the body';
/** Maximum number of saved queries of one database, and characters of all their queries: one answer lists all of them. */
const SAVED_QUERIES_MAX = 10_000;
const SAVED_QUERY_CHARS_MAX = 16 * 2 ** 20;
/** The name of a saved count in its answer. */
const COUNT_NAME = 'query';

/** The database and the rights with which a caller reads saved queries. */
export interface SavedQueryReader {
  readonly catalog: Catalog;
  /** The database's model in `catalog`. */
  readonly model: DatabaseModel;
  readonly nowMs: BindingTime;
  readonly access: Access;
  /** Binds the query of a view with the rights of the caller. Throws 6000, 506. */
  readonly bindView: (view: Pick<SavedQuery, 'name' | 'query'>) => unknown;
}

/** A request to save, change or delete a query, without its body; `catalog` is the newest version. */
export interface SavedQueryCall extends SavedQueryReader {
  /** Hash of the caller's key if it is a custom key. */
  readonly customKey: string | null;
}

type EndpointBinder = (body: Json, model: DatabaseModel, nowMs: BindingTime, access: Access) => unknown;
type Binder = (body: Json, reader: SavedQueryReader, name: string) => unknown;

const by =
  (bind: EndpointBinder): Binder =>
  (body, { model, nowMs, access }) =>
    bind(body, model, nowMs, access);

/** The form of a type's query: how it is written into a body of the type's endpoint, and the function that checks that body. */
interface QueryKind {
  /** Whether the query runs on one dimension, which is saved next to it. */
  readonly hasDimension: boolean;
  /** The query as it is stored. Throws if the query does not have the type's shape. */
  readonly read: (query: Json | undefined) => Json;
  readonly bodyOf: (query: Json, dimension: Json | null) => Json;
  readonly bind: Binder;
}

const COUNT = {
  hasDimension: true,
  read: required,
  bodyOf: (query: Json, dimension: Json | null) =>
    new Map<string, Json>([['query-name', COUNT_NAME], ...ofDimension(dimension), ['query', query]]),
};

/** A question about behaviour: the object that its endpoint takes, without a name. */
const questionOf = (kind: BehaviourKind): QueryKind => ({
  hasDimension: true,
  read: (query) => objectAt(required(query), 4004, '"query"'),
  bodyOf: (query, dimension) =>
    new Map<string, Json>([
      ...ofDimension(dimension),
      ...objectAt(query, 4004, '"query"'),
      ['query-name', COUNT_NAME],
    ]),
  bind: by((body, model, nowMs, access) => bindBehaviour(kind, body, model, nowMs, access)),
});

const KINDS: Readonly<Record<SavedQueryType, QueryKind>> = {
  ...(Object.fromEntries(BEHAVIOUR_KINDS.map((kind) => [kind, questionOf(kind)])) as Record<
    BehaviourKind,
    QueryKind
  >),
  'count/entity': { ...COUNT, bind: by(bindCountEntity) },
  'count/event': { ...COUNT, bind: by(bindCountEvent) },
  'count/entity/total': {
    hasDimension: false,
    read: readDimensions,
    bodyOf: (query) => new Map([['dimensions', query]]),
    bind: by(bindTotal),
  },
  aggregation: {
    hasDimension: true,
    read: readAggregation,
    bodyOf: (query, dimension) => new Map([...ofDimension(dimension), ...membersOfAggregation(query)]),
    bind: by(bindAggregation),
  },
  top_values: {
    hasDimension: true,
    read: (query) => objectAt(required(query), 4004, '"query"'),
    bodyOf: (query, dimension) => withDimension(objectAt(query, 4004, '"query"'), dimension),
    bind: by(bindTopValues),
  },
  sql: {
    hasDimension: false,
    read: readView,
    bodyOf: (query) => query,
    bind: (query, { bindView }, name) => bindView({ name, query: writeJson(query) }),
  },
};

const ofDimension = (dimension: Json | null): readonly (readonly [string, Json])[] =>
  dimension === null ? [] : [['dimension', dimension]];

/** Queries by name, each on `dimension` (null = the default one) unless it names its own. */
function withDimension(queries: JsonObject, dimension: Json | null): JsonObject {
  return new Map(
    [...queries].map(([name, query]): [string, Json] => [
      name,
      isObject(query) ? new Map([...ofDimension(dimension), ...query]) : query,
    ]),
  );
}

function required(query: Json | undefined): Json {
  if (query === undefined || query === null) throw new QuarryError(4010, `${WHERE} lacks "query"`);
  return query;
}

/** The dimensions of a total; an empty list = all. Throws 4042. */
function readDimensions(query: Json | undefined): Json {
  const names = query ?? [];
  if (isList(names) && names.every((name) => typeof name === 'string')) return names;
  const found = isList(names) ? 'a list with other values' : kindOf(names);
  throw new QuarryError(4042, `"query" of a count/entity/total must be a list of strings, not ${found}`);
}

/** An object with `filter` and `query`, or only the list of levels of `query`. Throws 4010, 4004 and 4049. */
function readAggregation(query: Json | undefined): Json {
  const json = required(query);
  if (isList(json)) return json;
  const body = RequestBody.of(savedAggregation, json, '"query"');
  body.refuseUnknown();
  return body.object;
}

/** A SELECT as a text, or an object of it, its dialect and the names of its columns. Throws 4010, 4049, 4004. */
function readView(query: Json | undefined): Json {
  const json = required(query);
  if (typeof json === 'string') return json;
  if (!isObject(json)) {
    throw new QuarryError(4049, `"query" of type sql must be a text or an object, not ${kindOf(json)}`);
  }
  const body = RequestBody.of(savedSelect, json, '"query"');
  body.refuseUnknown();
  body.values();
  return body.object;
}

const membersOfAggregation = (query: Json): JsonObject =>
  isObject(query) ? query : new Map([['query', query]]);

/** The body of a request that runs the saved query at the endpoint of its type. */
export function bodyOfSavedQuery({ type, query, dimension }: SavedQuery): Uint8Array<ArrayBuffer> {
  const body = KINDS[type].bodyOf(parseJson(bytesOf(query)), dimension);
  return bytesOf(writeJson(body));
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Saves a query under a new name. Throws 4021, 4022, 4034, 4041, 4048 and the errors of `readDefinition`. */
export function createSavedQuery(json: Json, call: SavedQueryCall): ModelDecision<string> {
  const { name, ...definition } = RequestBody.of(newSavedQuery, json).read((body) => {
    const read = readAll({
      name: () => newName(body.get('name'), savedQueriesOf(call.catalog, call.model.id)),
      definition: () => readDefinition(body, call, null),
    });
    return { name: read.name, ...read.definition };
  });
  const saved = savedBy(call, { ...definition, name, creator: call.customKey });
  return set(saved, call, ['name', 'type', 'query', 'dimension', 'cache-period']);
}

/** Changes a saved query; its creator stays. Throws 4023, 508, 4048 and the errors of `readDefinition`. */
export function changeSavedQuery(name: string, json: Json, call: SavedQueryCall): ModelDecision<string> {
  const before = ownSavedQuery(name, call);
  const definition = RequestBody.of(changedSavedQuery, json).read((body) =>
    readDefinition(body, call, before),
  );
  const saved = savedBy(call, { ...definition, name, creator: before.creator });
  return set(saved, call, ['type', 'query', 'cache-period']);
}

/** Sets the query of a view, which replaces that of `before` (null = the view is new). Throws 4023, 508 and 4048. */
export function changeView(
  name: string,
  query: string,
  before: SavedQuery | null,
  call: SavedQueryCall,
): readonly CatalogChange[] {
  const own = before === null ? null : ownSavedQuery(before.name, call);
  const creator = own === null ? call.customKey : own.creator;
  const cachePeriodSeconds = own?.cachePeriodSeconds ?? null;
  const saved = savedBy(call, { name, type: 'sql', query, dimension: null, cachePeriodSeconds, creator });
  return set(saved, call, []).changes;
}

/** Deletes a saved query. Throws 4023 and 508. */
export function deleteSavedQuery(name: string, call: SavedQueryCall): ModelDecision<string> {
  const saved = ownSavedQuery(name, call);
  const deleted = `"deleted-query":${JSON.stringify(name)}`;
  return {
    changes: [{ change: 'saved-query-deleted', databaseId: call.model.id, name }],
    answer: `${deleted},${membersOfSavedQuery(saved, ['type', 'query', 'cache-period'])}`,
  };
}

/** Members of the answer: the saved queries that the caller may run, in the order of their creation. */
export function listSavedQueries(reader: SavedQueryReader): string {
  const entries = [...savedQueriesOf(reader.catalog, reader.model.id).values()]
    .filter((saved) => mayRun(saved, reader))
    .map(
      (saved) => `{${membersOfSavedQuery(saved, ['name', 'type', 'query', 'cache-period', 'dimension'])}}`,
    );
  return `"saved-queries":[${entries.join()}]`;
}

/** The saved query with the name. Throws 4023, also for a saved query that the caller may not run. */
export function savedQueryAt(name: string, reader: SavedQueryReader): SavedQuery {
  const saved = savedQueriesOf(reader.catalog, reader.model.id).get(name);
  if (saved !== undefined && mayRun(saved, reader)) return saved;
  throw new QuarryError(4023, `saved query ${quoted(name)} does not exist`);
}

/**
 * Whether the saved query binds with the caller's rights. A query that no longer binds for another reason, such as a
 * deleted column, returns false: it is unknown whether the caller could use that column.
 */
function mayRun(saved: SavedQuery, reader: SavedQueryReader): boolean {
  const { access, model } = reader;
  const runs = (): boolean => {
    try {
      bindSavedQuery(saved, reader);
      return true;
    } catch (error) {
      if (error instanceof QuarryError) return false;
      throw error;
    }
  };
  // A view may read other views, which change without the model.
  if (saved.type === 'sql') return access.fingerprint === '' || runs();
  return access.opens(saved, model, runs);
}

/** Binds the saved query with the rights of `reader`, as a request of its type's endpoint does. Throws the errors of that endpoint. */
export function bindSavedQuery(saved: SavedQuery, reader: SavedQueryReader): void {
  const { bodyOf, bind } = KINDS[saved.type];
  bind(bodyOf(parseJson(bytesOf(saved.query)), saved.dimension), reader, saved.name);
}

type Member = 'name' | 'type' | 'query' | 'dimension' | 'cache-period';

/** The given members of an answer about a saved query, as JSON text. */
export function membersOfSavedQuery(saved: SavedQuery, members: readonly Member[]): string {
  const { hasDimension } = KINDS[saved.type];
  const texts: Readonly<Record<Member, () => string>> = {
    name: () => JSON.stringify(saved.name),
    type: () => JSON.stringify(saved.type),
    query: () => saved.query,
    dimension: () => JSON.stringify(hasDimension ? (saved.dimension ?? DEFAULT_DIMENSION) : null),
    'cache-period': () => String(saved.cachePeriodSeconds),
  };
  return members.map((member) => `"${member}":${texts[member]()}`).join();
}

function set(saved: SavedQuery, call: SavedQueryCall, members: readonly Member[]): ModelDecision<string> {
  checkLimits(saved, call);
  return {
    changes: [{ change: 'saved-query-set', savedQuery: saved }],
    answer: membersOfSavedQuery(saved, members),
  };
}

type Definition = Pick<SavedQuery, 'type' | 'dimension' | 'query' | 'cachePeriodSeconds'>;

function savedBy(
  { catalog, model }: SavedQueryCall,
  own: Definition & Pick<SavedQuery, 'name' | 'creator'>,
): SavedQuery {
  return { databaseId: model.id, ...own, version: catalog.version + 1 };
}

/** The saved query, if the caller may change and delete it. Throws 4023 and 508. */
function ownSavedQuery(name: string, call: SavedQueryCall): SavedQuery {
  const { customKey } = call;
  const saved = savedQueryAt(name, call);
  if (customKey === null || saved.creator === null || saved.creator === customKey) return saved;
  throw new QuarryError(508, `saved query ${quoted(name)} was made by another custom key`);
}

/**
 * Throws 4048 if the database would contain too many or too long queries with `saved`. The message does not reveal how many
 * or how long they are, since the caller may not see all of them.
 */
function checkLimits({ name, query }: SavedQuery, { catalog, model }: SavedQueryCall): void {
  const all = savedQueriesOf(catalog, model.id);
  if (all.size >= SAVED_QUERIES_MAX && !all.has(name)) {
    throw new QuarryError(4048, `the database already has the maximum of ${SAVED_QUERIES_MAX} saved queries`);
  }
  let chars = query.length;
  for (const other of all.values()) if (other.name !== name) chars += other.query.length;
  if (chars <= SAVED_QUERY_CHARS_MAX) return;
  const text = `the saved queries of the database would exceed ${SAVED_QUERY_CHARS_MAX} characters together`;
  throw new QuarryError(4048, text);
}

/** The name, if no query of `taken` has it. Throws 4022. */
function newName(name: string, taken: ReadonlyMap<string, SavedQuery>): string {
  if (taken.has(name)) throw new QuarryError(4022, `saved query ${quoted(name)} already exists`);
  return name;
}

type DefinitionBody = RequestBody<typeof changedSavedQuery.properties>;

/**
 * Type, query, dimension and cache-period; the query has passed all checks of its endpoint. Throws 4006, 4010, 4024,
 * 4033, 4038 for a dimension next to a query that names its own, 4042, and the errors of the type's endpoint.
 */
function readDefinition(body: DefinitionBody, call: SavedQueryCall, before: SavedQuery | null): Definition {
  const type = readOrNull(() => body.get('type'));
  const { query, dimension, ...rest } = readAll({
    type: () => body.get('type'),
    dimension: () => (type === null ? null : readDimension(body, type)),
    query: () => (type === null ? null : readQuery(body, type, call, nameIn(body, before))),
    cachePeriodSeconds: () => body.get('cache-period') ?? periodWithout(body, before),
  });
  return { ...rest, dimension: dimension as string | null, query: writeJson(query) };
}

/** The dimension of a body, unchecked: binding the query checks it, if the query runs on one dimension. Throws 4038. */
function readDimension(body: DefinitionBody, type: SavedQueryType): Json {
  const dimension = body.get('dimension') ?? null;
  if (dimension === null || KINDS[type].hasDimension) return dimension;
  throw new QuarryError(
    4038,
    `"dimension" cannot be used with type ${type}: its query names dimensions itself`,
  );
}

const nameIn = ({ object }: DefinitionBody, before: SavedQuery | null): string =>
  before?.name ?? String(object.get('name'));

function readQuery(body: DefinitionBody, type: SavedQueryType, call: SavedQueryCall, name: string): Json {
  const { hasDimension, read, bodyOf, bind } = KINDS[type];
  const query = read(body.get('query'));
  const dimension = hasDimension ? (body.get('dimension') ?? null) : null;
  bind(bodyOf(query, dimension), call, name);
  return query;
}

/** The cache-period of a body without one: null removes it, a missing field keeps it. */
const periodWithout = ({ object }: DefinitionBody, before: SavedQuery | null): number | null =>
  object.get('cache-period') === null ? null : (before?.cachePeriodSeconds ?? null);
