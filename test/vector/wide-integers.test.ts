/** Integers of 64 bits keep their values and their order, whatever moves or encodes them. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import {
  concat,
  exactVector64,
  gather,
  gatherIntegers,
  halvesOf,
  integersOfOrdered,
  ORDERED_MAX,
  orderedOfNumbers,
  putOrdered,
  safeNumberOf,
  slice,
  valueAt,
  vectorOf,
} from '../../src/vector/index.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);
const INTEGER = { type: 'integer' } as const;
const EDGES = [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 62n, BigInt(ORDERED_MAX) - 1n];

function generate(prng: Prng): bigint {
  const near = prng.pick(EDGES) + BigInt(prng.between(-2, 2));
  const limited = near >= BigInt(ORDERED_MAX) ? BigInt(ORDERED_MAX) - 1n : near;
  return prng.chance(0.5) ? limited : -limited;
}

t.test('ordered doubles tell 64-bit integers apart, in the same order', async (t) => {
  const prng = new Prng(SEED);
  const integers = BigInt64Array.from({ length: 5_000 }, () => generate(prng)).sort();
  const ordered = new Float64Array(integers.length);
  const halves = new Int32Array(ordered.buffer);
  const from = halvesOf(integers);
  for (let at = 0; at < from.length; at += 2) putOrdered(halves, at, from[at], from[at + 1]);
  const wrong = integers.findIndex(
    (integer, at) =>
      at > 0 &&
      (integer === integers[at - 1] ? ordered[at] !== ordered[at - 1] : !(ordered[at] > ordered[at - 1])),
  );
  t.equal(wrong, -1);
  t.strictSame(integersOfOrdered(ordered), integers);
  const numbers = Float64Array.of(-(2 ** 53 - 1), -(2 ** 32), -1, 0, 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1);
  t.strictSame(integersOfOrdered(orderedOfNumbers(numbers)), BigInt64Array.from(numbers, BigInt));
});

t.test('the halves of an integer tell whether it is safe', async (t) => {
  for (const integer of EDGES.flatMap((edge) => [edge, -edge, -edge - 1n])) {
    const [low, high] = halvesOf(BigInt64Array.of(integer));
    const isSafe = Number.isSafeInteger(Number(integer));
    t.ok(Object.is(safeNumberOf(low, high), isSafe ? Number(integer) : Number.NaN), String(integer));
  }
});

t.test('rows of wide vectors are gathered, sliced and concatenated', async (t) => {
  const prng = new Prng(SEED);
  const values = Array.from({ length: 200 }, () => generate(prng));
  const vector = exactVector64(null, BigInt64Array.from([2n ** 60n, ...values]));
  t.ok(vector.kind === 'exact' && vector.numbers === null);
  const rows = Uint32Array.from({ length: 50 }, () => prng.below(200));
  const gathered = gather(vector, rows, 50);
  const integerOf = (row: number): bigint => (row === 0 ? 2n ** 60n : values[row - 1]);
  t.strictSame(
    Array.from(rows, integerOf),
    Array.from(rows, (_, row) => valueAt(gathered, row)),
  );
  t.strictSame([...gatherIntegers([5n, 7n], Uint32Array.of(1, 0), 2)], [7n, 5n], 'also of any size');
  const part = slice(vector, 3, 9);
  t.strictSame(
    Array.from({ length: 6 }, (_, row) => valueAt(part, row)),
    Array.from({ length: 6 }, (_, row) => integerOf(row + 3)),
  );
  for (const other of [vectorOf(INTEGER, [-5n, 2n ** 40n]), vectorOf(INTEGER, [2n ** 90n, -1n])]) {
    const all = concat([other, part], INTEGER);
    t.strictSame(
      Array.from({ length: 8 }, (_, row) => valueAt(all, row)),
      [valueAt(other, 0), valueAt(other, 1), ...Array.from({ length: 6 }, (_, row) => integerOf(row + 3))],
    );
  }
  t.equal(
    exactVector64(null, BigInt64Array.of(1n, -(2n ** 53n) + 1n)).numbers?.[0],
    1,
    'numbers if all are safe',
  );
});
