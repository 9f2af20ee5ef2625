/** Changes of every kind, in an order in which they apply one after another. */
import {
  type ApiKey,
  type CatalogChange,
  type CustomKey,
  DEFAULT_PROPERTIES,
  type PermissionGroup,
  type SavedQuery,
  type User,
} from '../../src/catalog/index.js';
import { type Column, ENTITY_ID } from '../../src/schema/index.js';

export const columnWith = (id: number, apiName: string, more: Partial<Column> = {}): Column => ({
  ...ENTITY_ID,
  id,
  apiName,
  name: apiName,
  type: 'integer',
  ...more,
});

export const CUSTOM_KEY: CustomKey = {
  kind: 'custom',
  hash: 'c0',
  databaseId: 1,
  name: '__proto__',
  level: 'write-read',
  description: 'a key',
  columnsWhitelist: [{ dimension: 'users', columns: ['level', '__proto__'] }],
  filter: [{ dimension: 'users', conditions: '{"level":{"equals":9007199254740993}}' }],
  addressesWhitelist: ['10.0.0.0/8', 'example.org'],
};

export const USER: User = {
  email: 'ann@example.org',
  passwordHash: 'scrypt$…',
  labels: ['one', 'two'],
  firstName: 'Ann',
  lastName: 'Δ',
  groupId: 1,
};

export const GROUP: PermissionGroup = {
  id: 1,
  name: 'analysts',
  description: '',
  permissions: [1, 6],
  databaseIds: [1],
  labels: [],
  weekDays: ['mon', 'sun'],
  accessMinutes: { from: 1320, to: 360 },
};

export const SAVED_QUERY: SavedQuery = {
  databaseId: 1,
  name: 'daily',
  type: 'count/entity',
  dimension: 'users',
  query: '[{"level":{"equals":9007199254740993}}]',
  cachePeriodSeconds: 5,
  creator: 'c0',
  version: 5,
};

const TEAM_KEY: ApiKey = { kind: 'team', hash: 'aa', name: 'ops', permissions: ['list'] };
const PROPERTIES = {
  ...DEFAULT_PROPERTIES,
  labels: ['x'],
  addressesWhitelist: ['::1'],
  createdMs: 5,
  updatedMs: 5,
};

export const CHANGES: readonly CatalogChange[] = [
  { change: 'database-created', id: 1, name: 'one', type: 'production' },
  { change: 'database-created', id: 2, name: 'two', type: 'test', properties: PROPERTIES },
  { change: 'key-created', key: TEAM_KEY },
  { change: 'key-created', key: { kind: 'master', hash: 'ab', databaseId: 1 } },
  { change: 'key-created', key: { kind: 'demo', hash: 'ac', databaseId: 2 } },
  { change: 'key-created', key: CUSTOM_KEY },
  { change: 'key-changed', key: { ...CUSTOM_KEY, name: 'renamed', columnsWhitelist: null, filter: [] } },
  {
    change: 'dimension-created',
    databaseId: 1,
    dimension: { id: 2, name: 'Users', apiName: 'users', modelType: 'fact' },
  },
  {
    change: 'column-created',
    databaseId: 1,
    dimensionId: 2,
    column: columnWith(1, 'level', { type: 'enumerated', range: [-(2n ** 63n), 0n, 2n ** 63n - 1n] }),
  },
  {
    change: 'column-created',
    databaseId: 1,
    dimensionId: 2,
    column: columnWith(2, 'visits', { type: 'string-event', storage: null, retentionDays: 30 }),
  },
  {
    change: 'column-created',
    databaseId: 1,
    dimensionId: 2,
    column: columnWith(3, 'buys', { type: 'integer-event' }),
  },
  {
    change: 'column-changed',
    databaseId: 1,
    dimensionId: 2,
    column: columnWith(1, 'level', {
      type: 'enumerated',
      range: [-(2n ** 63n), 0n, 2n ** 63n - 1n],
      active: false,
      description: 'asleep',
    }),
  },
  {
    change: 'relation-set',
    databaseId: 1,
    dimensionId: 2,
    relation: { id: 4, name: '__proto__', columnIds: [3, 2] },
  },
  { change: 'relation-set', databaseId: 1, dimensionId: 2, relation: { id: 5, name: 'gone', columnIds: [] } },
  { change: 'column-deleted', databaseId: 1, dimensionId: 2, columnId: 3 },
  { change: 'group-set', group: GROUP },
  { change: 'user-set', user: USER },
  { change: 'user-set', user: { ...USER, email: 'bob@example.org', groupId: null } },
  { change: 'group-set', group: { ...GROUP, name: 'renamed', weekDays: [], accessMinutes: null } },
  { change: 'database-changed', databaseId: 2, name: 'deux', properties: { ...PROPERTIES, updatedMs: 9 } },
  { change: 'account-set', state: 'suspended' },
  { change: 'retention-set', suspended: true },
  { change: 'user-deleted', email: 'bob@example.org' },
  { change: 'group-deleted', groupId: 1 },
  { change: 'saved-query-set', savedQuery: SAVED_QUERY },
  {
    change: 'saved-query-set',
    savedQuery: { ...SAVED_QUERY, name: '2', type: 'top_values', dimension: null, creator: null },
  },
  { change: 'saved-query-set', savedQuery: { ...SAVED_QUERY, databaseId: 2 } },
  {
    change: 'saved-query-set',
    savedQuery: { ...SAVED_QUERY, query: '[]', cachePeriodSeconds: null, version: 27 },
  },
  { change: 'saved-query-deleted', databaseId: 1, name: '2' },
  { change: 'saved-query-deleted', databaseId: 2, name: 'daily' },
  { change: 'dimension-renamed', databaseId: 1, dimensionId: 2, apiName: 'other' },
  {
    ...({ change: 'segment-set', databaseId: 1, dimensionId: 2, replaces: null } as const),
    segment: { id: 5, name: 'vips', query: null, creator: 'ab' },
  },
  {
    ...({ change: 'segment-set', databaseId: 1, dimensionId: 2, replaces: 5 } as const),
    segment: { id: 6, name: 'vips', query: '[{"level":{"gt":1}}]', creator: 'ab' },
  },
  {
    ...({ change: 'segment-set', databaseId: 1, dimensionId: 2, replaces: null } as const),
    segment: { id: 7, name: '__proto__', query: null, creator: null },
  },
  { change: 'segment-deleted', databaseId: 1, dimensionId: 2, name: 'vips', segmentId: 6 },
  { change: 'dimension-deleted', databaseId: 1, dimensionId: 2 },
  { change: 'key-deleted', hash: 'aa' },
  { change: 'database-deleted', databaseId: 1 },
];
