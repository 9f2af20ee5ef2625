import t from 'tap';
import { INT64_MAX, INT64_MIN, Prng } from '../../src/base/index.js';
import type { Kernels } from '../../src/kernels/index.js';
import { bitmapBytes } from '../../src/kernels/index.js';
import { ROW_COUNTS, TwinArena, validities } from './twin-arena.js';

const SEED = 20_001;
t.comment(`seed ${SEED}`);

type Value = number | bigint;

interface Case {
  readonly kind: 'i64' | 'i32' | 'i16' | 'i8' | 'u32';
  readonly extremes: readonly Value[];
  random(prng: Prng): Value;
  run(
    kernels: Kernels,
    values: number,
    validity: number,
    n: number,
    low: Value,
    high: Value,
    negated: boolean,
    out: number,
  ): number;
}

const CASES: Case[] = [
  {
    kind: 'i64',
    extremes: [
      INT64_MIN,
      INT64_MIN + 1n,
      -(2n ** 32n),
      -1n,
      0n,
      1n,
      2n ** 31n,
      2n ** 32n,
      INT64_MAX - 1n,
      INT64_MAX,
    ],
    random: (prng) => BigInt.asIntN(64, (BigInt(prng.u32()) << 32n) | BigInt(prng.u32())),
    run: (k, values, validity, n, low, high, negated, out) =>
      k.rangeI64(values, validity, n, low as bigint, high as bigint, negated, out),
  },
  {
    kind: 'i32',
    extremes: [-(2 ** 31), -(2 ** 31) + 1, -1, 0, 1, 2 ** 31 - 2, 2 ** 31 - 1],
    random: (prng) => prng.u32() | 0,
    run: (k, values, validity, n, low, high, negated, out) =>
      k.rangeI32(values, validity, n, low as number, high as number, negated, out),
  },
  {
    kind: 'i16',
    extremes: [-32_768, -32_767, -1, 0, 1, 32_766, 32_767],
    random: (prng) => (prng.u32() << 16) >> 16,
    run: (k, values, validity, n, low, high, negated, out) =>
      k.rangeI16(values, validity, n, low as number, high as number, negated, out),
  },
  {
    kind: 'i8',
    extremes: [-128, -127, -1, 0, 1, 126, 127],
    random: (prng) => (prng.u32() << 24) >> 24,
    run: (k, values, validity, n, low, high, negated, out) =>
      k.rangeI8(values, validity, n, low as number, high as number, negated, out),
  },
  {
    kind: 'u32',
    extremes: [0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1],
    random: (prng) => prng.u32(),
    run: (k, values, _validity, n, low, high, _negated, out) =>
      k.rangeU32(values, n, low as number, high as number, out),
  },
];

for (const { kind, extremes, random, run } of CASES) {
  t.test(`a range over ${kind} keeps the rows that a comparison of each row keeps`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    const plain = kind === 'u32';
    let checked = 0;
    for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
      const rows = Array.from({ length: n }, () => (prng.chance(0.6) ? prng.pick(extremes) : random(prng)));
      const bounds: [Value, Value][] = [
        [extremes[0], extremes[extremes.length - 1]],
        [extremes[0], extremes[0]],
        [extremes[extremes.length - 1], extremes[extremes.length - 1]],
      ];
      for (let i = 0; i < 6; i++) {
        const a = prng.chance(0.5) ? prng.pick(extremes) : random(prng);
        const b = i === 0 ? a : prng.chance(0.5) ? prng.pick(extremes) : random(prng);
        bounds.push(a <= b ? [a, b] : [b, a]);
      }
      for (const valid of plain ? [null] : validities(prng, n)) {
        for (const [low, high] of bounds) {
          for (const negated of plain ? [false] : [false, true]) {
            for (const alias of valid === null ? [false] : [false, true]) {
              arena.reset();
              const values = arena.values(kind, rows);
              const validity = valid === null ? 0 : arena.bitmap(valid);
              const out = alias ? validity : arena.take(bitmapBytes(n));
              const expected = rows.map(
                (value, row) => (valid === null || valid[row]) && (value >= low && value <= high) !== negated,
              );
              const mismatch = arena.filterMismatch(expected, out, (k) =>
                run(k, values, validity, n, low, high, negated, out),
              );
              if (mismatch !== null) {
                t.fail(`n ${n}, [${low}, ${high}], negated ${negated}, alias ${alias}: ${mismatch}`);
                return;
              }
              checked++;
            }
          }
        }
      }
    }
    t.ok(checked > 200, `${checked} cases`);
  });
}

t.test('a segment above 2 GiB of memory selects the same rows as a segment below 2 GiB', async (t) => {
  const prng = new Prng(SEED + 1);
  const arena = new TwinArena(prng, 33_000, 2 ** 31 + 24);
  const n = 65_536;
  const rows = Array.from({ length: n }, () => prng.below(1000));
  const values = arena.values('i32', rows);
  const valid = rows.map(() => prng.chance(0.7));
  const validity = arena.bitmap(valid);
  const out = arena.take(bitmapBytes(n));
  const expected = rows.map((value, row) => valid[row] && value >= 100 && value <= 200);
  t.equal(
    arena.filterMismatch(expected, out, (k) => k.rangeI32(values, validity, n, 100, 200, false, out)),
    null,
  );
});
