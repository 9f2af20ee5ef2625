import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { bitmapBytes } from '../../src/kernels/index.js';
import { ROW_COUNTS, TwinArena } from './twin-arena.js';

const SEED = 20_002;
t.comment(`seed ${SEED}`);

const WIDTHS = [
  { kind: 'u8', equal: 'equalU8', member: 'memberU8', codeMax: 255 },
  { kind: 'u16', equal: 'equalU16', member: 'memberU16', codeMax: 65_535 },
  { kind: 'u32', equal: 'equalU32', member: 'memberU32', codeMax: 2 ** 32 - 1 },
] as const;

for (const { kind, equal, codeMax } of WIDTHS) {
  t.test(`${equal} keeps equal codes, and negated the other codes but not missing values`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    const extremes = [0, 1, 2, Math.floor(codeMax / 2), Math.floor(codeMax / 2) + 1, codeMax - 1, codeMax];
    let checked = 0;
    for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
      const rows = Array.from({ length: n }, () =>
        prng.chance(0.7) ? prng.pick(extremes) : Math.floor(prng.unit() * (codeMax + 1)),
      );
      const sought = [...extremes, rows[0] ?? 5, 77];
      // A code of a wider column: no row of this column has it, although its low bits may occur.
      if (kind !== 'u32') sought.push(codeMax + 1, codeMax + 2, 2 ** 32 - 1);
      for (const code of sought) {
        for (const negated of [false, true]) {
          arena.reset();
          const codes = arena.values(kind, rows);
          const out = arena.take(bitmapBytes(n));
          const expected = rows.map((found) => (negated ? found !== code && found !== 0 : found === code));
          const mismatch = arena.filterMismatch(expected, out, (k) => k[equal](codes, n, code, negated, out));
          if (mismatch !== null) {
            t.fail(`n ${n}, code ${code}, negated ${negated}: ${mismatch}`);
            return;
          }
          checked++;
        }
      }
    }
    t.ok(checked > 200, `${checked} cases`);
  });
}

for (const { kind, member, codeMax } of WIDTHS) {
  t.test(`${member} keeps the codes whose bit is set and looks up no row past n`, async (t) => {
    const prng = new Prng(SEED + 1);
    const arena = new TwinArena(prng);
    let checked = 0;
    for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
      for (const tableBits of [1, 2, 8, 33, 128, 256, 3_000, 65_536, 200_000]) {
        if (tableBits > codeMax + 1) continue;
        for (const density of tableBits > 3_000 ? [0.5] : [0, 0.02, 0.5, 1]) {
          arena.reset();
          // memberU8 reads the whole table of 256 bits. The bits past tableBits are noise that no row may look up.
          const table = Array.from({ length: kind === 'u8' ? 256 : tableBits }, () => prng.chance(density));
          table[0] = false;
          const rows = Array.from({ length: n }, () => prng.below(tableBits));
          // Noise after the rows: for u32, codes far past the end of the arena.
          const codes = arena.values(kind, rows);
          const tableAt = arena.bitmap(table);
          const out = arena.take(bitmapBytes(n));
          const expected = rows.map((code) => table[code]);
          const mismatch = arena.filterMismatch(expected, out, (k) => k[member](codes, n, tableAt, out));
          if (mismatch !== null) {
            t.fail(`n ${n}, table of ${tableBits}, density ${density}: ${mismatch}`);
            return;
          }
          checked++;
        }
      }
    }
    t.ok(checked > 200, `${checked} cases`);
  });
}
