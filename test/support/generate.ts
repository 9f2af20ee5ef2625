/**
 * Seeded generators of schemas, insert, update and delete bodies and count queries: every type, storage and predicate,
 * values that occur often (small pools, so that there are many equal values and ties) and values at the limits.
 * Everything generated is valid.
 */
import { ExactNumber, type Json, type JsonObject } from '../../src/api/index.js';
import type { Prng } from '../../src/base/index.js';
import { formatDecimal } from '../../src/schema/index.js';

export interface GeneratedColumn {
  readonly dimension: string;
  readonly apiName: string;
  readonly type: string;
  readonly storage: 'latest-value' | 'list-of-values' | null;
  readonly decimalPlaces: number;
  readonly bounds: readonly bigint[];
  /** Absent = forever. */
  readonly retentionDays?: number;
}

export interface GeneratedSchema {
  readonly columns: readonly GeneratedColumn[];
  readonly dimensions: readonly string[];
  /** Body of POST /v1/column that creates all columns. */
  readonly body: Json;
}

const ATTRIBUTES = [
  'string',
  'integer',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'geolocation',
  'enumerated',
];
const EVENTS = ['string-event', 'integer-event', 'decimal-event', 'geolocation-event'];
const BOUNDS = [-(2n ** 63n), -10n, 0n, 5n, 100n, 2n ** 53n + 1n];

export function jsonObject(fields: Readonly<Record<string, Json>>): JsonObject {
  return new Map(Object.entries(fields));
}

export function num(value: number | bigint | string): ExactNumber {
  return new ExactNumber(String(value));
}

/** JSON text with every number in its original notation. */
export function jsonText(json: Json): string {
  if (json instanceof ExactNumber) return json.text;
  if (json instanceof Map) {
    return `{${[...json].map(([key, value]) => `${JSON.stringify(key)}:${jsonText(value)}`).join(',')}}`;
  }
  if (Array.isArray(json)) return `[${json.map(jsonText).join(',')}]`;
  return JSON.stringify(json);
}

/**
 * Columns of every type in the default dimension, a list column of each attribute type, and some columns in a second
 * dimension.
 */
export function generateSchema(prng: Prng): GeneratedSchema {
  const columns: GeneratedColumn[] = [];
  const add = (dimension: string, type: string, storage: GeneratedColumn['storage']): void => {
    const suffix = storage === 'list-of-values' ? '-list' : '';
    const decimalPlaces = type.startsWith('decimal') ? prng.pick([1, 2, 3, 6, 20]) : 0;
    const bounds = type === 'enumerated' ? BOUNDS : [];
    columns.push({ dimension, apiName: `${type}${suffix}`, type, storage, decimalPlaces, bounds });
  };
  for (const dimension of ['default', 'second']) {
    for (const type of ATTRIBUTES) {
      add(dimension, type, 'latest-value');
      add(dimension, type, 'list-of-values');
    }
    for (const type of EVENTS) add(dimension, type, null);
  }
  const retained = columns.filter(({ dimension }) => dimension === 'default' || prng.chance(0.6));
  return { columns: retained, dimensions: ['default', 'second'], body: retained.map(columnJson) };
}

/** The item of a POST /v1/column body that creates the column. */
export function columnJson(column: GeneratedColumn): Json {
  const fields = new Map<string, Json>([
    ['name', column.apiName.replace(/-/g, '_')],
    ['api-name', column.apiName],
    ['type', column.type],
    ['dimension', column.dimension],
  ]);
  if (column.storage !== null) fields.set('storage', column.storage);
  if (column.decimalPlaces > 0) fields.set('decimal-places', num(column.decimalPlaces));
  if (column.bounds.length > 0) fields.set('range', column.bounds.map(num));
  if (column.retentionDays !== undefined) fields.set('retention-time', num(column.retentionDays));
  return fields;
}

// Values

const TEXTS = [
  ...[
    'red',
    'RED',
    'Red wine',
    'wine',
    'a',
    'ab',
    'abc',
    'abcabc',
    'value:matched_value',
    'x y',
    '%',
    '_',
    '1',
    'true',
  ],
  ...[
    'Straße',
    'ΣΑΣ',
    'σας',
    'σασ',
    'İstanbul',
    'istanbul',
    '😀 smile',
    '😀',
    '日本語',
    'é',
    'e\u0301',
    'Ǆ',
    'K',
    '\u{10400}',
  ],
  ...[
    '"quoted"',
    'back\\slash',
    'new\nline',
    'nul\0inside',
    '__proto__',
    'constructor',
    '{}',
    '[1]',
    `long${'z'.repeat(996)}`,
  ],
];
const INTEGERS = [0n, 1n, -1n, 2n, 5n, 7n, 10n, 99n, 100n, -10n, 2n ** 31n, 2n ** 53n, 2n ** 53n + 1n];
const EDGES = [2n ** 63n - 1n, 2n ** 63n - 2n, -(2n ** 63n), -(2n ** 63n) + 1n];
const DATES = [
  '2016-01-01',
  '2016-01-02',
  '2016-02-29',
  '1969-12-31',
  '1970-01-01',
  '0001-01-01',
  '9999-12-31',
  '2018-01-21',
];
const DATETIMES = [
  ...[
    '2016-01-01T00:00:00Z',
    '2016-01-01t00:00:00z',
    '2016-01-01T03:00:00+03:00',
    '2016-01-01T00:00:00.999Z',
  ],
  ...['2016-01-02T12:30:45Z', '1969-12-31T23:59:59Z', '2018-01-21T00:50:00Z', '0001-01-01T00:00:00Z'],
];
const EVENT_DATES = [
  ...[
    '2016-01-01',
    '2016-01-01T00:00:00Z',
    '2016-01-01T00:00:01Z',
    '2016-01-03',
    '2016-01-03T10:00:00-02:00',
  ],
  ...[
    '2016-01-06T23:59:59Z',
    '2016-01-07',
    '2016-01-07T00:00:01Z',
    '2016-01-07T00:00:00.5Z',
    '1990-01-01',
    '2018-06-30',
  ],
];
const POINTS = [
  ...[
    '[-46.633308, -23.55052]',
    '[13.404954, 52.520008]',
    '[-74.005974, 40.712776]',
    '[0.5, -0.25]',
    '[179.75, -16.5]',
  ],
  ...['[-179.25, -17.125]', '[12.5, 90]', '[77.25, -89.5]', '[2.352222, 48.856613]'],
].map((text) => text.slice(1, -1).split(', '));

function integer(prng: Prng): bigint {
  if (prng.chance(0.1)) return prng.pick(EDGES);
  return prng.chance(0.7) ? prng.pick(INTEGERS) : BigInt(prng.between(-20, 120));
}

/** A storable decimal, written in one of several ways. */
function decimal(prng: Prng, places: number): string {
  const text = formatDecimal(prng.chance(0.5) ? integer(prng) : BigInt(prng.between(-300, 300)), places);
  return prng.chance(0.2) ? `${text}e0` : text;
}

/** One value of an insert. */
export function generateValue(prng: Prng, column: GeneratedColumn): Json {
  switch (column.type.replace(/-event$/, '')) {
    case 'string':
      return prng.pick(TEXTS);
    case 'decimal':
      return num(decimal(prng, column.decimalPlaces));
    case 'boolean':
      return prng.pick<Json>([true, false, 'true', 'false']);
    case 'date':
      return prng.pick(DATES);
    case 'datetime':
      return prng.pick(DATETIMES);
    case 'geolocation':
      return prng.pick(POINTS).map(num);
    default:
      return num(integer(prng));
  }
}

/** `undated` is the share of events without a date, which get the time of the request. */
function generateField(prng: Prng, column: GeneratedColumn, undated: number): Json {
  if (column.storage === 'latest-value') return prng.chance(0.1) ? null : generateValue(prng, column);
  if (column.storage === 'list-of-values') {
    return prng.chance(0.03)
      ? null
      : several(prng, prng.chance(0.05) ? 0 : 1, 4, () => generateValue(prng, column));
  }
  const event = (): Json => {
    const fields = new Map<string, Json>([['value', generateValue(prng, column)]]);
    if (!prng.chance(undated)) fields.set('date', prng.pick(EVENT_DATES));
    return fields;
  };
  return prng.chance(0.2) ? event() : several(prng, prng.chance(0.05) ? 0 : 1, 4, event);
}

/** A list of `low` to `high` items. */
export function several<T>(prng: Prng, low: number, high: number, make: () => T): T[] {
  return Array.from({ length: prng.between(low, high) }, make);
}

export interface InsertOptions {
  readonly entityCount: number;
  /** Size of the pool of IDs, so that later inserts repeat earlier entities. */
  readonly idCount: number;
  /** Share of events without a date; default 0.05. */
  readonly undated?: number;
}

const UNDATED = 0.05;

/** An ID of the pool, in any letter case. */
export function generateId(prng: Prng, idCount: number): string {
  const id = `Entity-${prng.below(idCount)}`;
  const spelt = prng.chance(0.2) ? `${id}-ÄΣ😀` : id;
  return prng.chance(0.3) ? spelt.toUpperCase() : spelt;
}

/** A body of POST /v1/insert; no ID twice in any letter case, every entity with at least one column. */
export function generateInsert(prng: Prng, schema: GeneratedSchema, options: InsertOptions): Json {
  const body = new Map<string, Json>();
  const seen = new Set<string>();
  for (let index = 0; index < options.entityCount; index++) {
    const id = generateId(prng, options.idCount);
    if (seen.has(id.toLowerCase())) continue;
    seen.add(id.toLowerCase());
    const dimension = prng.chance(0.75) ? 'default' : prng.pick(schema.dimensions);
    const columns = schema.columns.filter((column) => column.dimension === dimension);
    const density = prng.pick([0.1, 0.5, 0.9]);
    const chosen = columns.filter(() => prng.chance(density));
    if (chosen.length === 0) chosen.push(prng.pick(columns));
    const fields = new Map<string, Json>(
      chosen.map((column) => [column.apiName, generateField(prng, column, options.undated ?? UNDATED)]),
    );
    if (dimension !== 'default' || prng.chance(0.1)) fields.set('dimension', dimension);
    body.set(id, fields);
  }
  return body;
}

// Queries

/** Windows that do not need the request's time. */
export const BETWEENS: readonly (readonly Json[])[] = [
  ...[
    ['2016-01-01', '2016-01-07'],
    ['2016-01-07', '2016-01-01'],
    ['2016-01-01', '2016-01-01'],
    ['2016-01-01', '+1w'],
  ],
  ...[
    ['2016-01-01T00:00:01Z', '-1sec'],
    ['2016-01-03T12:00:00Z', '-12hr'],
    ['2016-01-31', '-1m'],
    ['2016-02-29', '+1y'],
  ],
  ...[
    ['2016-01-01T03:00:00+03:00', '2016-01-06T23:59:59Z'],
    ['1990-01-01', '2100-01-01'],
    ['1960-01-01', '1989-12-31'],
  ],
];
/** Windows that need the request's time. */
const BETWEENS_NOW: readonly Json[] = [
  ['today'],
  ['now', '-1d'],
  ['now', '-3y'],
  ['2016-01-01', 'now'],
  ['now', '+5min'],
];

export interface QueryOptions {
  readonly depthMax: number;
  readonly idCount: number;
  /** Whether windows may depend on the time of the request. */
  readonly withNow: boolean;
}

/** The operand of a comparison: a storable value, or one between or beyond storable values. */
function operand(prng: Prng, column: GeneratedColumn): Json {
  const type = column.type.replace(/-event$/, '');
  if (type === 'date' || type === 'datetime') return prng.pick(prng.chance(0.5) ? DATES : DATETIMES);
  if (type !== 'integer' && type !== 'enumerated' && type !== 'decimal') return generateValue(prng, column);
  const beside = [
    decimal(prng, column.decimalPlaces + 1),
    '9223372036854775808',
    '-9223372036854775809',
    '1e40',
    '-1E40',
    '5e-3',
  ];
  const text = prng.chance(0.75) ? jsonText(generateValue(prng, column)) : prng.pick(beside);
  return prng.chance(0.3) ? text : num(text);
}

/** An end of `range`, which must fit the column: integers for integers. */
function rangeEnd(prng: Prng, column: GeneratedColumn): Json {
  const type = column.type.replace(/-event$/, '');
  return type === 'integer' || type === 'enumerated' ? num(integer(prng)) : operand(prng, column);
}

function textPredicate(prng: Prng, pool: () => string): [string, Json] {
  const word = prng.pick(['equals', 'in', 'contains', 'starts-with', 'ends-with']);
  const name = prng.chance(0.3) ? `not-${word}` : word;
  if (word === 'in') return [name, several(prng, 1, 4, pool)];
  if (word === 'equals') return [name, pool()];
  const piece = (): string => {
    const points = Array.from(pool());
    const from = word === 'starts-with' ? 0 : prng.below(points.length);
    const to = word === 'ends-with' ? points.length : prng.between(from + 1, points.length);
    return points.slice(from, to).join('');
  };
  return [name, prng.chance(0.3) ? several(prng, 1, 3, piece) : piece()];
}

function orderedPredicate(prng: Prng, column: GeneratedColumn): [string, Json] {
  const plain = ['equals', 'not-equals', 'in', 'not-in'];
  const name = prng.pick(column.type === 'boolean' ? plain : [...plain, 'range', 'gt', 'gte', 'lt', 'lte']);
  if (name === 'in' || name === 'not-in') return [name, several(prng, 1, 4, () => operand(prng, column))];
  if (name === 'range') return [name, [rangeEnd(prng, column), rangeEnd(prng, column)]];
  return [name, operand(prng, column)];
}

/** A geolocation predicate without `between`. */
export function geoPredicate(prng: Prng): [string, Map<string, Json>] {
  const [[west, south], [east, north]] = [prng.pick(POINTS), prng.pick(POINTS)];
  const pointFields = (longitude: string, latitude: string): [string, Json][] => [
    ['longitude', num(longitude)],
    ['latitude', num(latitude)],
  ];
  if (prng.chance(0.5)) {
    const unit = prng.pick(['km', 'm', 'mi', 'deg']);
    const radius = (prng.unit() * 9000 + 1) * (unit === 'm' ? 1000 : unit === 'deg' ? 0.01 : 1);
    return [
      'geo_radius',
      new Map<string, Json>([
        ...pointFields(west, south),
        ['radius', num(radius.toFixed(5))],
        ['unit', unit],
      ]),
    ];
  }
  const [low, high] = Number(south) <= Number(north) ? [south, north] : [north, south];
  const corners: [string, Json][] = [
    ['lower-left', new Map(pointFields(west, low))],
    ['upper-right', new Map(pointFields(east, high))],
  ];
  return ['geo_bounding_box', new Map(corners)];
}

/** A predicate of a condition on the column and its operand. */
export function predicate(prng: Prng, column: GeneratedColumn): [string, Json] {
  const type = column.type.replace(/-event$/, '');
  if (type === 'string') return textPredicate(prng, () => prng.pick(TEXTS));
  return type === 'geolocation' ? geoPredicate(prng) : orderedPredicate(prng, column);
}

/** Parameters of a condition on one column. Event columns have a window, and some have minfreq. */
function parameters(prng: Prng, column: GeneratedColumn, options: QueryOptions, inGroup: boolean): Json {
  const fields = new Map<string, Json>(
    several(prng, 1, prng.chance(0.3) ? 3 : 1, () => predicate(prng, column)),
  );
  if (column.storage !== null) return fields;
  const between = prng.pick(options.withNow && prng.chance(0.3) ? BETWEENS_NOW : BETWEENS);
  const box = fields.get('geo_bounding_box');
  if (box instanceof Map && prng.chance(0.5)) box.set('between', between);
  else fields.set('between', between);
  if (!inGroup && prng.chance(0.4)) fields.set('minfreq', num(prng.between(1, 4)));
  return fields;
}

function condition(prng: Prng, columns: readonly GeneratedColumn[], options: QueryOptions): Json {
  if (prng.chance(0.05)) {
    return new Map([['entity-id', new Map([textPredicate(prng, () => generateId(prng, options.idCount))])]]);
  }
  const events = columns.filter(({ storage }) => storage === null);
  if (events.length > 0 && prng.chance(0.1)) {
    const members = several(prng, 1, 3, () => {
      const column = prng.pick(events);
      return new Map([[column.apiName, parameters(prng, column, options, true)]]);
    });
    const group = new Map<string, Json>([['freqgroup', members]]);
    if (prng.chance(0.8)) group.set('minfreq', num(prng.between(1, 5)));
    return group;
  }
  const column = prng.pick(columns);
  return new Map([[column.apiName, parameters(prng, column, options, false)]]);
}

function queryList(
  prng: Prng,
  columns: readonly GeneratedColumn[],
  options: QueryOptions,
  depth: number,
): Json[] {
  const list: Json[] = prng.chance(0.25) ? ['not'] : [];
  const operandCount = prng.pick([1, 1, 2, 2, 3]);
  for (let index = 0; index < operandCount; index++) {
    if (index > 0) list.push(prng.pick(['and', 'or']));
    const nested = depth < options.depthMax && prng.chance(0.3);
    list.push(nested ? queryList(prng, columns, options, depth + 1) : condition(prng, columns, options));
  }
  return list;
}

/** A query list on one dimension of the schema. */
export function generateQuery(
  prng: Prng,
  schema: GeneratedSchema,
  dimension: string,
  options: QueryOptions,
): Json {
  // A query may have at most 20 distinct columns.
  const all = schema.columns.filter((column) => column.dimension === dimension);
  const columns = several(prng, 6, 19, () => prng.pick(all));
  return queryList(prng, columns, options, 1);
}

/** A body of POST /v1/query/count/entity: a list, or one object. */
export function generateCountBody(prng: Prng, schema: GeneratedSchema, options: QueryOptions): Json {
  const queries = several(prng, 1, 10, () => 0).map((_, index) => {
    const dimension = prng.chance(0.75) ? 'default' : prng.pick(schema.dimensions);
    const fields = new Map<string, Json>([
      ['query-name', `query ${index}`],
      ['query', generateQuery(prng, schema, dimension, options)],
    ]);
    if (dimension !== 'default' || prng.chance(0.2)) fields.set('dimension', dimension);
    if (prng.chance(0.2)) fields.set('bypass-cache', prng.chance(0.5));
    return fields;
  });
  return queries.length === 1 ? queries[0] : queries;
}

// Updates and deletes

export interface MutationOptions extends QueryOptions {
  /** Share of events in `set` without a date; default 0.05. */
  readonly undated?: number;
}

/** The entities to change: mostly a part of those that a query finds, so that later queries still match some. */
function generateTarget(prng: Prng, schema: GeneratedSchema, options: QueryOptions): [string, Json][] {
  const dimension = prng.chance(0.75) ? 'default' : prng.pick(schema.dimensions);
  const ids = several(prng, 1, 8, () => generateId(prng, options.idCount));
  const someIds = (word: string, operand: Json): Json =>
    jsonObject({ 'entity-id': jsonObject({ [word]: operand }) });
  const part = prng.pick<Json>([
    someIds('in', ids),
    someIds('contains', [String(prng.below(10)), String(prng.between(10, 99))]),
    someIds('ends-with', String(prng.below(10))),
    someIds('starts-with', `ENTITY-${prng.between(1, 9)}`),
  ]);
  const query = generateQuery(prng, schema, dimension, options);
  const target: [string, Json][] = [['query', prng.chance(0.2) ? [part] : [query, 'and', part]]];
  if (dimension !== 'default' || prng.chance(0.3)) target.unshift(['dimension', dimension]);
  return target;
}

/** A body of POST /v1/update. */
export function generateUpdate(prng: Prng, schema: GeneratedSchema, options: MutationOptions): Json {
  const body = new Map<string, Json>(generateTarget(prng, schema, options));
  const columns = schema.columns.filter(
    ({ dimension }) => dimension === (body.get('dimension') ?? 'default'),
  );
  const chosen = several(prng, 1, 5, () => prng.pick(columns));
  const fields = chosen.map((column): [string, Json] => [
    column.apiName,
    generateField(prng, column, options.undated ?? UNDATED),
  ]);
  return body.set('set', new Map(fields));
}

/** A body of POST /v1/delete. */
export function generateDelete(prng: Prng, schema: GeneratedSchema, options: QueryOptions): Json {
  return new Map(generateTarget(prng, schema, options));
}
