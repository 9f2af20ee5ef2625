import t from 'tap';
import { Prng } from '../../src/base/index.js';
import type { Kernels } from '../../src/kernels/index.js';
import { readSum } from './results.js';
import {
  asWritten,
  INTEGER_KINDS,
  type IntegerKind,
  integer,
  ROW_COUNTS,
  selections,
  TwinArena,
} from './twin-arena.js';

const SEED = 20_007;
t.comment(`seed ${SEED}`);

const BOTTOM = { i8: -(2n ** 7n), i16: -(2n ** 15n), i32: -(2n ** 31n), i64: -(2n ** 63n) };

function run(
  kernels: Kernels,
  kind: IntegerKind,
  values: number,
  bitmap: number,
  n: number,
  out: number,
): number {
  if (kind === 'i8') return kernels.sumI8(values, bitmap, n, out);
  if (kind === 'i16') return kernels.sumI16(values, bitmap, n, out);
  if (kind === 'i32') return kernels.sumI32(values, bitmap, n, out);
  return kernels.sumI64(values, bitmap, n, out);
}

/** The 16-byte result for the sum of `taken`. */
function sumBytes(kind: IntegerKind, taken: readonly bigint[]): Uint8Array {
  const words = new BigInt64Array(2);
  for (const value of taken) {
    words[0] += kind === 'i64' ? BigInt.asUintN(32, value) : value;
    words[1] += kind === 'i64' ? value >> 32n : 0n;
  }
  return new Uint8Array(words.buffer);
}

for (const kind of INTEGER_KINDS) {
  t.test(`the sum over ${kind} is that of the set rows alone, exact to the last digit`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    const words = new Uint32Array(arena.memory.buffer);
    let checked = 0;
    for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
      for (let round = 0; round < 4; round++) {
        const rows = Array.from({ length: n }, () => integer(prng, kind));
        for (const set of selections(prng, n)) {
          arena.reset();
          const values = arena.values(kind, asWritten(kind, rows));
          const bitmap = set === null ? 0 : arena.bitmap(set);
          const out = arena.take(16);
          const taken = rows.filter((_, row) => set === null || set[row]);
          const want = sumBytes(kind, taken);
          const mismatch = arena.bytesMismatch(want, taken.length, out, (k) =>
            run(k, kind, values, bitmap, n, out),
          );
          run(arena.sets[round % 2], kind, values, bitmap, n, out);
          const total = taken.reduce((sum, value) => sum + value, 0n);
          if (mismatch !== null || readSum(words, out) !== total) {
            t.fail(`n ${n}: ${mismatch}, read ${readSum(words, out)}, expected ${total}`);
            return;
          }
          checked++;
        }
      }
    }
    t.ok(checked > 200, `${checked} cases`);
  });

  t.test(`a whole segment of the least or the greatest ${kind} does not overflow a sum`, async (t) => {
    const arena = new TwinArena(new Prng(SEED + 1));
    const words = new Uint32Array(arena.memory.buffer);
    const n = 65_536;
    for (const value of [BOTTOM[kind], -BOTTOM[kind] - 1n]) {
      // Without the first row of each word the masked path is taken.
      for (const set of [null, Array.from({ length: n }, (_, row) => row % 64 !== 0)]) {
        arena.reset();
        const values = arena.values(kind, asWritten(kind, new Array<bigint>(n).fill(value)));
        const bitmap = set === null ? 0 : arena.bitmap(set);
        const out = arena.take(16);
        const rows = set === null ? n : n - n / 64;
        for (const kernels of arena.sets) {
          t.equal(run(kernels, kind, values, bitmap, n, out), rows);
          t.equal(readSum(words, out), value * BigInt(rows), `${kernels.name}: ${rows} times ${value}`);
        }
      }
    }
  });
}

t.test('a segment at addresses above 2 GiB has the same sums as one below', async (t) => {
  const prng = new Prng(SEED + 2);
  const arena = new TwinArena(prng, 33_000, 2 ** 31 + 24);
  const n = 5_000;
  const set = Array.from({ length: n }, () => prng.chance(0.7));
  for (const kind of INTEGER_KINDS) {
    arena.reset();
    const rows = Array.from({ length: n }, () => integer(prng, kind));
    const values = arena.values(kind, asWritten(kind, rows));
    const bitmap = arena.bitmap(set);
    const out = arena.take(16);
    const taken = rows.filter((_, row) => set[row]);
    t.equal(
      arena.bytesMismatch(sumBytes(kind, taken), taken.length, out, (k) =>
        run(k, kind, values, bitmap, n, out),
      ),
      null,
      kind,
    );
  }
});
