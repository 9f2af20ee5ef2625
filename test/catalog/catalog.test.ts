import t from 'tap';
import { InvariantError } from '../../src/base/index.js';
import {
  applyChange,
  applyChanges,
  type Catalog,
  type CatalogChange,
  databaseOf,
  dimensionById,
  EMPTY_CATALOG,
} from '../../src/catalog/index.js';
import { type Column, ENTITY_ID } from '../../src/schema/index.js';

const column = (id: number, apiName: string): Column => ({
  ...ENTITY_ID,
  id,
  apiName,
  name: apiName,
  type: 'integer',
});
const CHANGES: readonly CatalogChange[] = [
  { change: 'database-created', id: 1, name: 'one', type: 'production' },
  { change: 'key-created', key: { hash: 'ab', kind: 'master', databaseId: 1 } },
  {
    change: 'dimension-created',
    databaseId: 1,
    dimension: { id: 2, name: 'Users', apiName: 'users', modelType: 'fact' },
  },
  { change: 'column-created', databaseId: 1, dimensionId: 2, column: column(1, 'a') },
  { change: 'column-created', databaseId: 1, dimensionId: 1, column: column(2, 'b') },
  { change: 'dimension-deleted', databaseId: 1, dimensionId: 2 },
  {
    change: 'dimension-created',
    databaseId: 1,
    dimension: { id: 3, name: 'Users', apiName: 'users', modelType: null },
  },
];

t.test(
  'changes applied one by one and at once give the same catalog, and no version is altered later',
  async (t) => {
    const versions: Catalog[] = [EMPTY_CATALOG];
    const texts: string[] = [];
    const textOf = (catalog: Catalog): string =>
      JSON.stringify(catalog, (_, value) => (value instanceof Map ? [...value] : value));
    for (const change of CHANGES) {
      texts.push(textOf(versions[versions.length - 1]));
      versions.push(applyChange(versions[versions.length - 1], change));
    }
    t.strictSame(applyChanges(EMPTY_CATALOG, CHANGES), versions[CHANGES.length]);
    t.strictSame(versions.slice(0, -1).map(textOf), texts);
    t.strictSame(
      versions.map(({ version }) => version),
      [0, 1, 2, 3, 4, 5, 6, 7],
    );
  },
);

t.test('ids go up and are never given twice, and taking away is marked as shrinking', async (t) => {
  const model = databaseOf(applyChanges(EMPTY_CATALOG, CHANGES), 1);
  t.strictSame([...model.dimensions.keys()], ['default', 'users']);
  t.strictSame([model.nextDimensionId, model.nextColumnId], [4, 3]);
  t.equal(dimensionById(model, 2), undefined);
  t.strictSame([...(dimensionById(model, 3)?.columns.keys() ?? [])], ['entity-id']);
  t.strictSame([...(dimensionById(model, 1)?.columns.keys() ?? [])], ['entity-id', 'b']);
  const shrunk = databaseOf(applyChanges(EMPTY_CATALOG, CHANGES.slice(0, 6)), 1);
  t.equal(shrunk.shrinkVersion, shrunk.version);
  t.equal(model.shrinkVersion, shrunk.shrinkVersion);
  t.equal(model.version, shrunk.version + 1);
});

t.test('a change that names what is not there is a bug, not an answer', async (t) => {
  const catalog = applyChanges(EMPTY_CATALOG, CHANGES);
  const bad: readonly CatalogChange[] = [
    { change: 'dimension-deleted', databaseId: 1, dimensionId: 2 },
    { change: 'column-created', databaseId: 1, dimensionId: 9, column: column(9, 'x') },
    { change: 'dimension-deleted', databaseId: 5, dimensionId: 1 },
  ];
  for (const change of bad) t.throws(() => applyChange(catalog, change), InvariantError);
});
