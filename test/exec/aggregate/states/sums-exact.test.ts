/** Exact sums compared with BigInt, near the limits of safe integers and beyond. */
import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { ExactSums } from '../../../../src/exec/aggregate/states/sums-exact.js';
import { UNBOUNDED } from '../../../../src/exec/query-run.js';
import { fromWire, valueAt } from '../../../../src/vector/index.js';

const SEED = 141_421;
t.comment(`seed ${SEED}`);

const SAFE = Number.MAX_SAFE_INTEGER;
const GROUPS = 4;

const generate = (prng: Prng): number =>
  prng.pick([
    SAFE,
    SAFE,
    -SAFE,
    SAFE - 1,
    1,
    -1,
    2 ** 32,
    -(2 ** 32) - 1,
    2 ** 52 + 1,
    prng.u32(),
    -prng.u32(),
  ]);

t.test('sums of safe and wide integers are exact for every method of addition', (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 40; round++) {
    const sums = new ExactSums(UNBOUNDED.child());
    const expected = new Array<bigint>(GROUPS + 1).fill(0n);
    const counts = new Float64Array(GROUPS + 1);
    sums.reserve(2);
    sums.reserve(GROUPS + 1);
    for (let batch = 0; batch < 10; batch++) {
      const numbers = Float64Array.from({ length: prng.below(200) }, () => generate(prng));
      const groups = Uint32Array.from(numbers, () => prng.below(GROUPS + 1));
      const way = prng.below(4);
      if (way === 0) sums.add(numbers, groups, numbers.length);
      else if (way === 1) sums.addCounted(numbers, groups, numbers.length, counts);
      else if (way === 2) sums.addAll(numbers, numbers.length, 1);
      else
        sums.addWide(
          [...numbers].map((number) => BigInt(number) << 70n),
          groups,
          numbers.length,
        );
      numbers.forEach((number, row) => {
        const group = way === 2 ? 1 : groups[row];
        if (group !== 0) expected[group] += way === 3 ? BigInt(number) << 70n : BigInt(number);
      });
    }
    const totals = fromWire(sums.totals(GROUPS, UNBOUNDED));
    const found = Array.from({ length: GROUPS }, (_, group) => valueAt(totals, group));
    t.strictSame(found, expected.slice(1), `round ${round}`);
  }
  t.end();
});

t.test('the sum of a million greatest safe integers is a million times that integer', (t) => {
  const sums = new ExactSums(UNBOUNDED.child());
  sums.reserve(2);
  const numbers = new Float64Array(8_000).fill(SAFE);
  for (let batch = 0; batch < 125; batch++) sums.addAll(numbers, 8_000, 1);
  t.equal(sums.total(1), 1_000_000n * BigInt(SAFE));
  t.end();
});
