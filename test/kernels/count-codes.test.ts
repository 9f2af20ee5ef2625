import t from 'tap';
import { Prng } from '../../src/base/index.js';
import type { Kernels } from '../../src/kernels/index.js';
import { ROW_COUNTS, selections, TwinArena } from './twin-arena.js';

const SEED = 20_009;
t.comment(`seed ${SEED}`);

type CodeKind = 'u8' | 'u16' | 'u32';

/** Returns 0, because bytesMismatch expects a number. */
function run(
  kernels: Kernels,
  kind: CodeKind,
  codes: number,
  bitmap: number,
  n: number,
  table: number,
): number {
  if (kind === 'u8') kernels.countCodesU8(codes, bitmap, n, table);
  else if (kind === 'u16') kernels.countCodesU16(codes, bitmap, n, table);
  else kernels.countCodesU32(codes, bitmap, n, table);
  return 0;
}

for (const [kind, most] of [
  ['u8', 2 ** 8],
  ['u16', 2 ** 16],
  ['u32', 70_000],
] as const) {
  t.test(`counting ${kind} codes adds one to the table for each set row`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    let checked = 0;
    for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
      // Many rows have the highest code.
      const codeCount = prng.pick([1, 3, 100, most]);
      const codes = Array.from({ length: n }, () =>
        prng.chance(0.1) ? codeCount - 1 : prng.below(codeCount),
      );
      for (const set of selections(prng, n)) {
        arena.reset();
        // Codes of rows that are not set may be outside the table.
        const written = codes.map((code, row) => (set === null || set[row] ? code : most - 1));
        const at = arena.values(kind, written);
        const bitmap = set === null ? 0 : arena.bitmap(set);
        const table = arena.take(codeCount * 4);
        const expected = new Uint32Array(arena.memory.buffer.slice(table, table + codeCount * 4));
        codes.forEach((code, row) => {
          if (set === null || set[row]) expected[code]++;
        });
        const mismatch = arena.bytesMismatch(new Uint8Array(expected.buffer), 0, table, (k) =>
          run(k, kind, at, bitmap, n, table),
        );
        if (mismatch !== null) {
          t.fail(`n ${n}, ${codeCount} codes: ${mismatch}`);
          return;
        }
        checked++;
      }
    }
    t.ok(checked > 150, `${checked} cases`);
  });
}
