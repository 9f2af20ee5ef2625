import t from 'tap';
import { Prng } from '../../src/base/index.js';
import type { Kernels } from '../../src/kernels/index.js';
import {
  asWritten,
  INTEGER_KINDS,
  type IntegerKind,
  integer,
  ROW_COUNTS,
  selections,
  TwinArena,
} from './twin-arena.js';

const SEED = 20_008;
t.comment(`seed ${SEED}`);

function run(
  kernels: Kernels,
  kind: IntegerKind,
  values: number,
  bitmap: number,
  n: number,
  out: number,
): number {
  if (kind === 'i8') return kernels.extremesI8(values, bitmap, n, out);
  if (kind === 'i16') return kernels.extremesI16(values, bitmap, n, out);
  if (kind === 'i32') return kernels.extremesI32(values, bitmap, n, out);
  return kernels.extremesI64(values, bitmap, n, out);
}

/** Minimum and maximum of `taken` as two i64; empty if `taken` is empty. */
function extremeBytes(taken: readonly bigint[]): Uint8Array {
  if (taken.length === 0) return new Uint8Array(0);
  let [least, greatest] = [taken[0], taken[0]];
  for (const value of taken) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return new Uint8Array(new BigInt64Array([least, greatest]).buffer);
}

/** Arbitrary values, or few values close together, so that minimum and maximum differ only in their low words. */
function rowsOf(prng: Prng, kind: IntegerKind, n: number): bigint[] {
  const base = integer(prng, kind);
  const isClose = prng.chance(0.5);
  return Array.from({ length: n }, () => (isClose ? base ^ BigInt(prng.below(4)) : integer(prng, kind)));
}

for (const kind of INTEGER_KINDS) {
  t.test(`the extremes over ${kind} are those of the set rows alone`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    let checked = 0;
    let none = 0;
    for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
      for (let round = 0; round < 6; round++) {
        const mild = rowsOf(prng, kind, n);
        for (const set of selections(prng, n)) {
          // Rows that are not set often contain values outside the range of the set rows.
          const rows = mild.map((value, row) => (set === null || set[row] ? value : integer(prng, kind)));
          arena.reset();
          const values = arena.values(kind, asWritten(kind, rows));
          const bitmap = set === null ? 0 : arena.bitmap(set);
          const out = arena.take(16);
          const taken = rows.filter((_, row) => set === null || set[row]);
          const mismatch = arena.bytesMismatch(extremeBytes(taken), taken.length, out, (k) =>
            run(k, kind, values, bitmap, n, out),
          );
          if (mismatch !== null) {
            t.fail(`n ${n}, ${taken.length} rows set: ${mismatch}`);
            return;
          }
          checked++;
          if (taken.length === 0) none++;
        }
      }
    }
    t.ok(checked > 200 && none > 20, `${checked} cases, ${none} without a row`);
  });

  t.test(`one extreme ${kind} is found in any row of a segment`, async (t) => {
    const prng = new Prng(SEED + 1);
    const arena = new TwinArena(prng);
    const n = 700;
    const bits = { i8: 8, i16: 16, i32: 32, i64: 64 }[kind];
    const top = 2n ** BigInt(bits - 1);
    const missed: string[] = [];
    for (let index = 0; index < n; index++) {
      const value = index % 2 === 0 ? -top : top - 1n;
      const rows = new Array<bigint>(n).fill(5n);
      rows[index] = value;
      arena.reset();
      const values = arena.values(kind, asWritten(kind, rows));
      const out = arena.take(16);
      const mismatch = arena.bytesMismatch(extremeBytes(rows), n, out, (k) =>
        run(k, kind, values, 0, n, out),
      );
      if (mismatch !== null) missed.push(`row ${index}: ${mismatch}`);
    }
    t.strictSame(missed, []);
  });
}

t.test('a segment at addresses above 2 GiB has the same extremes as one below', async (t) => {
  const prng = new Prng(SEED + 2);
  const arena = new TwinArena(prng, 33_000, 2 ** 31 + 24);
  const n = 5_000;
  const set = Array.from({ length: n }, () => prng.chance(0.7));
  for (const kind of INTEGER_KINDS) {
    arena.reset();
    const rows = rowsOf(prng, kind, n);
    const values = arena.values(kind, asWritten(kind, rows));
    const bitmap = arena.bitmap(set);
    const out = arena.take(16);
    const taken = rows.filter((_, row) => set[row]);
    t.equal(
      arena.bytesMismatch(extremeBytes(taken), taken.length, out, (k) =>
        run(k, kind, values, bitmap, n, out),
      ),
      null,
      kind,
    );
  }
});
