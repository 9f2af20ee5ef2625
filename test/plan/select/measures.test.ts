import t from 'tap';
import { runToEnd } from '../../../src/base/index.js';
import { FLOAT, INTEGER } from '../../../src/ir/index.js';
import { mergeMemory } from '../../../src/plan/merge-memory.js';
import { GroupSums } from '../../../src/plan/select/group-sums.js';
import { avgColumn, deviationColumn, sumColumn } from '../../../src/plan/select/measures.js';
import { type SqlType, unitsOf, type Value, type Vector, valueAt } from '../../../src/vector/index.js';

const budget = mergeMemory(2 ** 24);

function sumsOf(values: readonly (number | bigint)[]): GroupSums {
  const sums = new GroupSums(values.length, budget);
  for (const [group, value] of values.entries()) sums.add(group, value);
  return sums;
}

const valuesOf = (column: Vector): Value[] =>
  Array.from({ length: column.count }, (_, row) => valueAt(column, row));

const DECIMAL: SqlType = { type: 'decimal', scale: 2 };

t.test('an average has at most six decimals, halves away from zero, for any size of the sum', async (t) => {
  // 1 / 128 = 0.0078125
  const cases = [
    [INTEGER, 1, 128, 0.007813],
    [INTEGER, -1, 128, -0.007813],
    [INTEGER, 2n ** 70n + 1n, 128, 2 ** 63],
    [INTEGER, 7, 2, 3.5],
    [INTEGER, -1, 3_000_000, 0],
    [INTEGER, 1, 1_999_999, 0.000001],
    [DECIMAL, 100, 128, 0.007813],
    [DECIMAL, -100, 128, -0.007813],
    [DECIMAL, 2n ** 60n, 1, Number('11529215046068469.76')],
    [FLOAT, unitsOf(1), 128, 0.007813],
    [FLOAT, unitsOf(-1), 128, -0.007813],
    [FLOAT, unitsOf(5e-324), 1, 0],
    [FLOAT, unitsOf(1e300), 1, 1e300],
    [INTEGER, 5, 0, null],
  ] as const;
  for (const [type, sum, count, expected] of cases) {
    const column = runToEnd(avgColumn(type, Float64Array.of(count), sumsOf([sum]), budget));
    t.strictSame(valuesOf(column), [expected], `${sum} / ${count}`);
    if (Object.is(valueAt(column, 0), -0)) t.fail(`${sum} / ${count} is negative zero`);
  }
});

t.test('a sum has the required width, and is missing over no values', async (t) => {
  const counts = Float64Array.of(1, 0, 2);
  const narrow = runToEnd(sumColumn(INTEGER, counts, sumsOf([2n ** 60n - 2n ** 60n + 3n, 8, -4]), budget));
  t.strictSame([narrow.kind === 'exact' && narrow.wide, valuesOf(narrow)], [null, [3n, null, -4n]]);
  const wide = runToEnd(sumColumn(DECIMAL, counts, sumsOf([2n ** 60n, 8, -4]), budget));
  t.strictSame([wide.kind === 'exact' && wide.numbers, valuesOf(wide)], [null, [2n ** 60n, null, -4n]]);
  const floats = [unitsOf(Number.MAX_VALUE) * 2n, unitsOf(1), unitsOf(0.1) + unitsOf(0.2)];
  const summed = runToEnd(sumColumn(FLOAT, counts, sumsOf(floats), budget));
  t.strictSame(
    valuesOf(summed),
    [null, null, 0.30000000000000004],
    'a result that is not a finite double is missing',
  );
});

t.test('a deviation is the sample deviation', async (t) => {
  const counts = Float64Array.of(1, 2, 4);
  const column = runToEnd(
    deviationColumn('stddev', DECIMAL, counts, sumsOf([5, 300, 10]), sumsOf([25, 50_000, 30]), budget),
  );
  t.strictSame(valuesOf(column), [null, Math.SQRT1_2, Math.sqrt(5 / 3) / 100]);
});
