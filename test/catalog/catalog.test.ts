import t from 'tap';
import { InvariantError } from '../../src/base/index.js';
import {
  applyChanges,
  type Catalog,
  customKeysOf,
  DEFAULT_PROPERTIES,
  databaseByName,
  databaseOf,
  dimensionById,
  EMPTY_CATALOG,
  groupByName,
  isPermission,
  PERMISSIONS,
  propertiesOf,
} from '../../src/catalog/index.js';
import { CHANGES, CUSTOM_KEY } from './examples.js';

/** The catalog after the last change of the given kind. */
function after(change: string): Catalog {
  const index = CHANGES.findLastIndex((one) => one.change === change);
  return applyChanges(EMPTY_CATALOG, CHANGES.slice(0, index + 1));
}

t.test('objects are found by name, and unknown names are errors', async (t) => {
  const catalog = after('group-set');
  t.equal(databaseByName(catalog, 'two')?.id, 2);
  t.equal(databaseByName(catalog, 'three'), undefined);
  t.equal(groupByName(catalog, 'renamed')?.id, 1);
  t.equal(groupByName(catalog, 'analysts'), undefined);
  t.equal(dimensionById(databaseOf(catalog, 1), 2)?.apiName, 'users');
  t.equal(dimensionById(databaseOf(catalog, 1), 9), undefined);
  t.throws(() => databaseOf(catalog, 9), InvariantError);
});

t.test('custom keys are listed per database, by name', async (t) => {
  const created = after('key-created');
  t.strictSame(customKeysOf(created, 1), new Map([['__proto__', CUSTOM_KEY]]));
  t.strictSame(customKeysOf(created, 2), new Map());
  t.strictSame([...customKeysOf(after('key-changed'), 1).keys()], ['renamed']);
});

t.test('a database created without properties has the default ones', async (t) => {
  const catalog = after('database-created');
  t.strictSame(propertiesOf(catalog, 1), DEFAULT_PROPERTIES);
  t.match(propertiesOf(catalog, 2), { labels: ['x'], createdMs: 5 });
});

t.test('only the numbers in the permission table are permissions', async (t) => {
  for (const number of Object.keys(PERMISSIONS)) t.ok(isPermission(Number(number)), number);
  for (const number of [0, -1, 1.5, 20, Number.NaN, 1e300]) t.notOk(isPermission(number), String(number));
});
