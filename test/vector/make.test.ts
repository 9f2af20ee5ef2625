import t from 'tap';
import { InvariantError } from '../../src/base/index.js';
import {
  constantVector,
  isSafe,
  type SqlType,
  type Value,
  valueAt,
  vectorOf,
} from '../../src/vector/index.js';

const LISTS: readonly { readonly type: SqlType; readonly values: readonly Value[] }[] = [
  { type: { type: 'integer' }, values: [1n, null, -5n] },
  { type: { type: 'decimal', scale: 2 }, values: [10n ** 37n, null, 2n ** 53n, 3n] },
  { type: { type: 'float' }, values: [1.5, null, -1e300] },
  { type: { type: 'boolean' }, values: [true, false, null] },
  { type: { type: 'text' }, values: ['é', null, ''] },
  { type: { type: 'date' }, values: [null, null] },
  { type: { type: 'json' }, values: [] },
];

t.test('vectors of values and constant vectors return their values', async (t) => {
  for (const { type, values } of LISTS) {
    const vector = vectorOf(type, values);
    t.equal(vector.count, values.length);
    t.strictSame(
      Array.from(values, (_, row) => valueAt(vector, row)),
      values,
    );
    for (const value of values) {
      const constant = constantVector(type, value, 5);
      t.strictSame(
        Array.from({ length: constant.count }, (_, row) => valueAt(constant, row)),
        [value, value, value, value, value],
      );
    }
  }
});

t.test('exact values are stored as numbers if and only if all are safe integers', async (t) => {
  const type: SqlType = { type: 'integer' };
  const safe = vectorOf(type, [2n ** 53n - 1n, -(2n ** 53n) + 1n, null]);
  t.ok(safe.kind === 'exact' && safe.numbers !== null && safe.wide === null);
  const wide = vectorOf(type, [1n, 2n ** 53n]);
  t.ok(wide.kind === 'exact' && wide.numbers === null && wide.wide !== null);
  t.ok(isSafe(-(2n ** 53n) + 1n) && !isSafe(-(2n ** 53n)));
});

t.test('a value of another type is a bug', async (t) => {
  t.throws(() => vectorOf({ type: 'integer' }, [1]), InvariantError);
});
