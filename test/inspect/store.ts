/**
 * A closed store with every kind of file content: two segments of columns of every kind, and a log after the
 * checkpoint.
 */
import type { Test } from 'tap';
import { copyDir, makeDir, TestStore } from '../engine/store.js';
import { jsonObject, num } from '../support/generate.js';

const visit = (value: number, date: string) => jsonObject({ value: num(value), date });

/**
 * The folder of the store. Checkpoint at LSN 3, then records 4 to 7: an insert, an update, a delete, a catalog change.
 */
export async function writeStore(t: Test): Promise<string> {
  const dir = makeDir(t);
  const first = await TestStore.open(t, dir, { logFileBytes: 2 ** 18 });
  await first.createColumns([
    jsonObject({ name: 'city', type: 'string', storage: 'latest-value', cardinality: 'low' }),
    jsonObject({ name: 'age', type: 'integer', storage: 'latest-value' }),
    jsonObject({ name: 'price', type: 'decimal', storage: 'latest-value', 'decimal-places': num(2) }),
    jsonObject({ name: 'tags', type: 'string', storage: 'list-of-values', cardinality: 'low' }),
    jsonObject({ name: 'visits', type: 'integer-event' }),
  ]);
  const body = new Map(
    Array.from({ length: 300 }, (_, index): [string, ReturnType<typeof jsonObject>] => [
      `e${String(index).padStart(3, '0')}`,
      jsonObject({
        city: `c${index % 7}`,
        age: num(9_007_199_254_740_993n),
        price: num('1.25'),
        tags: ['x', `y${index % 3}`],
        visits: [visit(index, '2016-01-03'), visit(7, '2016-01-04T05:06:07Z')],
      }),
    ]),
  );
  await first.insert(body);
  await first.engine.checkpoint();
  const inserted = jsonObject({ later: jsonObject({ city: 'Rome', visits: [visit(1, '2016-02-03')] }) });
  await first.insert(inserted, 'name-of-the-write');
  await first.mutate([jsonObject({ city: jsonObject({ equals: 'c1' }) })], jsonObject({ city: 'c9' }));
  await first.mutate([jsonObject({ city: jsonObject({ equals: 'c2' }) })], null);
  await first.apply({
    change: 'key-created',
    key: { kind: 'read', hash: 'SECRET-HASH', databaseId: 1 },
  });
  // The store is copied as a kill leaves it, because closing it would take a checkpoint.
  return copyDir(t, dir);
}
