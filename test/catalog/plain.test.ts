import t from 'tap';
import {
  applyChanges,
  type Catalog,
  type CatalogChange,
  catalogFromPlain,
  catalogToPlain,
  changeFromPlain,
  changeToPlain,
  DEFAULT_PROPERTIES,
  EMPTY_CATALOG,
} from '../../src/catalog/index.js';
import { ENTITY_ID } from '../../src/schema/index.js';
import { CHANGES } from './examples.js';

const throughText = (plain: unknown): unknown => JSON.parse(JSON.stringify(plain));

/** The keys of the catalog's maps, in order. */
const orderOf = ({ databases, keys, users, groups, savedQueries }: Catalog): unknown =>
  [databases, keys, users, groups, savedQueries, ...savedQueries.values()].map((map) => [...map.keys()]);

t.test('a catalog and every change survive conversion to a form without Map and BigInt', async (t) => {
  for (let count = 0; count <= CHANGES.length; count++) {
    const catalog = applyChanges(EMPTY_CATALOG, CHANGES.slice(0, count));
    const found = catalogFromPlain(throughText(catalogToPlain(catalog)));
    t.strictSame(found, catalog, `after ${count} changes`);
    t.strictSame(orderOf(found), orderOf(catalog));
  }
  for (const change of CHANGES) {
    t.strictSame(changeFromPlain(throughText(changeToPlain(change))), change, change.change);
  }
});

t.test('replaying changes from their plain form gives the same catalog', async (t) => {
  const replayed = CHANGES.map((change) => changeFromPlain(throughText(changeToPlain(change))));
  t.strictSame(applyChanges(EMPTY_CATALOG, replayed), applyChanges(EMPTY_CATALOG, CHANGES));
});

/**
 * A catalog as the first stores wrote it: no relations, properties, users, groups, account or saved queries, and only
 * the hash of a team key.
 */
const { textCase: _, ...FIRST_COLUMN } = ENTITY_ID;
const FIRST_CATALOG = {
  version: 4,
  nextDatabaseId: 2,
  databases: [
    {
      ...{ id: 1, name: 'quarry', type: 'production', version: 2, shrinkVersion: 1 },
      ...{ nextDimensionId: 2, nextColumnId: 2 },
      dimensions: [
        {
          ...{ id: 1, name: 'default', apiName: 'default', modelType: null },
          columns: [
            FIRST_COLUMN,
            { ...FIRST_COLUMN, id: 1, apiName: 'level', type: 'enumerated', range: ['-1', '9'] },
          ],
        },
      ],
    },
  ],
  keys: [
    { hash: 'aa', kind: 'team', databaseId: null },
    { hash: 'ab', kind: 'master', databaseId: 1 },
  ],
};

t.test('a catalog of the first format is read with defaults for missing fields', async (t) => {
  const catalog = catalogFromPlain(FIRST_CATALOG);
  const { databases, keys, ...rest } = catalog;
  t.strictSame(rest, {
    ...{ version: 4, nextDatabaseId: 2, nextGroupId: 1, accountState: 'active', retentionSuspended: false },
    properties: new Map([[1, DEFAULT_PROPERTIES]]),
    users: new Map(),
    groups: new Map(),
    savedQueries: new Map(),
  });
  const dimension = databases.get(1)?.dimensions.get('default');
  t.strictSame(dimension?.relations, new Map());
  t.strictSame(dimension?.columns.get('level')?.range, [-1n, 9n]);
  const cases = [databases.get(1), dimension, dimension?.columns.get('level')].map((of) => of?.textCase);
  t.strictSame(cases, ['fold', 'fold', 'fold']);
  t.match(keys.get('aa'), { kind: 'team', name: 'first', permissions: ['list', 'update', 'delete'] });
  t.strictSame(keys.get('ab'), { hash: 'ab', kind: 'master', databaseId: 1 });
  t.strictSame(catalogFromPlain(throughText(catalogToPlain(catalog))), catalog);
});

t.test('changes of the first format apply unchanged, and new ones after them', async (t) => {
  const first: readonly unknown[] = [
    { change: 'database-created', id: 1, name: 'quarry', type: 'production' },
    { change: 'key-created', key: { hash: 'aa', kind: 'team', databaseId: null } },
    {
      change: 'dimension-created',
      databaseId: 1,
      dimension: { id: 2, name: 'Users', apiName: 'users', modelType: null },
    },
    {
      change: 'column-created',
      databaseId: 1,
      dimensionId: 2,
      column: { ...ENTITY_ID, id: 1, apiName: 'e', type: 'string-event', range: null },
    },
  ];
  const relation = { id: 2, name: 'r', columnIds: [1] };
  const later: readonly CatalogChange[] = [
    { change: 'relation-set', databaseId: 1, dimensionId: 2, relation },
    { change: 'account-set', state: 'disabled' },
  ];
  const catalog = applyChanges(EMPTY_CATALOG, [...first.map(changeFromPlain), ...later]);
  t.match(catalog.keys.get('aa'), { name: 'first', permissions: ['list', 'update', 'delete'] });
  t.strictSame(catalog.properties.get(1), DEFAULT_PROPERTIES);
  t.strictSame(catalog.databases.get(1)?.dimensions.get('users')?.relations, new Map([['r', relation]]));
  t.equal(catalog.accountState, 'disabled');
});
