import t from 'tap';
import {
  applyChanges,
  type CatalogChange,
  catalogFromPlain,
  catalogToPlain,
  changeFromPlain,
  changeToPlain,
  EMPTY_CATALOG,
} from '../../src/catalog/index.js';
import { ENTITY_ID } from '../../src/schema/index.js';

const CHANGES: readonly CatalogChange[] = [
  { change: 'database-created', id: 1, name: 'one', type: 'test' },
  { change: 'key-created', key: { hash: 'ab', kind: 'team', databaseId: null } },
  {
    change: 'dimension-created',
    databaseId: 1,
    dimension: { id: 2, name: 'Users', apiName: 'users', modelType: 'fact' },
  },
  {
    change: 'column-created',
    databaseId: 1,
    dimensionId: 2,
    column: {
      ...ENTITY_ID,
      id: 1,
      apiName: 'level',
      type: 'enumerated',
      range: [-(2n ** 63n), 0n, 2n ** 63n - 1n],
    },
  },
  { change: 'dimension-deleted', databaseId: 1, dimensionId: 2 },
];

t.test('a catalog and every change come back whole from a form without Map and BigInt', async (t) => {
  for (let count = 0; count <= CHANGES.length; count++) {
    const catalog = applyChanges(EMPTY_CATALOG, CHANGES.slice(0, count));
    t.strictSame(catalogFromPlain(JSON.parse(JSON.stringify(catalogToPlain(catalog)))), catalog);
  }
  for (const change of CHANGES) {
    t.strictSame(changeFromPlain(JSON.parse(JSON.stringify(changeToPlain(change)))), change, change.change);
  }
});
