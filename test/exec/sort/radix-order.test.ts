import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { QueryRun } from '../../../src/exec/query-run.js';
import { orderBy } from '../../../src/exec/sort/radix-order.js';

const SEED = 57_721;
t.comment(`seed ${SEED}`);

const MISSING = Number.POSITIVE_INFINITY;

/** Generators of numbers: ranks, days, ties, fractions, and both ends of the range of doubles. */
const KINDS: readonly ((prng: Prng) => number)[] = [
  () => 7,
  () => MISSING,
  (prng) => prng.below(3),
  (prng) => prng.between(-1_000_000, 1_000_000),
  (prng) => prng.pick([-(2 ** 53), 2 ** 53, 2 ** 31, -(2 ** 31), 0]),
  (prng) => prng.below(2) * 2 ** 32 - 1,
  (prng) => prng.below(2) * (2 ** 32 - 2),
  (prng) => (prng.unit() - 0.5) * 10 ** prng.between(-300, 300),
  (prng) => prng.pick([0, -0, Number.MIN_VALUE, -Number.MIN_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE]),
];

t.test('the order equals that of a stable sort by the columns', async (t) => {
  const prng = new Prng(SEED);
  const run = new QueryRun(null, 0, Number.POSITIVE_INFINITY);
  for (let round = 0; round < 200; round++) {
    const count = prng.pick([0, 1, 2, 10, 300, 3_000]);
    const columns = Array.from({ length: prng.between(1, 3) }, () => {
      const kind = prng.pick(KINDS);
      const missing = prng.pick([0, 0.2]);
      return Float64Array.from({ length: count + 3 }, () => (prng.chance(missing) ? MISSING : kind(prng)));
    });
    const wanted = Array.from({ length: count }, (_, at) => at).sort((a, b) => {
      const column = columns.find((numbers) => numbers[a] !== numbers[b]);
      return column === undefined ? a - b : column[a] < column[b] ? -1 : 1;
    });
    t.strictSame([...orderBy(columns, count, run.child())], wanted, `round ${round}`);
  }
  t.equal(run.reservedBytes, 0);
});

t.test('a sort that needs too much memory is refused', async (t) => {
  const memory = new QueryRun(null, 0, 10_000).child();
  t.throws(() => orderBy([new Float64Array(1_000)], 1_000, memory), { code: 9006 });
});
