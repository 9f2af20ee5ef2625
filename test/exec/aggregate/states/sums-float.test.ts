/** Exact sums of doubles, compared with integers that count units of the least double. */
import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { FloatSums, unitsOf } from '../../../../src/exec/aggregate/states/sums-float.js';
import { UNBOUNDED } from '../../../../src/exec/query-run.js';
import { unitsOfDouble } from '../groups/group-oracle.js';

const SEED = 173_205;
t.comment(`seed ${SEED}`);

const LEAST = 5e-324;
const GREATEST = Number.MAX_VALUE;

function anyDouble(prng: Prng): number {
  const words = Uint32Array.of(prng.u32(), prng.u32());
  const [value] = new Float64Array(words.buffer);
  return Number.isFinite(value) ? value : prng.pick([0, -0, LEAST, -LEAST, GREATEST, -GREATEST]);
}

function sumOf(values: readonly number[]): bigint {
  const sums = new FloatSums(UNBOUNDED.child());
  sums.reserve(2);
  sums.add(Float64Array.from(values), new Uint32Array(values.length).fill(1), values.length);
  return sums.total(1);
}

t.test('the number of units of a double follows from its bits', (t) => {
  const prng = new Prng(SEED);
  const values = [0, -0, 1, LEAST, -LEAST, GREATEST, -GREATEST, 2 ** -1022, 2 ** -1022 - LEAST];
  for (let round = 0; round < 2_000; round++) values.push(anyDouble(prng));
  for (const value of values) {
    if (unitsOf(value) !== unitsOfDouble(value)) t.fail(`${value}`);
  }
  t.equal(unitsOf(LEAST), 1n);
  t.end();
});

t.test('sums of any doubles are exact in any order and for any division into parts', (t) => {
  const prng = new Prng(SEED + 1);
  for (let round = 0; round < 60; round++) {
    const draw = prng.pick([
      () => anyDouble(prng),
      () => prng.between(-1_000, 1_000) / 10,
      () => prng.pick([1e16, 1, -1e16, 2 ** -60]),
      () => prng.pick([GREATEST, GREATEST, -GREATEST, LEAST]),
    ]);
    const values = Array.from({ length: prng.below(300) }, draw);
    const expected = values.reduce((total, value) => total + unitsOfDouble(value), 0n);
    const middle = prng.below(values.length + 1);
    t.equal(sumOf(values), expected, `round ${round}`);
    t.equal(sumOf([...values].reverse()), expected, `round ${round}, in reverse order`);
    t.equal(
      sumOf(values.slice(0, middle)) + sumOf(values.slice(middle)),
      expected,
      `round ${round}, in two parts`,
    );
  }
  t.end();
});

t.test('sums are exact after more additions than limbs support without carrying', (t) => {
  const count = 400_000;
  // Each value is spilled to the limbs together with high and low: three additions.
  const values = Float64Array.from({ length: count }, (_, at) => (at % 2 === 0 ? GREATEST : -LEAST * 3));
  const sums = new FloatSums(UNBOUNDED.child());
  sums.reserve(2);
  sums.add(values, new Uint32Array(count).fill(1), count);
  const half = BigInt(count / 2);
  t.equal(sums.total(1), half * unitsOfDouble(GREATEST) - half * 3n);
  t.end();
});
