/** Exact sums compared with BigInt: 64-bit extremes, many additions, several slots. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import {
  addNarrow,
  addNarrowSquares,
  addStored,
  addWide,
  addWideSquares,
  ExactIntegerSums,
} from '../../../src/exec/aggregate/exact-sum.js';
import { UNBOUNDED } from '../../../src/exec/query-run.js';
import { compileKernels } from '../../../src/kernels/index.js';
import { Arena, type Width } from '../../../src/storage/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';

const SEED = 577_215;
t.comment(`seed ${SEED}`);

const SLOTS = 3;

function sumsOf(limbCount: 2 | 4): ExactIntegerSums {
  const sums = new ExactIntegerSums(limbCount, UNBOUNDED.child());
  sums.grow(1);
  sums.grow(SLOTS);
  return sums;
}

/** Values of `width` bytes. Most are extremes, mainly of one sign, so that the sums exceed every bound. */
function generate(prng: Prng, width: Width, count: number): bigint[] {
  const half = 2n ** (8n * BigInt(width) - 1n);
  const extreme = prng.pick([-half, half - 1n]);
  return Array.from({ length: count }, () => {
    const any = BigInt.asIntN(64, (BigInt(prng.u32()) << 32n) | BigInt(prng.u32()));
    return prng.pick([
      extreme,
      extreme,
      -half,
      half - 1n,
      0n,
      -1n,
      2n ** 7n - 1n,
      BigInt.asIntN(8 * width, any),
    ]);
  });
}

const wordsOf = (values: readonly bigint[]): Uint32Array =>
  new Uint32Array(BigInt64Array.from(values).buffer);

t.test('sums and sums of squares are exact for any batching of the values', async (t) => {
  const prng = new Prng(SEED);
  for (const width of [1, 4, 8] as const) {
    const [sums, squares] = [sumsOf(2), sumsOf(4)];
    const wanted = Array.from({ length: SLOTS }, () => ({ sum: 0n, squares: 0n }));
    for (let round = 0; round < 120; round++) {
      const slot = prng.below(SLOTS);
      const values = generate(prng, width, prng.pick([1, 2, 50, 4_000]));
      const from = prng.below(values.length);
      for (const value of values.slice(from)) {
        wanted[slot].sum += value;
        wanted[slot].squares += value * value;
      }
      if (width === 8) {
        addWide(sums, slot, wordsOf(values), from, values.length);
        addWideSquares(squares, slot, wordsOf(values), from, values.length);
      } else {
        const numbers = values.map(Number);
        const narrow = width === 1 ? Int8Array.from(numbers) : Int32Array.from(numbers);
        addNarrow(sums, slot, narrow, from, values.length);
        addNarrowSquares(squares, slot, narrow, from, values.length);
      }
    }
    for (let slot = 0; slot < SLOTS; slot++) {
      t.equal(sums.total(slot), wanted[slot].sum, `${width} bytes`);
      t.equal(squares.total(slot), wanted[slot].squares, `squares of ${width} bytes`);
    }
  }
});

t.test('sums of numbers that are added one by one stay exact far beyond 2^53', async (t) => {
  const sums = sumsOf(2);
  const [low, high] = [2 ** 52, -(2 ** 52) + 1];
  const times = 3_000;
  for (let time = 0; time < times; time++) sums.add(1, low, high);
  t.equal(sums.total(1), BigInt(times) * (BigInt(low) + (BigInt(high) << 32n)));
  t.equal(sums.total(0), 0n);
  const squares = sumsOf(4);
  for (let time = 0; time < times; time++) squares.addFour(2, low, high, low, high);
  const one = BigInt(low) + (BigInt(high) << 32n);
  t.equal(squares.total(2), BigInt(times) * (one + (one << 64n)));
});

for (const [kernels, module] of [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const) {
  t.test(`${kernels} kernels: values are added directly from an arena`, async (t) => {
    const prng = new Prng(SEED + 1);
    const arena = new Arena(module);
    for (const width of [1, 2, 4, 8] as const) {
      const sums = sumsOf(2);
      let wanted = 0n;
      for (let round = 0; round < 20; round++) {
        const values = generate(prng, width, prng.pick([1, 129, 3_000, 65_536]));
        const at = arena.allocate(65_536 * width)?.at as number;
        const bytes = wordsOf(values.map((value) => BigInt.asIntN(width * 8, value)));
        values.forEach((_, index) => {
          const value = new Uint8Array(bytes.buffer, index * 8, width);
          arena.u8.set(value, at + index * width);
        });
        const bitmapAt = round % 2 === 0 ? 0 : arena.scratchBitmap(0);
        const chosen = (): boolean => bitmapAt === 0 || prng.chance(0.6);
        if (bitmapAt !== 0) arena.kernels.clear(65_536, bitmapAt);
        values.forEach((value, index) => {
          if (!chosen()) return;
          wanted += value;
          if (bitmapAt !== 0) arena.u8[bitmapAt + (index >> 3)] |= 1 << (index & 7);
        });
        addStored(sums, 2, arena, width, at, bitmapAt, values.length);
      }
      t.equal(sums.total(2), wanted, `${width} bytes`);
    }
  });
}
