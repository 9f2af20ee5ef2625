import t from 'tap';
import {
  applyChanges,
  type Catalog,
  type CatalogChange,
  type CustomKey,
  DEFAULT_PROPERTIES,
  EMPTY_CATALOG,
  type SavedQuery,
} from '../../../src/catalog/index.js';
import { changedThings } from '../../../src/http/observability/audit-changes.js';
import type { Column } from '../../../src/schema/index.js';

const SECRET = 'never to be told';
const column: Column = {
  ...{ id: 1, name: 'Age', apiName: 'age', description: SECRET, type: 'integer-event', storage: null },
  ...{
    cardinality: null,
    decimalPlaces: null,
    range: null,
    retentionDays: null,
    textCase: 'fold',
    active: true,
  },
};
const dimension = { id: 2, name: 'Visits', apiName: 'visits', modelType: null };
const ids = { databaseId: 1, dimensionId: 2 };
const custom: CustomKey = {
  ...{ kind: 'custom', hash: 'c1'.repeat(32), databaseId: 1, name: 'report', level: 'read-only' },
  ...{ description: SECRET, columnsWhitelist: null, addressesWhitelist: [SECRET] },
  filter: [{ dimension: 'visits', conditions: SECRET }],
};
const group = {
  ...{ id: 1, name: 'analysts', description: SECRET, labels: [], weekDays: [], accessMinutes: null },
  ...{ permissions: [1], databaseIds: [1] },
};
const user = {
  email: 'ann@example.org',
  passwordHash: SECRET,
  labels: [],
  firstName: '',
  lastName: '',
  groupId: 1,
};
const savedQuery: SavedQuery = {
  ...{ databaseId: 1, name: 'daily', type: 'aggregation', dimension: null, query: SECRET },
  ...{ cachePeriodSeconds: null, creator: null, version: 1 },
};
const relation = { id: 1, name: 'pages', columnIds: [1] };
const properties = { ...DEFAULT_PROPERTIES, description: SECRET };

/** Changes in the order in which they are made, and the names that the audit log reports for each. */
const CASES: readonly (readonly [CatalogChange, object])[] = [
  [
    { change: 'database-created', id: 1, name: 'quarry', type: 'production', properties },
    { databaseId: 1, database: 'quarry' },
  ],
  [
    { change: 'database-changed', databaseId: 1, name: 'shop', properties },
    { databaseId: 1, database: 'quarry', newName: 'shop' },
  ],
  [
    { change: 'database-changed', databaseId: 1, name: 'shop', properties },
    { databaseId: 1, database: 'shop' },
  ],
  [
    { change: 'dimension-created', databaseId: 1, dimension },
    { databaseId: 1, database: 'shop', dimension: 'visits' },
  ],
  [
    { change: 'column-created', ...ids, column },
    { databaseId: 1, database: 'shop', dimension: 'visits', column: 'age' },
  ],
  [
    { change: 'column-changed', ...ids, column },
    { databaseId: 1, database: 'shop', dimension: 'visits', column: 'age' },
  ],
  [
    { change: 'column-changed', ...ids, column: { ...column, retentionDays: 30 } },
    {
      ...{ databaseId: 1, database: 'shop', dimension: 'visits', column: 'age' },
      ...{ retentionTime: 'forever', newRetentionTime: 30 },
    },
  ],
  [
    { change: 'column-changed', ...ids, column: { ...column, retentionDays: 7 } },
    {
      ...{ databaseId: 1, database: 'shop', dimension: 'visits', column: 'age' },
      ...{ retentionTime: 30, newRetentionTime: 7 },
    },
  ],
  [
    { change: 'relation-set', ...ids, relation },
    { databaseId: 1, database: 'shop', dimension: 'visits', relation: 'pages' },
  ],
  [
    { change: 'column-deleted', ...ids, columnId: 1 },
    { databaseId: 1, database: 'shop', dimension: 'visits', column: 'age' },
  ],
  [
    { change: 'dimension-renamed', ...ids, apiName: 'seen' },
    { databaseId: 1, database: 'shop', dimension: 'visits', newName: 'seen' },
  ],
  [
    { change: 'dimension-deleted', ...ids },
    { databaseId: 1, database: 'shop', dimension: 'seen' },
  ],
  [
    { change: 'key-created', key: { kind: 'team', hash: 'a1'.repeat(32), name: 'ops', permissions: [] } },
    { key: 'team-a1a1a1a1', keyName: 'ops' },
  ],
  [
    { change: 'key-created', key: custom },
    { key: 'custom-c1c1c1c1', keyName: 'report', databaseId: 1, database: 'shop' },
  ],
  [
    { change: 'key-changed', key: custom },
    { key: 'custom-c1c1c1c1', keyName: 'report', databaseId: 1, database: 'shop' },
  ],
  [
    { change: 'key-deleted', hash: custom.hash },
    { key: 'custom-c1c1c1c1', keyName: 'report', databaseId: 1, database: 'shop' },
  ],
  [{ change: 'group-set', group }, { group: 'analysts' }],
  [
    { change: 'user-set', user },
    { email: 'ann@example.org', group: 'analysts' },
  ],
  [{ change: 'user-deleted', email: 'ann@example.org' }, { email: 'ann@example.org' }],
  [{ change: 'group-deleted', groupId: 1 }, { group: 'analysts' }],
  [
    { change: 'saved-query-set', savedQuery },
    { databaseId: 1, database: 'shop', savedQuery: 'daily' },
  ],
  [
    { change: 'saved-query-deleted', databaseId: 1, name: 'daily' },
    { databaseId: 1, database: 'shop', savedQuery: 'daily' },
  ],
  [{ change: 'account-set', state: 'banned' }, { state: 'banned' }],
  [{ change: 'retention-set', suspended: false }, { suspended: false }],
  [
    { change: 'database-deleted', databaseId: 1 },
    { databaseId: 1, database: 'shop' },
  ],
];

t.test('every kind of change is described by names only', (t) => {
  let catalog: Catalog = EMPTY_CATALOG;
  const things: unknown[] = [];
  for (const [change] of CASES) {
    things.push(...changedThings([change], catalog));
    catalog = applyChanges(catalog, [change]);
  }
  t.strictSame(
    JSON.parse(JSON.stringify(things)),
    CASES.map(([{ change }, names]) => ({ change, ...names })),
  );
  t.notMatch(JSON.stringify(things), SECRET);
  t.notMatch(JSON.stringify(things), custom.hash);
  t.end();
});

t.test('the first of thousands of changes are named, and the rest is counted', (t) => {
  const created = CASES[0][0];
  const things = changedThings(
    Array.from({ length: 1_003 }, () => created),
    EMPTY_CATALOG,
  );
  t.equal(things.length, 51);
  t.strictSame(things[50], { change: 'and-more', count: 953 });
  t.end();
});
