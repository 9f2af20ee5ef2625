/**
 * A valid body for every endpoint with a body, each with names that no other endpoint's body uses. The objects that a
 * body requires are created before it is sent, and again after a changed body was accepted.
 */
import type { ErrorCode } from '../../../src/base/index.js';
import type { ApiRequest } from '../../support/json-client.js';
import type { Tree } from './codes-swaps.js';

export interface Body {
  readonly body: Tree;
  /** The code that refuses an unknown field of the body; null if the body has no fixed fields. */
  readonly unknown: ErrorCode | null;
  /** Requests to send before; they may be refused. */
  readonly before?: readonly ApiRequest[];
  /** The value of the parameter of the path, where it is not `QUERY_NAME`. */
  readonly pathName?: string;
  readonly team?: true;
}

const YEAR = ['2020-01-01', '2020-12-31'];
const plans = { 'query-load': 'normal', 'insertion-load': 'high' };
const post = (path: string, body: Tree): ApiRequest => ({ path, body });
const remove = (path: string, body: Tree): ApiRequest => ({ method: 'DELETE', path, body });
const dimension = (name: string): ApiRequest => post('/v1/dimension', { name, 'api-name': name });
const column = (name: string): ApiRequest => post('/v1/column', { name, type: 'string-event' });
const database = (name: string): ApiRequest =>
  post('/v1/database', { database: { name, type: 'test', ...plans } });
const without = (name: string): ApiRequest => remove('/v1/database', { database: { name } });
const keyOf = (name: string, more: object = {}): Tree => {
  return { 'database-name': 'quarry', 'custom-database-key': { 'key-name': name, ...more } };
};
const customKey = (name: string): ApiRequest =>
  post('/v1/database/custom_key', keyOf(name, { 'key-type': 'read-only' }));
const user = (name: string): ApiRequest =>
  post('/v1/users', { email: `${name}@example.org`, password: 'long enough' });
const group = (name: string): ApiRequest => post('/v1/permission_groups', { 'group-name': name });

/** The model of inserts, updates and queries. */
export const MODEL: readonly ApiRequest[] = [
  post('/v1/column', [
    { name: 'name', type: 'string' },
    { name: 'tags', type: 'string', storage: 'list-of-values' },
    { name: 'age', type: 'integer' },
    { name: 'price', type: 'decimal', 'decimal-places': 2 },
    { name: 'flag', type: 'boolean' },
    { name: 'born', type: 'date' },
    { name: 'seen', type: 'datetime' },
    { name: 'home', type: 'geolocation' },
    { name: 'grade', type: 'enumerated', range: [0, 10] },
    { name: 'visit', type: 'string-event' },
    { name: 'paid', type: 'decimal-event', 'decimal-places': 2 },
    { name: 'place', type: 'geolocation-event' },
  ]),
  post('/v1/insert', { u1: { name: 'ann', age: 30 } }),
];

const keyFields = {
  'key-type': 'write-read',
  description: 'a key',
  'columns-whitelist': { default: ['name', 'age'] },
  filter: { default: { age: { gt: 1 } } },
  'addresses-whitelist': ['127.0.0.1', '10.0.0.0/8'],
};
const groupFields = {
  description: 'a group',
  'allowed-permissions': [1, 2],
  'allowed-databases': ['quarry'],
  labels: ['a'],
  'week-days': ['mon', 'sun'],
  'access-hours': { from: '08:00', to: '18:00' },
};
const userFields = (groupName: string): object => ({
  labels: ['a'],
  'first-name': 'A',
  'last-name': 'B',
  'permission-group': groupName,
});

const conditions: Tree = [
  [
    'not',
    [
      { name: { equals: 'ann', contains: ['a', 'b'], 'not-in': ['x'], 'starts-with': 'a' } },
      'or',
      { tags: { contains: 'a' } },
    ],
  ],
  'and',
  { age: { range: [1, 50], gt: 1, in: [30, '31'], 'not-equals': 5 } },
  'or',
  { price: { gte: 1.5, lte: '2.25' } },
  'and',
  { flag: { equals: true } },
  'or',
  { born: { gt: '2000-01-01' } },
  'or',
  { home: { geo_radius: { longitude: 1, latitude: 2, radius: 3, unit: 'km' } } },
  'or',
  { visit: { equals: 'x', minfreq: 2, between: YEAR } },
  'or',
  {
    minfreq: 2,
    freqgroup: [{ paid: { gt: 1, between: YEAR } }, { visit: { equals: 'x', between: ['now', '-1d'] } }],
  },
  'or',
  {
    place: {
      geo_bounding_box: {
        'lower-left': { longitude: 1, latitude: 2 },
        'upper-right': { longitude: 3, latitude: 4 },
        between: YEAR,
      },
    },
  },
];

const AREA = { longitude: 1, latitude: 2, radius: 3, unit: 'mi' };
const BOX = { 'lower-left': { longitude: 1, latitude: 2 }, 'upper-right': { longitude: 3, latitude: 4 } };

const countedEvents: Tree = [
  {
    'query-name': 'q',
    dimension: 'default',
    query: [[{ visit: { equals: 'x', 'not-contains': ['a', 'b'], between: YEAR } }]],
    interval: 'days',
    'bypass-cache': true,
  },
  { 'query-name': 'p', query: [{ paid: { range: [1, 5], in: [1.5, '2'], between: ['now', '-1d'] } }] },
  { 'query-name': 'r', query: [{ place: { geo_radius: { ...AREA, between: YEAR } } }] },
];

const aggregated: Tree = {
  dimension: 'default',
  filter: conditions,
  query: [
    { name: 5, contains: ['a', 'b'], 'not-ends-with': 'x' },
    {
      age: 10,
      range: [
        [1, 5],
        [7, 50],
      ] as Tree,
      'not-equals': [3, '4'],
    },
    { home: 3, geo_radius: [AREA], geo_bounding_box: BOX },
    { visit: 1_000, between: YEAR, in: ['x'] },
    { paid: 'sum', between: YEAR, gt: 1, interval: 'weeks' },
  ],
  'bypass-cache': false,
};

const topped: Tree = {
  words: { name: 5, dimension: 'default', contains: ['a', 'b'], minfreq: 2, 'bypass-cache': true },
  visits: { visit: 1_000, between: YEAR, 'not-starts-with': ['x'] },
  grades: { grade: 3, gte: [1, '5'] },
  places: { place: 3, geo_bounding_box: [{ ...BOX, between: YEAR }] },
};

/** All of its event columns have one window. */
const extracted: Tree = {
  dimension: 'default',
  query: [
    ['not', [{ name: { equals: 'ann' } }, 'or', { tags: { contains: 'a' } }]],
    'and',
    { age: { range: [1, 50], in: [30, '31'] } },
    'or',
    {
      minfreq: 2,
      freqgroup: [{ paid: { gt: 1, between: YEAR } }, { visit: { equals: 'x', between: YEAR } }],
    },
  ],
  columns: ['entity-id', 'name', 'tags', { visit: YEAR }, { paid: ['2020-01-01', '+1m'] }],
  order: [{ name: 'asc' }, { age: 'desc' }, { 'entity-id': 'asc' }],
  limit: 50,
  'bypass-cache': true,
};

const funnelled: Tree = {
  'query-name': 'q',
  dimension: 'default',
  query: conditions,
  between: YEAR,
  'time-zone': 'Europe/Berlin',
  'week-start': 'sunday',
  steps: [
    { event: { visit: { equals: 'x' } }, name: 'first' },
    { event: [{ paid: { gt: 1 } }, { visit: {} }], optional: true, query: conditions },
    { event: { visit: {} } },
  ],
  within: '7d',
  order: 'strict',
  exclude: [{ event: { paid: { lt: 0 } }, after: 1, before: 3 }],
  attempts: 'every',
  interval: 'months',
  breakdown: { column: 'name', limit: 5 },
  histogram: 3,
  stream: ['visit'],
  'distinct-instants': true,
  'bypass-cache': true,
};

const retained: Tree = {
  'query-name': 'q',
  start: { event: { visit: { equals: 'x' } } },
  return: { event: { paid: {} } },
  between: YEAR,
  interval: 'weeks',
  brackets: [1, 3, 7],
  cohort: 'recurring',
  count: 'on-or-after',
  rolling: true,
  until: '2021-01-01',
  breakdown: { column: 'tags' },
};

const activeMonths = {
  'query-name': 'q',
  event: { visit: { equals: 'x' } },
  between: YEAR,
  interval: 'months',
  'week-start': 'friday',
};

const sequenced: Tree = {
  'query-name': 'q',
  between: YEAR,
  conditions: [{ event: { visit: { equals: 'x' } }, name: 'one' }, { event: [{ paid: {} }] }],
  pattern: '(?1)(?t<=60).*(?!2)',
};

const divided: Tree = {
  'query-name': 'q',
  between: YEAR,
  stream: ['visit', 'paid'],
  gap: '30min',
  starts: [{ event: { visit: { equals: 'x' } }, name: 'one' }],
  interval: 'months',
  breakdown: { column: 'name', limit: 5 },
};

const flowing: Tree = {
  'query-name': 'q',
  start: { event: { visit: { equals: 'x' } }, name: 'one' },
  stream: ['visit', 'paid'],
  depth: 3,
  limit: 5,
  direction: 'before',
  within: '7d',
  from: 'every',
  collapse: true,
};

const overlapping: Tree = {
  'query-name': 'q',
  query: conditions,
  segments: [
    { name: 'one', query: conditions },
    { name: 'two', query: conditions },
  ],
};

const saved = (name: string): ApiRequest =>
  post('/v1/query/saved', { name, type: 'count/entity', query: [{ name: { equals: 'x' } }] });

const segment = (name: string, members: object): ApiRequest => post('/v1/segment', { name, ...members });

/** Another segment than that of `PUT /v1/segment/:segment_name`, which would turn it into one with a query meanwhile. */
const STATIC_NAME = 'listed';
const STATIC = { pathName: STATIC_NAME, before: [segment(STATIC_NAME, { ids: [] })] };

const MEMBER = { email: 'member@example.org', password: 'long enough' };

/** The value of the parameter of a path, unless a body names another. */
export const QUERY_NAME = 'changed';

/** Keys are the names of endpoints; endpoints that ignore their body are omitted. */
export const BODIES: Readonly<Record<string, Body>> = {
  'POST /v1/dimension': {
    body: [{ name: 'Made', 'api-name': 'made', 'relational-model-type': 'fact' }],
    unknown: 5007,
    before: [remove('/v1/dimension', { 'api-name': 'made' })],
  },
  'DELETE /v1/dimension': {
    body: { 'api-name': 'doomed' },
    unknown: 5007,
    before: [dimension('doomed')],
  },
  'POST /v1/column': {
    body: [
      {
        name: 'Made',
        'api-name': 'made',
        type: 'string',
        description: 'x',
        dimension: 'default',
        storage: 'latest-value',
        cardinality: 'low',
      },
      { name: 'made-number', type: 'decimal', 'decimal-places': 2 },
      { name: 'made-rank', type: 'enumerated', range: [1, 2] },
      { name: 'made-event', type: 'integer-event', 'retention-time': 30 },
    ],
    unknown: 3000,
    before: ['made', 'made-number', 'made-rank', 'made-event'].map((name) =>
      remove('/v1/column', { 'api-name': name }),
    ),
  },
  'PUT /v1/column': {
    body: { 'api-name': 'renamed', dimension: 'default', name: 'New', description: 'x', active: true },
    unknown: 3000,
    before: [column('renamed')],
  },
  'DELETE /v1/column': {
    body: { 'api-name': 'doomed', dimension: 'default' },
    unknown: 3000,
    before: [column('doomed')],
  },
  'POST /v1/column/relation': {
    body: { name: 'made', columns: ['bound-1', 'bound-2'], dimension: 'default' },
    unknown: 3000,
    before: [column('bound-1'), column('bound-2')],
  },
  'DELETE /v1/column/relation': {
    body: { name: 'doomed', columns: ['loose'], dimension: 'default' },
    unknown: 3000,
    before: [column('loose'), post('/v1/column/relation', { name: 'doomed', columns: ['loose'] })],
  },
  'POST /v1/insert': {
    body: {
      i1: {
        dimension: 'default',
        name: 'x',
        tags: ['a', 'b'],
        age: 5,
        price: 1.25,
        flag: true,
        born: '2020-01-02',
        seen: '2020-01-02T03:04:05Z',
        home: [1.5, 2],
        grade: 5,
        visit: [{ value: 'x', date: '2020-01-01' }, { value: 'y' }],
        paid: { value: 1.5, date: '2020-01-01T00:00:00Z' },
        place: [{ value: [1, 2], date: '2020-01-01' }],
      },
      i2: { age: 7 },
      'auto-create': ['dimension'],
    },
    unknown: null,
  },
  'POST /v1/quarantine/retry': {
    body: { dimension: 'default' },
    unknown: 4049,
    before: [
      post('/v1/insert', {
        'auto-create': ['dimension', 'column'],
        refused: {
          ...{ dimension: 'default-quarantine', line: ['retried'], header: ['id'], parameters: ['id=id'] },
          received: '2026-01-05T10:00:00Z',
        },
      }),
    ],
  },
  'POST /v1/update': {
    body: {
      dimension: 'default',
      query: [{ name: { equals: 'updated' } }],
      set: { age: 5, tags: ['a'], price: 1.5, home: [1, 2], visit: [{ value: 'x', date: '2020-01-01' }] },
    },
    unknown: 4049,
    before: [post('/v1/insert', { updated: { name: 'updated' } })],
  },
  'POST /v1/delete': {
    body: { dimension: 'default', query: [{ name: { equals: 'deleted' } }] },
    unknown: 4049,
    before: [post('/v1/insert', { deleted: { name: 'deleted' } })],
  },
  'POST /v1/query/count/entity': {
    body: [{ 'query-name': 'q', dimension: 'default', query: conditions, 'bypass-cache': true }],
    unknown: 4049,
  },
  'POST /v1/query/count/entity/total': { body: { dimensions: ['default'] }, unknown: 4049 },
  'POST /v1/query/exists/entity': { body: { ids: ['u1', 'u2'], dimension: 'default' }, unknown: 4049 },
  'POST /v1/query/count/event': { body: countedEvents, unknown: 4049 },
  'POST /v1/query/count/events': {
    body: { 'query-name': 'q', query: [{ visit: { equals: 'x', between: YEAR } }] },
    unknown: 4049,
  },
  'POST /v1/query/aggregation': { body: aggregated, unknown: 4049 },
  'POST /v1/query/top_values': { body: topped, unknown: null },
  'POST /v1/query/funnel': { body: funnelled, unknown: 4049 },
  'POST /v1/query/retention': { body: retained, unknown: 4049 },
  'POST /v1/query/lifecycle': { body: activeMonths, unknown: 4049 },
  'POST /v1/query/stickiness': { body: [activeMonths], unknown: 4049 },
  'POST /v1/query/actives': { body: { ...activeMonths, rolling: 3 }, unknown: 4049 },
  'POST /v1/query/sequence': { body: sequenced, unknown: 4049 },
  'POST /v1/query/sessions': { body: divided, unknown: 4049 },
  'POST /v1/query/flow': { body: flowing, unknown: 4049 },
  'POST /v1/query/overlap': { body: overlapping, unknown: 4049 },
  'POST /v1/query/compare': { body: { ...overlapping, columns: ['name', 'visit'], limit: 5 }, unknown: 4049 },
  'POST /v1/query/timeline': {
    body: { 'query-name': 'q', 'entity-id': 'x', columns: ['visit'], between: YEAR, limit: 5 },
    unknown: 4049,
  },
  'POST /v1/data_extraction/result': { body: extracted, unknown: 4049 },
  'POST /v1/data_extraction/score': { body: extracted, unknown: 4049 },
  'POST /v1/query/saved': {
    body: {
      name: 'made',
      type: 'aggregation',
      dimension: 'default',
      query: { filter: [{ name: { equals: 'x' } }], query: [{ name: 5 }, { age: 'sum' }] },
      'cache-period': 60,
    },
    unknown: 4049,
    before: ['made', '9223372036854775807', 'x'].map((name) => remove(`/v1/query/saved/${name}`, {})),
  },
  'PUT /v1/query/saved/:query_name': {
    body: {
      type: 'count/event',
      dimension: 'default',
      query: [{ visit: { equals: 'x', between: YEAR } }],
      'cache-period': 60,
    },
    unknown: 4049,
    before: [saved(QUERY_NAME)],
  },
  'POST /v1/segment': {
    body: { name: 'made', dimension: 'default', query: [{ name: { equals: 'x' } }] },
    unknown: 4049,
    before: ['made', '9223372036854775807', 'x'].map((name) => remove(`/v1/segment/${name}`, {})),
  },
  'PUT /v1/segment/:segment_name': {
    body: { dimension: 'default', query: [{ name: { equals: 'x' } }] },
    unknown: 4049,
    before: [segment(QUERY_NAME, { query: [{ name: { equals: 'y' } }] })],
  },
  'POST /v1/segment/:segment_name/ids': { body: { ids: ['u1', 'u2'] }, unknown: 4049, ...STATIC },
  'DELETE /v1/segment/:segment_name/ids': { body: { ids: ['u1'] }, unknown: 4049, ...STATIC },
  'POST /v1/database': {
    body: {
      database: {
        name: 'made',
        description: 'x',
        type: 'production',
        'pricing-model': 'smart-pricing',
        labels: ['a'],
        ...plans,
        cloud_provider: 'azure',
        cloud_area: 'eu-west',
      },
      'addresses-whitelist': ['127.0.0.1'],
    },
    unknown: 8000,
    before: [without('made')],
    team: true,
  },
  'PUT /v1/database': {
    body: {
      database: {
        name: 'old',
        'new-database-name': 'new',
        description: 'x',
        type: 'test',
        labels: ['a'],
        ...plans,
        cloud_provider: 'ovh',
        cloud_area: 'global',
      },
      'addresses-whitelist': ['127.0.0.1'],
    },
    unknown: 8000,
    before: [without('new'), without('plain text'), database('old')],
    team: true,
  },
  'DELETE /v1/database': {
    body: { database: { name: 'doomed' } },
    unknown: 8000,
    before: [database('doomed')],
    team: true,
  },
  'POST /v1/database/custom_key': {
    body: keyOf('made', keyFields as object),
    unknown: 8000,
    before: [remove('/v1/database/custom_key', keyOf('made'))],
    team: true,
  },
  'PUT /v1/database/custom_key': {
    body: keyOf('old', { 'new-key-name': 'new', ...keyFields }),
    unknown: 8000,
    before: [
      ...['new', 'plain text', 'ü'].map((name) => remove('/v1/database/custom_key', keyOf(name))),
      customKey('old'),
    ],
    team: true,
  },
  'DELETE /v1/database/custom_key': {
    body: keyOf('doomed'),
    unknown: 8000,
    before: [customKey('doomed')],
    team: true,
  },
  'POST /v1/users': {
    body: { email: 'made@example.org', password: 'long enough', ...userFields('of-made') },
    unknown: 7050,
    before: [group('of-made'), remove('/v1/users', { email: 'made@example.org' })],
    team: true,
  },
  'PUT /v1/users': {
    body: { email: 'changed@example.org', ...userFields('of-changed') },
    unknown: 7050,
    before: [group('of-changed'), user('changed')],
    team: true,
  },
  'DELETE /v1/users': {
    body: { email: 'doomed@example.org' },
    unknown: 7050,
    before: [user('doomed')],
    team: true,
  },
  'POST /v1/permission_groups': {
    body: { 'group-name': 'made', ...groupFields },
    unknown: 7000,
    before: [remove('/v1/permission_groups', { 'group-name': 'made' })],
    team: true,
  },
  'PUT /v1/permission_groups': {
    body: { 'group-name': 'old', 'new-group-name': 'new', ...groupFields },
    unknown: 7000,
    before: [
      ...['new', 'plain text', 'ü'].map((name) => remove('/v1/permission_groups', { 'group-name': name })),
      group('old'),
    ],
    team: true,
  },
  'DELETE /v1/permission_groups': {
    body: { 'group-name': 'doomed' },
    unknown: 7000,
    before: [group('doomed')],
    team: true,
  },
  'POST /v1/session': {
    body: { ...MEMBER, 'database-name': 'quarry' },
    unknown: 7050,
    before: [
      post('/v1/permission_groups', { 'group-name': 'members', 'allowed-databases': ['quarry'] }),
      post('/v1/users', { ...MEMBER, 'permission-group': 'members' }),
    ],
    team: true,
  },
};
