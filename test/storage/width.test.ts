import t from 'tap';
import { INT64_MAX, INT64_MIN, Prng } from '../../src/base/index.js';
import { Arena, type Width } from '../../src/storage/index.js';
import { readIntegers, widenInto, widthOfInteger, writeInteger } from '../../src/storage/width.js';

const SEED = 909;
t.comment(`seed ${SEED}`);

const low = (value: bigint): number => Number(BigInt.asUintN(32, value));
const high = (value: bigint): number => Number(BigInt.asUintN(32, value >> 32n));
const integerAt = (words: Uint32Array, index: number): bigint =>
  (BigInt(words[index * 2 + 1] | 0) << 32n) | BigInt(words[index * 2]);

/** The least width whose signed range holds the value. */
function expectedWidth(value: bigint): Width {
  for (const width of [1, 2, 4] as const) {
    const half = 2n ** BigInt(width * 8 - 1);
    if (value >= -half && value < half) return width;
  }
  return 8;
}

const edges = [7n, 8n, 15n, 16n, 31n, 32n, 63n].flatMap((bits) => {
  const power = 2n ** bits;
  return [-power - 1n, -power, -power + 1n, power - 1n, power].filter(
    (v) => v >= INT64_MIN && v <= INT64_MAX,
  );
});

t.test('an integer takes the narrowest width that represents it', async (t) => {
  const prng = new Prng(SEED);
  const random = Array.from({ length: 5_000 }, () =>
    BigInt.asIntN(64, ((BigInt(prng.u32()) << 32n) | BigInt(prng.u32())) >> BigInt(prng.below(64))),
  );
  for (const value of [0n, 1n, -1n, ...edges, ...random]) {
    if (widthOfInteger(low(value), high(value)) !== expectedWidth(value)) t.fail(`${value}`);
  }
  t.pass(`${edges.length + random.length + 3} values`);
});

t.test('integers are read back as written, in their width and widened to any greater width', async (t) => {
  const arena = new Arena(null);
  const values = [
    0n,
    -1n,
    127n,
    -128n,
    32_767n,
    -32_768n,
    2n ** 31n - 1n,
    -(2n ** 31n),
    INT64_MAX,
    INT64_MIN,
  ];
  for (const width of [1, 2, 4, 8] as const) {
    const own = values.filter((value) => expectedWidth(value) <= width);
    const from = arena.allocate(width * 128);
    if (from === null) return t.fail('no capacity');
    for (const [index, value] of own.entries())
      writeInteger(arena, from.at, width, index, low(value), high(value));
    const read = (at: number, of: Width): bigint[] => {
      const words = readIntegers(arena, at, of, own.length);
      return own.map((_, index) => integerAt(words, index));
    };
    t.strictSame(read(from.at, width), own, `width ${width}`);
    for (const wider of [2, 4, 8] as const) {
      if (wider <= width) continue;
      const to = arena.allocate(wider * 128);
      if (to === null) return t.fail('no capacity');
      widenInto('i64', from, width, to, wider, own.length);
      t.strictSame(read(to.at, wider), own, `width ${width} widened to ${wider}`);
    }
  }
});
