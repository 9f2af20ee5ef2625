/**
 * Seeded generators of valid bodies for events, aggregations, top values and extraction, over the columns of a generated
 * schema: every predicate on every type at levels, metrics, intervals and lists of windows; numbers of values that are
 * mostly small, so that ties occur at the limit.
 */
import type { Json, JsonObject } from '../../src/api/index.js';
import type { Prng } from '../../src/base/index.js';
import {
  BETWEENS,
  type GeneratedColumn,
  type GeneratedSchema,
  generateQuery,
  jsonObject,
  num,
  predicate,
  several,
} from './generate.js';
import { dateText, windowOf } from './model/time.js';

export interface QueryWorld {
  readonly schema: GeneratedSchema;
  readonly idCount: number;
  /** The start of an hour before any request. Events are in the 25 days before it, on full hours and between them. */
  readonly startSeconds: number;
}

const [HOUR, DAY] = [3600, 86_400];
const BUCKETS_MAX = 1_000_000;
const METRICS_OF_ALL = ['count', 'count-distinct'];
const METRICS_OF_ORDERED = ['min', 'max'];
const METRICS_OF_NUMBERS = ['avg', 'sum', 'median', 'p95', 'p99', 'stddev'];
const UNITS = new Map([
  ['seconds', 1],
  ['minutes', 60],
  ['hours', HOUR],
  ['days', DAY],
  ['weeks', 7 * DAY],
  ['months', 28 * DAY],
]);

const baseType = ({ type }: GeneratedColumn): string => type.replace(/-event$/, '');
const isEvent = ({ storage }: GeneratedColumn): boolean => storage === null;

/** A date on one of the days before the start. */
export function recentDate(prng: Prng, { startSeconds }: QueryWorld): string {
  const hours = prng.chance(0.7) ? prng.between(1, 20) : 24 * prng.between(1, 24) + prng.between(1, 20);
  return dateText(startSeconds - hours * HOUR + prng.pick([0, 0, 1, 59, 60, 1800, 3599]));
}

/** A window in the form of `between`. If `recent`, it is within the hours before the start. */
function windowIn(prng: Prng, world: QueryWorld, recent = prng.chance(0.3)): readonly Json[] {
  if (recent) {
    const end = prng.pick([() => recentDate(prng, world), () => 'now', () => `+${prng.between(1, 20)}hr`])();
    const from = world.startSeconds - prng.between(0, 20) * HOUR;
    return [dateText(from + prng.pick([0, 0, 1, 3599])), end];
  }
  return prng.pick<readonly Json[]>([
    ...BETWEENS,
    ['2016-01-01', '2016-01-07'],
    ['1990-01-01', '2100-01-01'],
    ['1960-01-01', '2200-01-01'],
    ['2016-01-01', 'now'],
    ['now', '-1d'],
    ['now', '-30y'],
    ['now', '-20d'],
  ]);
}

/** A window that does not depend on the time of the request, which its buckets would reveal. */
function fixedWindow(prng: Prng, world: QueryWorld): readonly Json[] {
  const window = windowIn(prng, world);
  return window.includes('now') ? fixedWindow(prng, world) : window;
}

function dimensionOf(prng: Prng, { schema }: QueryWorld): string {
  return prng.chance(0.8) ? 'default' : prng.pick(schema.dimensions);
}

function columnsIn({ schema }: QueryWorld, dimension: string): readonly GeneratedColumn[] {
  return schema.columns.filter((column) => column.dimension === dimension);
}

// Events

/** A condition on an event column, with its window next to its predicates or inside a geolocation predicate. */
function eventParameters(prng: Prng, column: GeneratedColumn, window: Json): Map<string, Json> {
  const fields = new Map<string, Json>(
    several(prng, 1, prng.chance(0.2) ? 2 : 1, () => predicate(prng, column)),
  );
  return insertWindow(prng, fields, window);
}

function insertWindow(prng: Prng, fields: Map<string, Json>, window: Json): Map<string, Json> {
  const objects = [...fields.values()].filter((value) => value instanceof Map);
  if (objects.length > 0 && prng.chance(0.5))
    (prng.pick(objects) as Map<string, Json>).set('between', window);
  else fields.set('between', window);
  return fields;
}

/** An interval that does not divide the window into too many buckets. */
function cutBy(prng: Prng, world: QueryWorld, window: readonly Json[]): string {
  const [from, to] = windowOf(window, world.startSeconds * 1000);
  const fitting = [...UNITS].filter(([, seconds]) => (to - from) / seconds < BUCKETS_MAX - 2);
  return prng.pick(fitting)[0];
}

/** Seconds and minutes are for windows within the past 24 hours, hours for those within 30 days. */
function isRecent(window: readonly Json[]): boolean {
  const [from] = windowOf(window, Date.now());
  return from > Date.now() / 1000 - 23 * HOUR;
}

function countEventsQuery(prng: Prng, world: QueryWorld, name: string): JsonObject | null {
  const dimension = dimensionOf(prng, world);
  const events = columnsIn(world, dimension).filter(isEvent);
  if (events.length === 0) return null;
  const column = prng.pick(events);
  const window = windowIn(prng, world);
  const condition: Json = jsonObject({ [column.apiName]: eventParameters(prng, column, window) });
  const fields = new Map<string, Json>([
    ['query-name', name],
    ['query', prng.chance(0.1) ? [[condition]] : [condition]],
  ]);
  if (dimension !== 'default' || prng.chance(0.1)) fields.set('dimension', dimension);
  if (prng.chance(0.4)) {
    const interval = cutBy(prng, world, window);
    const isShort = ['seconds', 'minutes', 'hours'].includes(interval);
    fields.set('interval', isShort && !isRecent(window) ? prng.pick(['days', 'weeks', 'months']) : interval);
  }
  if (prng.chance(0.2)) fields.set('bypass-cache', prng.chance(0.5));
  return fields;
}

/** A body of POST /v1/query/count/event: a list of up to 10, or one object. */
export function generateCountEvents(prng: Prng, world: QueryWorld, countMax: number): Json {
  const queries = several(prng, 1, Math.min(10, countMax), () => 0).flatMap(
    (_, index) => countEventsQuery(prng, world, `query ${index}`) ?? [],
  );
  return queries.length === 1
    ? queries[0]
    : queries.length === 0
      ? generateCountEvents(prng, world, countMax)
      : queries;
}

// Levels

/** A predicate of a level, mostly with a list of operands. */
function levelPredicate(prng: Prng, column: GeneratedColumn): [string, Json] {
  const [name, first] = predicate(prng, column);
  if ((Array.isArray(first) && name !== 'range') || prng.chance(0.3)) return [name, first];
  const operands: Json[] = [first];
  for (let tries = 0; tries < 20 && operands.length < 3; tries++) {
    const [other, operand] = predicate(prng, column);
    if (other === name && (name === 'range' || !Array.isArray(operand))) operands.push(operand);
  }
  return [name, operands];
}

/** The members of a level other than its column: predicates, and on event columns a window or a list of windows. */
function levelFields(prng: Prng, column: GeneratedColumn, between: readonly Json[]): Map<string, Json> {
  const count = prng.chance(0.55) ? 0 : prng.chance(0.8) ? 1 : 2;
  const fields = new Map<string, Json>(Array.from({ length: count }, () => levelPredicate(prng, column)));
  if (!isEvent(column)) return fields;
  const isList = Array.isArray(between[0]);
  return isList ? fields.set('between', between) : insertWindow(prng, fields, between);
}

function metricsOf(column: GeneratedColumn): string[] {
  const type = baseType(column);
  const isNumber = type === 'integer' || type === 'decimal' || type === 'enumerated';
  return [
    ...METRICS_OF_ALL,
    ...(isEvent(column) ? ['count-events'] : []),
    ...(isNumber || type === 'date' || type === 'datetime' ? METRICS_OF_ORDERED : []),
    ...(isNumber ? METRICS_OF_NUMBERS : []),
  ];
}

function metricLevel(prng: Prng, world: QueryWorld, columns: readonly GeneratedColumn[]): JsonObject {
  if (prng.chance(0.03)) return jsonObject({ 'entity-id': prng.pick(METRICS_OF_ALL) });
  // Numbers have the most metrics.
  const numbers = columns.filter((column) => metricsOf(column).length > 4);
  const column = prng.pick(prng.chance(0.6) && numbers.length > 0 ? numbers : columns);
  const how = isEvent(column) ? prng.pick(['plain', 'interval', 'windows']) : 'plain';
  const window =
    how === 'windows' ? several(prng, 1, 5, () => fixedWindow(prng, world)) : windowIn(prng, world);
  const fields = levelFields(prng, column, window);
  if (how === 'interval') fields.set('interval', cutBy(prng, world, window));
  return withColumn(prng, fields, column.apiName, prng.pick(metricsOf(column)));
}

/** Inserts the column's key at a random position among the others. */
function withColumn(prng: Prng, fields: ReadonlyMap<string, Json>, name: string, expected: Json): JsonObject {
  return new Map<string, Json>(
    prng.chance(0.5) ? [[name, expected], ...fields] : [...fields, [name, expected]],
  );
}

function topLevel(
  prng: Prng,
  world: QueryWorld,
  columns: readonly GeneratedColumn[],
  limitMax: number,
): JsonObject {
  const limit = num(prng.chance(0.7) ? prng.between(1, Math.min(6, limitMax)) : prng.between(1, limitMax));
  if (prng.chance(0.03)) return jsonObject({ 'entity-id': limit });
  const column = prng.pick(columns);
  return withColumn(prng, levelFields(prng, column, windowIn(prng, world)), column.apiName, limit);
}

/** Maximum number of values of a level, by the number of levels of the aggregation, so that answers stay short. */
const LIMIT_MAX = [1000, 1000, 60, 12, 6, 4];

/** A body of POST /v1/query/aggregation. */
export function generateAggregation(prng: Prng, world: QueryWorld): Json {
  const dimension = dimensionOf(prng, world);
  const columns = columnsIn(world, dimension);
  const levelCount = prng.pick([1, 1, 1, 2, 2, 2, 3, 3, 4, 5]);
  const endsInMetric = prng.chance(0.55);
  const levels = Array.from({ length: levelCount }, (_, index) =>
    endsInMetric && index === levelCount - 1
      ? metricLevel(prng, world, columns)
      : topLevel(prng, world, columns, LIMIT_MAX[levelCount]),
  );
  const body = new Map<string, Json>([['query', levels]]);
  if (dimension !== 'default' || prng.chance(0.1)) body.set('dimension', dimension);
  if (prng.chance(0.45)) body.set('filter', filterOf(prng, world, dimension));
  else if (prng.chance(0.1)) body.set('filter', []);
  return body;
}

function filterOf(prng: Prng, { schema, idCount }: QueryWorld, dimension: string): Json {
  return generateQuery(prng, schema, dimension, { depthMax: 2, idCount, withNow: false });
}

/** A body of POST /v1/query/top_values with `count` queries. */
export function generateTopValues(prng: Prng, world: QueryWorld, count: number): Json {
  return new Map(
    Array.from({ length: count }, (_, index): [string, Json] => {
      const dimension = dimensionOf(prng, world);
      const fields = new Map<string, Json>(topLevel(prng, world, columnsIn(world, dimension), 1000));
      if (prng.chance(0.5)) fields.delete('between');
      if (dimension !== 'default' || prng.chance(0.1)) fields.set('dimension', dimension);
      if (prng.chance(0.2)) fields.set('minfreq', num(prng.between(1, 20)));
      return [`top ${index}`, fields];
    }),
  );
}

// Extraction

/** The list with every window in it replaced: all event columns of an extraction's query have the same. */
function inOneWindow(json: Json, window: Json): Json {
  if (Array.isArray(json)) return json.map((item) => inOneWindow(item, window));
  if (!(json instanceof Map)) return json;
  return new Map(
    [...(json as JsonObject)].map(([key, value]) => [
      key,
      key === 'between' ? window : inOneWindow(value, window),
    ]),
  );
}

function extractionQuery(
  prng: Prng,
  world: QueryWorld,
  dimension: string,
  window: Json,
  depthMax: number,
): Json[] {
  if (prng.chance(0.25)) return [jsonObject({ 'entity-id': jsonObject({ 'not-equals': 'nobody' }) })];
  const { schema, idCount } = world;
  const query = generateQuery(prng, schema, dimension, { depthMax, idCount, withNow: false });
  return inOneWindow(query, window) as Json[];
}

function extractedColumns(prng: Prng, world: QueryWorld, dimension: string): Json {
  if (prng.chance(0.15)) return prng.chance(0.7) ? 'all' : ['all'];
  const columns = columnsIn(world, dimension);
  const named = new Map<string, Json>();
  if (prng.chance(0.5)) named.set('entity-id', 'entity-id');
  for (const column of several(prng, 1, 8, () => prng.pick(columns))) {
    if (named.has(column.apiName)) continue;
    const window = windowIn(prng, world);
    named.set(column.apiName, isEvent(column) ? jsonObject({ [column.apiName]: window }) : column.apiName);
  }
  const list = [...named.values()];
  return prng.chance(0.1) && typeof list[0] === 'string' ? [...list, list[0]] : list;
}

function orderOf(prng: Prng, world: QueryWorld, dimension: string): Json {
  const names = columnsIn(world, dimension)
    .filter((column) => column.storage === 'latest-value' && column.type !== 'geolocation')
    .map(({ apiName }) => apiName);
  const chosen = new Set(several(prng, 1, 3, () => prng.pick([...names, 'entity-id'])));
  const keys = [...chosen].map((name): Json => jsonObject({ [name]: prng.pick(['asc', 'desc']) }));
  return keys.length === 1 && prng.chance(0.1) ? keys[0] : keys;
}

function nearCondition(prng: Prng, world: QueryWorld, dimension: string, window: Json): JsonObject | null {
  const pointColumns = columnsIn(world, dimension).filter((column) => baseType(column) === 'geolocation');
  if (pointColumns.length === 0) return null;
  const column = prng.pick(pointColumns);
  const near = new Map<string, Json>([
    ['longitude', num(prng.pick([prng.between(-720, 720) / 4, -46.633308, 179.75]))],
    ['latitude', num(prng.pick([prng.between(-360, 360) / 4, -23.55052, 90]))],
    ['limit', num(prng.chance(0.8) ? prng.between(1, 40) : prng.between(41, 1000))],
  ]);
  if (prng.chance(0.5)) near.set('show_coordinates', prng.chance(0.8));
  const fields = new Map<string, Json>([['geo_near', near]]);
  if (prng.chance(0.2)) fields.set(...predicate(prng, column));
  return new Map([[column.apiName, isEvent(column) ? insertWindow(prng, fields, window) : fields]]);
}

/** A body of POST /v1/data_extraction/result; its limit may need several pages. */
export function generateExtraction(prng: Prng, world: QueryWorld): Json {
  const dimension = dimensionOf(prng, world);
  const window = windowIn(prng, world);
  const near = prng.chance(0.25) ? nearCondition(prng, world, dimension, window) : null;
  const body = new Map<string, Json>([['columns', extractedColumns(prng, world, dimension)]]);
  if (near === null) {
    body.set('query', extractionQuery(prng, world, dimension, window, 3));
    if (prng.chance(0.6)) body.set('order', orderOf(prng, world, dimension));
  } else {
    const beside = prng.chance(0.5) ? [extractionQuery(prng, world, dimension, window, 2)] : [];
    const list = prng.chance(0.5) ? [near, ...beside] : [...beside, near];
    const joined = list.flatMap((element, index): Json[] => (index === 0 ? [element] : ['and', element]));
    body.set('query', prng.chance(0.1) ? [joined] : joined);
  }
  if (dimension !== 'default' || prng.chance(0.1)) body.set('dimension', dimension);
  if (prng.chance(0.7))
    body.set('limit', num(prng.pick([prng.between(1, 12), 100, prng.between(13, 300), 5000])));
  return body;
}

/** A body of POST /v1/data_extraction/score. */
export function generateScore(prng: Prng, world: QueryWorld): Json {
  const dimension = dimensionOf(prng, world);
  const window = windowIn(prng, world);
  const query = extractionQuery(prng, world, dimension, window, 4);
  const near = prng.chance(0.3) ? nearCondition(prng, world, dimension, window) : null;
  const conditions = (): Json[] => extractionQuery(prng, world, dimension, window, 1);
  if (near !== null) {
    const nested = ['or', ...conditions().filter((element) => element !== 'not')];
    query.push(prng.pick(['and', 'or']), prng.pick<Json>([near, [near], [near, ...nested]]));
  }
  const body = new Map<string, Json>([
    ['query', query],
    ['columns', extractedColumns(prng, world, dimension)],
  ]);
  if (dimension !== 'default' || prng.chance(0.1)) body.set('dimension', dimension);
  if (prng.chance(0.5)) body.set('order', orderOf(prng, world, dimension));
  if (prng.chance(0.6)) body.set('limit', num(prng.pick([prng.between(1, 12), prng.between(13, 100)])));
  return body;
}
