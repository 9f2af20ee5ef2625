import t from 'tap';
import { INT64_MAX, INT64_MIN, Prng } from '../../src/base/index.js';
import { bitmapBytes } from '../../src/kernels/index.js';
import { ROW_COUNTS, TwinArena, validities } from './twin-arena.js';

const SEED = 20_002;
t.comment(`seed ${SEED}`);

const i64 = (prng: Prng): bigint => BigInt.asIntN(64, (BigInt(prng.u32()) << 32n) | BigInt(prng.u32()));

for (const kind of ['i64', 'i32'] as const) {
  t.test(`refining a bitmap by a range over ${kind} keeps the set rows that a scan keeps`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    const extremes = kind === 'i64' ? [INT64_MIN, -1n, 0n, INT64_MAX] : [-(2 ** 31), -1, 0, 2 ** 31 - 1];
    const value = (): bigint | number =>
      prng.chance(0.4) ? extremes[prng.below(extremes.length)] : kind === 'i64' ? i64(prng) : prng.u32() | 0;
    let checked = 0;
    for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
      const rows = Array.from({ length: n }, value);
      for (const valid of validities(prng, n)) {
        for (let round = 0; round < 8; round++) {
          const [a, b] = [value(), value()];
          const [low, high] = a <= b ? [a, b] : [b, a];
          const negated = prng.chance(0.5);
          const set = rows.map(() => prng.chance(prng.pick([0, 0.05, 0.5, 1])));
          arena.reset();
          const values = arena.values(kind, rows);
          const validity = valid === null ? 0 : arena.bitmap(valid);
          const padding = new Array<boolean>(bitmapBytes(n) * 8 - n).fill(false);
          const bitmap = arena.bitmap([...set, ...padding]);
          const expected = rows.map(
            (row, index) =>
              set[index] && (valid === null || valid[index]) && (row >= low && row <= high) !== negated,
          );
          const mismatch = arena.filterMismatch(expected, bitmap, (kernels) =>
            kind === 'i64'
              ? kernels.refineI64(values, validity, n, low as bigint, high as bigint, negated, bitmap)
              : kernels.refineI32(values, validity, n, low as number, high as number, negated, bitmap),
          );
          if (mismatch !== null) {
            t.fail(`n ${n}, [${low}, ${high}], negated ${negated}: ${mismatch}`);
            return;
          }
          checked++;
        }
      }
    }
    t.ok(checked > 200, `${checked} cases`);
  });
}
