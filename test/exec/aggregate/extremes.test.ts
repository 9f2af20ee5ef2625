/** Extremes by slot compared with BigInt. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import {
  IntegerExtremes,
  offerNarrow,
  offerStored,
  offerWide,
} from '../../../src/exec/aggregate/extremes.js';
import { UNBOUNDED } from '../../../src/exec/query-run.js';
import { Arena } from '../../../src/storage/index.js';

const SEED = 693_147;
t.comment(`seed ${SEED}`);

const EXTREMES = [-(2n ** 63n), 2n ** 63n - 1n, -(2n ** 32n), 2n ** 32n - 1n, 2n ** 31n, 0n, -1n];

function extremesOf(slots: number): IntegerExtremes {
  const extremes = new IntegerExtremes(UNBOUNDED.child());
  extremes.grow(1);
  extremes.grow(slots);
  return extremes;
}

const sorted = (values: readonly bigint[]): bigint[] =>
  [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

t.test('the least and greatest value of a slot do not depend on values of other slots', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 200; round++) {
    const extremes = extremesOf(4);
    const wanted: bigint[][] = [[], [], [], []];
    for (let portion = 0; portion < 8; portion++) {
      const slot = prng.below(4);
      const isNarrow = prng.chance(0.5);
      const values = Array.from({ length: prng.between(1, 5) }, () => {
        const small = BigInt(prng.between(-3, 3));
        return isNarrow ? small : prng.pick([...EXTREMES, BigInt.asIntN(64, prng.pick(EXTREMES) + small)]);
      });
      const from = prng.below(values.length);
      wanted[slot].push(...values.slice(from));
      if (isNarrow) offerNarrow(extremes, slot, Int32Array.from(values, Number), from, values.length);
      else {
        const words = new Uint32Array(BigInt64Array.from(values).buffer);
        offerWide(extremes, slot, words, from, values.length);
      }
    }
    wanted.forEach((values, slot) => {
      if (values.length === 0) return;
      const found = [extremes.least(slot), extremes.greatest(slot)];
      const inOrder = sorted(values);
      t.strictSame(found, [inOrder[0], inOrder.at(-1)]);
    });
  }
});

t.test('an empty bitmap offers no values', async (t) => {
  const arena = new Arena(null);
  const at = arena.allocate(1_024)?.at as number;
  const bitmapAt = arena.scratchBitmap(0);
  for (const width of [1, 2, 4, 8] as const) {
    const extremes = extremesOf(1);
    offerNarrow(extremes, 0, Int32Array.of(5), 0, 1);
    arena.kernels.clear(128, bitmapAt);
    offerStored(extremes, 0, arena, width, at, bitmapAt, 100);
    t.strictSame([extremes.least(0), extremes.greatest(0)], [5n, 5n]);
    arena.u8[bitmapAt] = 1;
    offerStored(extremes, 0, arena, width, at, bitmapAt, 100);
    t.strictSame([extremes.least(0), extremes.greatest(0)], [0n, 5n]);
  }
});
