import t from 'tap';
import { DataVersions } from '../../../src/engine/write/data-versions.js';

const at = (databaseId: number, dimensionId: number) => ({ databaseId, dimensionId });

t.test('a version changes only with its own rows and with the catalog', async (t) => {
  const versions = new DataVersions();
  t.equal(versions.of(at(1, 1)), 0);
  t.equal(versions.changedMs(at(1, 1)), Number.NEGATIVE_INFINITY);
  versions.rowsChanged(5, { databaseId: 1, dimensionIds: [1, 2] }, 100);
  t.strictSame(
    [at(1, 1), at(1, 2), at(1, 3), at(2, 1)].map((key) => versions.of(key)),
    [5, 5, 0, 0],
  );
  versions.rowsChanged(6, { databaseId: 1, dimensionIds: [2] }, 200);
  t.strictSame(
    [at(1, 1), at(1, 2)].map((key) => versions.of(key)),
    [5, 6],
  );
  t.strictSame(
    [at(1, 1), at(1, 2)].map((key) => versions.changedMs(key)),
    [100, 200],
  );
  t.strictSame([versions.ofDatabase(1), versions.ofDatabase(2)], [6, 0]);
  versions.catalogChanged(7);
  t.strictSame(
    [at(1, 1), at(2, 9)].map((key) => versions.of(key)),
    [7, 7],
  );
  t.equal(versions.ofDatabase(2), 7);
  versions.forget(1);
  versions.catalogChanged(8);
  t.equal(versions.of(at(1, 2)), 8);
});
