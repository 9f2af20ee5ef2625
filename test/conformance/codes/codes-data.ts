/** Requests that must be refused, by code: inserts, updates, columns and queries. */
import type { ApiRequest } from '../../support/json-client.js';
import { long, type Refusal } from './codes-general.js';
import type { World } from './codes-world.js';

const DAY_MS = 86_400_000;
const dayFrom = (nowMs: number, days: number): string =>
  new Date(nowMs + days * DAY_MS).toISOString().slice(0, 10);

const insert = (body: object): ApiRequest => ({ path: '/v1/insert', body });
/** An insert of one entity whose object is `columns`. */
const values = (columns: unknown): ApiRequest => insert({ u9: columns });
const event = (column: string, ...events: object[]): ApiRequest => values({ [column]: events });
const entities = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`e${index}`, { name: 'x' }]));
const numbered = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`new${index}`, 1]));
const set = (columns: object): ApiRequest => ({
  path: '/v1/update',
  body: { query: [{ name: { equals: 'ann' } }], set: columns },
});

/** 1,001 characters outside the basic plane, so each is one code point and two UTF-16 units. */
const SMILES = '😀'.repeat(1_001);

export function insertRefusals({ full }: World, nowMs: number): readonly Refusal[] {
  return [
    [5001, insert({ u9: { dimension: 'status', a: 1 }, 'auto-create': ['dimension', 'column'] }), 'status'],
    [2001, event('paid', { value: 1, date: dayFrom(nowMs, -40) }), dayFrom(nowMs, -40)],
    [2002, event('visit', { value: 'x', date: '1989-12-31' }), '1989-12-31'],
    [2003, insert({ '': { name: 'x' } })],
    [2004, values({ price: 1.234 }), 'price'],
    [2005, values('x'), 'u9'],
    [2005, insert({ 'unknown-field': 1 }), 'unknown-field'],
    [2006, event('visit', { value: 'x', date: dayFrom(nowMs, 2) }), dayFrom(nowMs, 2)],
    [2007, values({ age: 'ten' }), 'age'],
    [2007, values({ flag: 1 }), 'flag'],
    [2007, values({ home: [200, 0] }), 'longitude'],
    [2007, values({ seen: '2020-13-01T00:00:00Z' }), 'seen'],
    [2007, { path: '/v1/insert', text: '{"u9": {"age": 9223372036854775808}}' }, '9223372036854775808'],
    [2007, insert({ u9: { fresh: [] }, 'auto-create': ['column'] }), 'fresh'],
    [2007, insert({ u9: { name: 'x' }, 'auto-create': ['everything'] }), 'auto-create'],
    [2008, insert({ [long(1_001)]: { name: 'x' } }), '1000'],
    [2008, insert({ [SMILES]: { name: 'x' } }), '1000'],
    [2009, values({ name: long(1_001) }), 'name'],
    [2009, values({ name: SMILES }), 'name'],
    [2010, event('visit', { value: 'x', date: '1 May 2020' }), '1 May 2020'],
    [2011, values({ nothing: 1 }), 'nothing'],
    [2011, values({ asleep: 'x' }), 'asleep'],
    [2011, set({ nothing: 1 }), 'nothing'],
    [2012, insert(entities(1_001)), '1000'],
    [2013, insert({ u9: numbered(5_001), 'auto-create': ['column'] }), '5000'],
    [2014, values({ born: '2020-02-30' }), 'born'],
    [2015, values({ name: '' }), 'name'],
    [2016, event('visit', { value: 'x', place: 'y' }), 'place'],
    [2017, values({}), 'u9'],
    [2017, set({}), 'set'],
    [2018, event('visit', { date: '2020-01-01' }), 'visit'],
    [2019, { path: '/v1/insert', text: '{"u9": {"name": "x"}, "U9": {"name": "y"}}' }, 'u9'],
    [2020, values({ 'entity-id': 'u8' }), 'entity-id'],
    [2021, { path: '/v1/column', key: full, body: { name: 'fresh', type: 'string' } }, '100'],
    [2021, { ...insert({ u9: { fresh: 1 }, 'auto-create': ['column'] }), key: full }, 'fresh'],
    [2022, values({ item: [{ value: 'x' }, { value: 'y' }], amount: [{ value: 1 }] }), 'order'],
    [3007, insert({ u9: { 'Not!': 1 }, 'auto-create': ['column'] }), 'Not!'],
    [3015, insert({ u9: { [long(65)]: 1 }, 'auto-create': ['column'] }), '64'],
    [3016, values({ grade: -1 }), 'grade'],
  ];
}

const column = (fields: object): ApiRequest => ({
  path: '/v1/column',
  body: { name: 'fresh', type: 'string', ...fields },
});
const changed = (fields: object): ApiRequest => ({ method: 'PUT', path: '/v1/column', body: fields });
const relation = (fields: object): ApiRequest => ({
  path: '/v1/column/relation',
  body: { name: 'new', columns: ['visit'], ...fields },
});
const columns = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `many${index}`, type: 'string' }));

export const COLUMN_REFUSALS: readonly Refusal[] = [
  [3000, column({ name: undefined }), 'name'],
  [3000, column({ type: null }), 'type'],
  [3000, column({ type: 'enumerated' }), 'range'],
  [3000, column({ colour: 'red' }), 'colour'],
  [3000, changed({ 'api-name': 'age' }), 'active'],
  [3000, relation({ columns: 'visit' }), 'columns'],
  [3001, column({ type: 'text' }), 'text'],
  [3001, column({ type: 'unique-id' }), 'unique-id'],
  [3001, changed({ 'api-name': 'entity-id', name: 'x' }), 'entity-id'],
  [3001, relation({ columns: ['age'] }), 'age'],
  [3003, column({ name: 'age' }), 'age'],
  [3003, column({ name: 'Age' }), 'age'],
  [3003, relation({ columns: ['item'] }), 'item'],
  [3003, relation({ columns: ['visit', 'visit'] }), 'visit'],
  [3004, { path: '/v1/column', body: columns(101) }, '101'],
  [3004, relation({ columns: Array(101).fill('visit') }), '101'],
  [3005, column({ type: 'decimal', 'decimal-places': 1.5 }), 'decimal-places'],
  [3005, column({ 'decimal-places': 2 }), 'decimal-places'],
  [3006, column({ storage: 'all-values' }), 'storage'],
  [3006, column({ type: 'string-event', storage: 'latest-value' }), 'storage'],
  [3007, column({ 'api-name': 'Fresh' }), 'Fresh'],
  [3007, column({ 'api-name': 'größe' }), 'größe'],
  [3007, column({ 'api-name': 'dimension' }), 'dimension'],
  [3008, column({ name: 'größe' }), 'größe'],
  [3008, column({ name: 'say "x"' })],
  [3008, column({ name: '   ' }), '   '],
  [3007, column({ name: '(_)' }), '(_)'],
  [3008, column({ name: 'a\u0000b' })],
  [3009, column({ description: "it's" }), 'description'],
  [3010, column({ description: long(257) }), '256'],
  [3011, column({ cardinality: 'middling' }), 'cardinality'],
  [3011, column({ type: 'integer', cardinality: 'low' }), 'cardinality'],
  [3012, column({ type: 'decimal', 'decimal-places': 0 }), '20'],
  [3012, column({ type: 'decimal', 'decimal-places': 21 }), '20'],
  [3014, column({ name: long(65) }), '64'],
  [3015, column({ 'api-name': long(65) }), '64'],
  [3016, column({ type: 'enumerated', range: [1, 1] }), 'range'],
  [3016, column({ range: [1, 2] }), 'range'],
  [3017, column({ type: 'string-event', 'retention-time': 0 }), 'retention-time'],
  [3017, column({ 'retention-time': 1 }), 'retention-time'],
  [3017, changed({ 'api-name': 'age', 'retention-time': 1 }), 'event columns only'],
  [3017, changed({ 'api-name': 'visit', 'retention-time': 0 }), 'retention-time'],
  [3018, changed({ 'api-name': 'nothing', active: false }), 'nothing'],
  [3018, { method: 'DELETE', path: '/v1/column', body: { 'api-name': 'nothing' } }, 'nothing'],
  [3018, relation({ columns: ['nothing'] }), 'nothing'],
  [
    3018,
    { method: 'DELETE', path: '/v1/column/relation', body: { name: 'none', columns: ['visit'] } },
    'none',
  ],
];

const YEAR = ['2020-01-01', '2020-12-31'];
const GOOD = [{ name: { equals: 'x' } }];

/** A count with the query `query`. */
const counted = (query: unknown): ApiRequest => ({
  path: '/v1/query/count/entity',
  body: { 'query-name': 'q', query },
});
const where = (name: string, predicates: unknown): ApiRequest => counted([{ [name]: predicates }]);
const named = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({
    'query-name': `q${index}`,
    query: [{ name: { equals: 'x' } }],
  }));
const anyOf = (count: number, condition: (index: number) => object): ApiRequest =>
  counted(
    Array.from({ length: count }, (_, index) => [condition(index), 'or'])
      .flat()
      .slice(0, -1),
  );
const exists = (body: object): ApiRequest => ({ path: '/v1/query/exists/entity', body });

export const QUERY_REFUSALS: readonly Refusal[] = [
  [4003, where('visit', { equals: 'x', between: ['2020-01-01', '-3 moons'] }), '-3 moons'],
  [4004, { path: '/v1/query/count/entity', body: [5] }, 'body[0]'],
  [4004, counted([5]), 'query[0]'],
  [4005, where('visit', { equals: 'x' }), 'visit'],
  [4007, counted([{ name: { equals: 'x' } }, { age: { gt: 1 } }]), 'query[1]'],
  [4007, counted(['and']), 'and'],
  [4007, counted([{ name: { equals: 'x' }, age: { gt: 1 } }]), 'age'],
  [4008, where('nothing', { equals: 'x' }), 'nothing'],
  [4008, where('asleep', { equals: 'x' }), 'asleep'],
  [4009, where('name', {}), 'name'],
  [4010, { path: '/v1/query/count/entity', body: { 'query-name': 'q' } }, 'query'],
  [4010, { path: '/v1/update', body: { query: [{ age: { gt: 1 } }] } }, 'set'],
  [4010, where('home', { geo_radius: { longitude: 1, latitude: 1, unit: 'km' } }), 'radius'],
  [4011, where('visit', { between: YEAR }), 'visit'],
  [4012, where('age', { range: [1, 2, 3] }), 'range'],
  [4012, where('age', { range: [1, 2.5] }), 'range'],
  [4013, anyOf(21, (index) => ({ [`c${index}`]: { gt: 1 } })), '20'],
  [4014, counted([]), 'query'],
  [4014, counted([{}]), 'query[0]'],
  [4016, where('name', { contains: 5 }), 'contains'],
  [4016, where('name', { contains: ['x', 5] }), 'contains'],
  [4017, where('age', { gt: 1, between: YEAR }), 'between'],
  [4017, where('age', { gt: 1, minfreq: 2 }), 'minfreq'],
  [4019, exists({ ids: Array.from({ length: 101 }, (_, index) => `u${index}`) }), '101'],
  [4025, exists({}), 'ids'],
  [4026, counted('name = x'), 'query'],
  [4026, { path: '/v1/delete', body: { query: null } }, 'query'],
  [4031, exists({ ids: [] }), 'ids'],
  [4036, { path: '/v1/query/count/entity', body: named(11) }, '11'],
  [4038, where('home', { geo_near: { longitude: 1, latitude: 1, limit: 5 } }), 'geo_near'],
  [4039, where('name', { gt: 5 }), 'gt'],
  [4039, where('flag', { range: [true, false] }), 'range'],
  [4044, where('born', { equals: 'yesterday' }), 'born'],
  [4047, where('name', { equals: '' }), 'equals'],
  [4047, { path: '/v1/query/count/entity', body: { 'query-name': '', query: GOOD } }, 'query-name'],
  [4048, where('age', { in: Array.from({ length: 101 }, (_, index) => index) }), '101'],
  [4048, anyOf(251, () => ({ age: { gt: 1 } })), '250'],
  [4049, where('age', { near: 5 }), 'near'],
  [4049, where('age', { equals: 'five' }), 'five'],
  [4049, where('name', { equals: SMILES }), 'equals'],
  [4049, { path: '/v1/query/count/entity', body: { 'query-name': 'q', query: GOOD, cache: 1 } }, 'cache'],
  [4049, { path: '/v1/query/count/entity/total', body: { dimension: 'default' } }, 'dimension'],
  [4049, exists({ ids: ['u1', 5] }), 'ids[1]'],
  [4049, { path: '/v1/delete', body: { query: [{ age: { gt: 1 } }], limit: 1 } }, 'limit'],
  [4050, where('visit', { minfreq: 0, between: YEAR }), '10000'],
  [4050, where('visit', { minfreq: 10_001, between: YEAR }), '10000'],
  [4053, where('visit', { equals: 'x', between: ['2020-02-30', 'now'] }), '2020-02-30'],
  [4053, where('visit', { equals: 'x', between: 'today' }), 'between'],
  [4054, { path: '/v1/query/count/entity', body: [...named(1), ...named(1)] }, 'q0'],
];
