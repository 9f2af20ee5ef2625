/** Exact sums of squares compared with BigInt: near the limit of safe squares, and for doubles of any size. */
import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { ExactSquares, FloatSquares } from '../../../../src/exec/aggregate/states/sums-squares.js';
import { UNBOUNDED } from '../../../../src/exec/query-run.js';
import { fromWire, valueAt } from '../../../../src/vector/index.js';
import { unitsOfDouble } from '../groups/group-oracle.js';

const SEED = 223_606;
t.comment(`seed ${SEED}`);

const GROUPS = 2;

function generateInteger(prng: Prng): number {
  const value = prng.pick([
    2 ** 26,
    2 ** 26 + 1,
    2 ** 27 - 1,
    2 ** 27 + 1,
    2 ** 40 + 3,
    2 ** 53 - 1,
    prng.u32(),
    7,
  ]);
  return prng.chance(0.5) ? value : -value;
}

const generateFloat = (prng: Prng): number =>
  (prng.unit() - 0.5) * 2 ** prng.pick([0, 3, 30, 449, 450, 451, 900, -449, -450, -451, -600, -1_060]);

t.test('sums of squares of integers are exact', (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 40; round++) {
    const squares = new ExactSquares(100, UNBOUNDED.child());
    const expected = new Array<bigint>(GROUPS + 1).fill(0n);
    squares.reserve(GROUPS + 1);
    for (let batch = 0; batch < 10; batch++) {
      const isSmall = prng.chance(0.3);
      const small = prng.pick([2 ** 26, 2 ** 27]);
      const numbers = Float64Array.from({ length: prng.below(100) }, () =>
        isSmall ? prng.between(-small, small) : generateInteger(prng),
      );
      const groups = Uint32Array.from(numbers, () => prng.below(GROUPS + 1));
      const wide = prng.chance(0.2);
      const values = [...numbers].map((number) => BigInt(number) * (wide ? 10n ** 20n : 1n));
      if (wide) squares.addWide(values, groups, values.length);
      else squares.add(numbers, groups, numbers.length);
      values.forEach((value, row) => {
        if (groups[row] !== 0) expected[groups[row]] += value * value;
      });
    }
    const totals = fromWire(squares.totals(GROUPS, UNBOUNDED));
    t.strictSame([valueAt(totals, 0), valueAt(totals, 1)], expected.slice(1), `round ${round}`);
  }
  t.end();
});

t.test('sums of squares of doubles are exact in units of 2^-2148', (t) => {
  const prng = new Prng(SEED + 1);
  for (let round = 0; round < 40; round++) {
    const squares = new FloatSquares(200, UNBOUNDED.child());
    const expected = new Array<bigint>(GROUPS + 1).fill(0n);
    squares.reserve(GROUPS + 1);
    const numbers = Float64Array.from({ length: 200 }, () => generateFloat(prng));
    const groups = Uint32Array.from(numbers, () => prng.below(GROUPS + 1));
    squares.add(numbers, groups, numbers.length);
    numbers.forEach((number, row) => {
      if (groups[row] !== 0) expected[groups[row]] += unitsOfDouble(number) ** 2n;
    });
    const totals = fromWire(squares.totals(GROUPS, UNBOUNDED));
    t.strictSame([valueAt(totals, 0), valueAt(totals, 1)], expected.slice(1), `round ${round}`);
  }
  t.end();
});
