import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { ROW_COUNTS, TwinArena, validities } from './twin-arena.js';

const SEED = 20_004;
t.comment(`seed ${SEED}`);

t.test('gatherU32 writes the rows of the set bits in order, and nothing after them', async (t) => {
  const prng = new Prng(SEED);
  const arena = new TwinArena(prng);
  let checked = 0;
  for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
    const patterns = validities(prng, n).filter((bits) => bits !== null);
    // Runs of full words between other words exercise both the vector copy and the bit walk.
    patterns.push(Array.from({ length: n }, (_, row) => (row >> 6) % 3 !== 1 || prng.chance(0.1)));
    for (const bits of patterns) {
      for (const inPlace of [false, true]) {
        arena.reset();
        const values = Array.from({ length: n }, () => prng.u32());
        const bitmap = arena.bitmap(bits);
        const rows = arena.values('u32', values);
        const chosen = values.filter((_, row) => bits[row]);
        const out = inPlace ? rows : arena.take(chosen.length * 4);
        const expected = new Uint8Array(new Uint32Array(chosen).buffer);
        const mismatch = arena.bytesMismatch(expected, chosen.length, out, (k) =>
          k.gatherU32(bitmap, n, rows, out),
        );
        if (mismatch !== null) {
          t.fail(`n ${n}, in place ${inPlace}: ${mismatch}`);
          return;
        }
        checked++;
      }
    }
  }
  t.ok(checked > 200, `${checked} cases`);
});
