import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { bitmapBytes } from '../../src/kernels/index.js';
import { ROW_COUNTS, TwinArena, validities } from './twin-arena.js';

const SEED = 20_003;
t.comment(`seed ${SEED}`);

const PAIRS = {
  and: (a: boolean, b: boolean) => a && b,
  or: (a: boolean, b: boolean) => a || b,
  andNot: (a: boolean, b: boolean) => a && !b,
} as const;

const patterns = (prng: Prng, n: number): boolean[][] => validities(prng, n).filter((bits) => bits !== null);

for (const name of ['and', 'or', 'andNot'] as const) {
  t.test(`${name} works bit by bit, also into one of its inputs, and ignores bits past n`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    let checked = 0;
    for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
      for (const left of patterns(prng, n)) {
        for (const right of patterns(prng, n)) {
          for (const target of ['own', 'a', 'b']) {
            arena.reset();
            const a = arena.bitmap(left);
            const b = arena.bitmap(right);
            const out = target === 'a' ? a : target === 'b' ? b : arena.take(bitmapBytes(n));
            const expected = left.map((bit, row) => PAIRS[name](bit, right[row]));
            const mismatch = arena.filterMismatch(expected, out, (k) => k[name](a, b, n, out));
            if (mismatch !== null) {
              t.fail(`n ${n}, into ${target}: ${mismatch}`);
              return;
            }
            checked++;
          }
        }
      }
    }
    t.ok(checked > 200, `${checked} cases`);
  });
}

t.test('bitsEqual keeps rows that have a value and the requested bit', async (t) => {
  const prng = new Prng(SEED + 1);
  const arena = new TwinArena(prng);
  let checked = 0;
  for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
    for (const rows of patterns(prng, n)) {
      for (const valid of validities(prng, n)) {
        for (const wanted of [false, true]) {
          for (const target of valid === null ? ['own', 'bits'] : ['own', 'bits', 'validity']) {
            arena.reset();
            const bits = arena.bitmap(rows);
            const validity = valid === null ? 0 : arena.bitmap(valid);
            const out = { own: () => arena.take(bitmapBytes(n)), bits: () => bits, validity: () => validity }[
              target as 'own' | 'bits' | 'validity'
            ]();
            const expected = rows.map((bit, row) => (valid === null || valid[row]) && bit === wanted);
            const mismatch = arena.filterMismatch(expected, out, (k) =>
              k.bitsEqual(bits, validity, n, wanted, out),
            );
            if (mismatch !== null) {
              t.fail(`n ${n}, wanted ${wanted}, into ${target}: ${mismatch}`);
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

t.test('fill, clear and count affect exactly the rows below n', async (t) => {
  const prng = new Prng(SEED + 2);
  const arena = new TwinArena(prng);
  for (let n = 0; n < 400; n++) {
    const every = Array.from({ length: n }, () => true);
    arena.reset();
    const out = arena.take(bitmapBytes(n));
    const filled = arena.filterMismatch(every, out, (k) => {
      k.fill(n, out);
      return n;
    });
    const none = every.map(() => false);
    const cleared = arena.filterMismatch(none, out, (k) => {
      k.clear(n, out);
      return 0;
    });
    const some = every.map(() => prng.chance(0.5));
    const bitmap = arena.bitmap(some);
    const counted = arena.filterMismatch(some, bitmap, (k) => {
      const count = k.count(bitmap, n);
      // The count runs with noise after n; the noise is cleared only here because the comparison expects zeros.
      k.and(bitmap, bitmap, n, bitmap);
      return count;
    });
    if (filled !== null || cleared !== null || counted !== null) {
      t.strictSame([filled, cleared, counted], [null, null, null], `n ${n}`);
      return;
    }
  }
  t.equal(bitmapBytes(0), 0);
  t.equal(bitmapBytes(1), 16);
  t.equal(bitmapBytes(128), 16);
  t.equal(bitmapBytes(129), 32);
});

t.test('gatherU32 writes the rows of the set bits in order, and nothing after them', async (t) => {
  const prng = new Prng(SEED);
  const arena = new TwinArena(prng);
  let checked = 0;
  for (const n of [...ROW_COUNTS, 300 + prng.below(2000)]) {
    const patterns = validities(prng, n).filter((bits) => bits !== null);
    // Runs of full words between other words exercise both the vector copy and the bit walk.
    patterns.push(Array.from({ length: n }, (_, row) => (row >> 6) % 3 !== 1 || prng.chance(0.1)));
    for (const bits of patterns) {
      for (const isAliased of [false, true]) {
        arena.reset();
        const values = Array.from({ length: n }, () => prng.u32());
        const bitmap = arena.bitmap(bits);
        const rows = arena.values('u32', values);
        const chosen = values.filter((_, row) => bits[row]);
        const out = isAliased ? rows : arena.take(chosen.length * 4);
        const expected = new Uint8Array(new Uint32Array(chosen).buffer);
        const mismatch = arena.bytesMismatch(expected, chosen.length, out, (k) =>
          k.gatherU32(bitmap, n, rows, out),
        );
        if (mismatch !== null) {
          t.fail(`n ${n}, out is rows ${isAliased}: ${mismatch}`);
          return;
        }
        checked++;
      }
    }
  }
  t.ok(checked > 200, `${checked} cases`);
});
