/**
 * Requests that must be refused, by code: counts of events, aggregations, top values, extractions and saved queries.
 */
import type { ApiRequest } from '../../support/json-client.js';
import { long, type Refusal } from './codes-general.js';
import { SAVED_NAME, type World } from './codes-world.js';

const YEAR = ['2020-01-01', '2020-12-31'];
const LEAP = ['2016-02-30', '2016-03-01'];
const GOOD = { name: { equals: 'x' } };
const BOUGHT = { item: { equals: 'x', between: YEAR } };
const NEAR = { longitude: 1, latitude: 2, limit: 3 };

const named = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `c${index}`);
/** Conditions joined by `or`. */
const anyOf = (conditions: readonly object[]): readonly unknown[] =>
  conditions.flatMap((condition, index) => (index === 0 ? [condition] : ['or', condition]));
const columnsOver = (count: number): readonly unknown[] =>
  anyOf(named(count).map((name) => ({ [name]: { gt: 1 } })));
const nested = (depth: number, inside: string): string => '['.repeat(depth) + inside + ']'.repeat(depth);

// Counts of events

const events = (query: unknown, more: object = {}): ApiRequest => ({
  path: '/v1/query/count/event',
  body: { 'query-name': 'q', query, ...more },
});
const event = (column: string, predicates: object): ApiRequest => events([{ [column]: predicates }]);

const EVENT_REFUSALS: readonly Refusal[] = [
  [4003, event('item', { equals: 'x', between: ['2020-01-01', '-5xyz'] }), '-5xyz'],
  [4004, events([5]), 'query[0]'],
  [4005, event('item', { equals: 'x' }), 'item'],
  [4007, events([BOUGHT, BOUGHT]), 'query'],
  [4008, event('nothing', { equals: 'x', between: YEAR }), 'nothing'],
  [4009, event('item', {}), 'item'],
  [4011, event('item', { between: YEAR }), 'item'],
  [4012, event('amount', { range: [1, 2.5], between: YEAR }), 'range'],
  [4014, events([]), 'query'],
  [4016, event('item', { contains: 5, between: YEAR }), 'contains'],
  [4026, events('x'), 'query'],
  [4027, events([BOUGHT], { interval: 'fortnights' }), 'fortnights'],
  [4027, events([BOUGHT], { interval: 5 }), 'interval'],
  [4027, events([BOUGHT], { interval: 'minutes' }), '24 hours'],
  [4027, events([BOUGHT], { interval: 'hours' }), '30 days'],
  [4037, events([BOUGHT, 'and', BOUGHT]), 'and'],
  [4037, events(['not', BOUGHT]), 'not'],
  [4038, event('item', { equals: 'x', between: YEAR, minfreq: 2 }), 'minfreq'],
  [4038, events([{ minfreq: 1, freqgroup: [BOUGHT] }]), 'freqgroup'],
  [4038, event('place', { geo_near: NEAR, between: YEAR }), 'geo_near'],
  [4039, event('item', { gt: 'x', between: YEAR }), 'gt'],
  [4040, event('age', { gt: 1 }), 'age'],
  [4040, event('entity-id', { equals: 'u1' }), 'entity-id'],
  [4047, event('item', { equals: '', between: YEAR }), 'equals'],
  [4049, event('item', { equals: [], between: YEAR }), 'equals'],
  [4049, events([BOUGHT], { columns: [] }), 'columns'],
  [4053, event('item', { equals: 'x', between: LEAP }), '2016-02-30'],
];

// Aggregations and top values

const levels = (...query: unknown[]): ApiRequest => ({ path: '/v1/query/aggregation', body: { query } });
const filtered = (filter: unknown): ApiRequest => ({
  path: '/v1/query/aggregation',
  body: { filter, query: [{ name: 1 }] },
});
const top = (query: object): ApiRequest => ({ path: '/v1/query/top_values', body: { q: query } });

/** Errors that a level of an aggregation and a query of top values share. */
const LEVELS: readonly (readonly [code: Refusal[0], level: object, names: string])[] = [
  [4003, { item: 5, between: ['2020-01-01', '-5xyz'] }, '-5xyz'],
  [4007, { name: 5, age: 5 }, 'age'],
  [4008, { nothing: 5 }, 'nothing'],
  [4008, { asleep: 5 }, 'asleep'],
  [4012, { age: 5, range: [1, 2, 3] }, 'range'],
  [4014, {}, 'column'],
  [4014, { contains: ['x'] }, 'column'],
  [4016, { name: 5, contains: ['x', 5] }, 'contains'],
  [4017, { age: 5, between: YEAR }, 'between'],
  [4038, { item: 5, between: YEAR, interval: 'days' }, 'interval'],
  [4038, { home: 5, geo_near: NEAR }, 'geo_near'],
  [4039, { name: 5, lt: ['x'] }, 'lt'],
  [4044, { born: 5, gt: ['2016-02-30'] }, 'gt[0]'],
  [4047, { name: 5, 'starts-with': [''] }, 'starts-with'],
  [4048, { age: 5, in: Array.from({ length: 101 }, (_, index) => index) }, '101'],
  [4049, { name: 5, equals: [] }, 'equals'],
  [4049, { age: 5, equals: ['five'] }, 'five'],
  [4051, { name: 0 }, '1000'],
  [4051, { name: 1_001 }, '1000'],
  [4051, { name: 1.5 }, '1000'],
  [4051, { name: null }, '1000'],
  [4053, { item: 5, between: LEAP }, '2016-02-30'],
];

const AGGREGATION_REFUSALS: readonly Refusal[] = [
  ...LEVELS.map(([code, level, names]): Refusal => [code, levels(level), names]),
  ...LEVELS.filter(([, level]) => !('interval' in level)).map(
    ([code, level, names]): Refusal => [code, levels({ name: 5 }, level), names],
  ),
  [4004, { path: '/v1/query/aggregation', body: [] }, 'body'],
  [4005, levels({ item: 5 }), 'between'],
  [4005, levels({ name: 5 }, { amount: 'sum' }), 'between'],
  [4010, { path: '/v1/query/aggregation', body: {} }, 'query'],
  [4013, filtered(columnsOver(21)), '20'],
  [4015, levels(), 'query'],
  [4015, levels('name'), 'query[0]'],
  [4015, { path: '/v1/query/aggregation', body: { query: 'name' } }, 'query'],
  [4020, filtered([GOOD, GOOD]), 'filter[1]'],
  [4020, filtered([{ name: { equals: 'x' }, age: { gt: 1 } }]), 'age'],
  [4026, filtered('x'), 'filter'],
  [4027, levels({ amount: 'sum', between: YEAR, interval: 'day' }), 'day'],
  [4038, levels({ amount: 5, between: [YEAR] }), 'between'],
  [4045, levels({ age: 'mean' }), 'mean'],
  [4045, levels({ age: '9223372036854775808' }), '9223372036854775808'],
  [4046, levels({ name: 'sum' }), 'sum'],
  [4046, levels({ born: 'avg' }), 'avg'],
  [4046, levels({ age: 'count-events' }), 'count-events'],
  [4048, levels(...Array(6).fill({ name: 1 })), '5'],
  [4048, levels({ amount: 'sum', between: Array(1_001).fill(YEAR) }), '1001'],
  [4049, levels({ age: 'sum' }, { name: 5 }), 'last'],
  [
    4049,
    {
      path: '/v1/query/aggregation',
      text: `{"query":[{"name":1}],"filter":${nested(65, JSON.stringify(GOOD))}}`,
    },
    '64',
  ],
];

const TOP_REFUSALS: readonly Refusal[] = [
  ...LEVELS.map(([code, level, names]): Refusal => [code, top(level), names]),
  [4004, { path: '/v1/query/top_values', body: [] }, 'body'],
  [4004, { path: '/v1/query/top_values', body: {} }, 'query'],
  [4004, { path: '/v1/query/top_values', body: { q: 5 } }, 'q'],
  [
    4036,
    { path: '/v1/query/top_values', body: Object.fromEntries(named(101).map((name) => [name, { name: 1 }])) },
    '101',
  ],
  [4047, { path: '/v1/query/top_values', body: { '': { name: 1 } } }, 'name'],
  [4050, top({ name: 5, minfreq: 0 }), '10000'],
  [4050, top({ name: 5, minfreq: 10_001 }), '10000'],
  [4051, top({ age: 'sum' }), '1000'],
  [5008, top({ name: 5, dimension: 'nowhere' }), 'nowhere'],
];

// Extractions

const EXTRACTIONS = ['/v1/data_extraction/result', '/v1/data_extraction/score'];
/** Errors of any extraction: fields of a body in addition to a valid query and columns. */
const ROWS: readonly (readonly [code: Refusal[0], fields: object, names: string])[] = [
  [4003, { columns: [{ item: ['2020-01-01', '-5xyz'] }] }, '-5xyz'],
  [4007, { query: [GOOD, GOOD] }, 'query[1]'],
  [4008, { columns: ['nothing'] }, 'nothing'],
  [4008, { order: [{ asleep: 'asc' }] }, 'asleep'],
  [4010, { query: undefined }, 'query'],
  [4010, { columns: undefined }, 'columns'],
  [4013, { query: columnsOver(21) }, '20'],
  [4014, { query: [] }, 'query'],
  [4017, { columns: [{ age: YEAR }] }, 'age'],
  [4018, { columns: ['name', 'item'] }, 'item'],
  [4026, { query: 5 }, 'query'],
  [4028, { limit: 0 }, 'limit'],
  [4028, { limit: -1 }, 'limit'],
  [4028, { limit: '10' }, 'limit'],
  [4029, { 'page-token': 'x' }, 'page-token'],
  [4029, { 'page-token': 5 }, 'page-token'],
  [4030, { columns: named(11) }, '10'],
  [4039, { order: [{ tags: 'asc' }] }, 'tags'],
  [4039, { order: [{ home: 'desc' }] }, 'home'],
  [4040, { order: [{ item: 'asc' }] }, 'item'],
  [4048, { order: named(11).map((name) => ({ [name]: 'asc' })) }, '11'],
  [4049, { columns: [] }, 'columns'],
  [4049, { columns: 'some' }, 'columns'],
  [4049, { order: [] }, 'order'],
  [4049, { order: [{ name: 'up' }] }, 'order[0]'],
  [4049, { query: [{ home: { geo_near: NEAR } }, 'and', { home: { geo_near: NEAR } }] }, 'geo_near'],
  [4053, { columns: [{ item: LEAP }] }, '2016-02-30'],
  [4055, { query: [BOUGHT, 'or', { amount: { gt: 1, between: ['2020-01-01', '2020-12-30'] } }] }, 'dates'],
  [5008, { dimension: 'nowhere' }, 'nowhere'],
];

const EXTRACTION_REFUSALS: readonly Refusal[] = EXTRACTIONS.flatMap((path) => [
  ...ROWS.map(([code, fields, names]): Refusal => {
    return [code, { path, body: { query: [GOOD], columns: ['name'], ...fields } }, names];
  }),
  [4004, { path, body: [] }, 'body'] as const,
  [
    4028,
    { path, text: `{"query":${JSON.stringify([GOOD])},"columns":["name"],"limit":9223372036854775808.5}` },
    'limit',
  ] as const,
]);

const SCORE_REFUSALS: readonly Refusal[] = [
  [4028, { path: EXTRACTIONS[1], body: { query: [GOOD], columns: ['name'], limit: 101 } }, '100'],
];

export const ANSWER_REFUSALS: readonly Refusal[] = [
  ...EVENT_REFUSALS,
  ...AGGREGATION_REFUSALS,
  ...TOP_REFUSALS,
  ...EXTRACTION_REFUSALS,
  ...SCORE_REFUSALS,
];

// Saved queries

const save = (fields: object): ApiRequest => ({
  path: '/v1/query/saved',
  body: { name: 'fresh', type: 'count/entity', query: [GOOD], ...fields },
});

const SAVED_PATH = `/v1/query/saved/${SAVED_NAME}`;

export function savedRefusals({ reader, writer }: World): readonly Refusal[] {
  const definition = { type: 'count/entity', query: [GOOD] };
  return [
    [506, { ...save({ query: [{ age: { gt: 1 } }] }), key: reader }, 'age'],
    [507, { ...save({}), key: writer }, 'write-only'],
    [508, { method: 'DELETE', path: SAVED_PATH, key: reader }, SAVED_NAME],
    [508, { method: 'PUT', path: SAVED_PATH, key: reader, body: definition }, SAVED_NAME],
    [4006, save({ type: undefined }), 'type'],
    [4021, save({ name: undefined }), 'name'],
    [4022, save({ name: SAVED_NAME }), SAVED_NAME],
    [4023, { path: '/v1/query/saved/nothing' }, 'nothing'],
    [
      4023,
      { method: 'PUT', path: '/v1/query/saved/nothing', body: { type: 'count/entity', query: [GOOD] } },
      'nothing',
    ],
    [4023, { method: 'DELETE', path: '/v1/query/saved/nothing' }, 'nothing'],
    [9105, { method: 'DELETE', path: '/v1/segment/inner' }, 'outer'],
    [9106, { method: 'PUT', path: '/v1/segment/inner', body: { query: [{ segment: 'outer' }] } }, 'outer'],
    [4024, save({ type: 'count' }), 'count'],
    [4024, save({ type: 5 }), 'type'],
    [4033, save({ 'cache-period': 4 }), 'cache-period'],
    [4033, save({ 'cache-period': 5.5 }), 'cache-period'],
    [4033, save({ 'cache-period': '60' }), 'cache-period'],
    [4034, save({ name: 'not this' }), 'not this'],
    [4034, save({ name: 'größe' }), 'größe'],
    [4041, save({ name: '' }), '64'],
    [4041, save({ name: long(65) }), '64'],
    [4042, save({ type: 'count/entity/total', query: [5] }), 'query'],
    [4042, save({ type: 'count/entity/total', query: 'default' }), 'query'],
    [4010, save({ query: undefined }), 'query'],
    [4008, save({ query: [{ nothing: { equals: 'x' } }] }), 'nothing'],
    [4037, save({ type: 'count/event', query: [BOUGHT, 'or', BOUGHT] }), 'or'],
    [4015, save({ type: 'aggregation', query: { query: 5 } }), 'query'],
    [4051, save({ type: 'top_values', query: { q: { name: 0 } } }), '1000'],
    [4038, save({ type: 'count/entity/total', query: [], dimension: 'default' }), 'dimension'],
    [4049, save({ colour: 'red' }), 'colour'],
    [5008, save({ dimension: 'nowhere' }), 'nowhere'],
    [4051, { method: 'PUT', path: SAVED_PATH, body: { type: 'aggregation', query: [{ name: 0 }] } }, '1000'],
  ];
}
