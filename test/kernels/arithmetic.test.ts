import t from 'tap';
import { Prng } from '../../src/base/index.js';
import type { Kernels } from '../../src/kernels/index.js';
import { integer, ROW_COUNTS, selections, TwinArena } from './twin-arena.js';

const SEED = 40_917;
t.comment(`seed ${SEED}`);

const i64s = (numbers: readonly bigint[]): Uint8Array => new Uint8Array(BigInt64Array.from(numbers).buffer);

const OPERATORS = {
  addI64: (a: bigint, b: bigint) => a + b,
  subtractI64: (a: bigint, b: bigint) => a - b,
  multiplyI64: (a: bigint, b: bigint) => a * b,
} as const;

for (const name of ['addI64', 'subtractI64', 'multiplyI64'] as const) {
  t.test(`${name} combines integers of 64 bits, modulo 2^64`, async (t) => {
    const prng = new Prng(SEED);
    const arena = new TwinArena(prng);
    for (const n of [...ROW_COUNTS, 300 + prng.below(2_000)]) {
      for (const target of ['out', 'a', 'b'] as const) {
        arena.reset();
        const a = Array.from({ length: n }, () => integer(prng, 'i64'));
        const b = Array.from({ length: n }, () => integer(prng, 'i64'));
        const at = { a: arena.values('i64', a), b: arena.values('i64', b), out: arena.values('i64', a) };
        const wanted = a.map((value, row) => BigInt.asIntN(64, OPERATORS[name](value, b[row])));
        const run = (k: Kernels): number => {
          k[name](at.a, at.b, n, at[target]);
          return 0;
        };
        t.equal(arena.bytesMismatch(i64s(wanted), 0, at[target], run), null, `${n} rows into ${target}`);
      }
    }
  });
}

t.test('values of rows without a bit become 0', async (t) => {
  const prng = new Prng(SEED + 1);
  const arena = new TwinArena(prng);
  for (const n of ROW_COUNTS) {
    for (const bits of selections(prng, n)) {
      if (bits === null) continue;
      arena.reset();
      const values = Array.from({ length: n }, () => integer(prng, 'i64'));
      const [valuesAt, bitmap] = [arena.values('i64', values), arena.bitmap(bits)];
      const wanted = values.map((value, row) => (bits[row] ? value : 0n));
      const run = (k: Kernels): number => {
        k.clearMissingI64(valuesAt, bitmap, n);
        return 0;
      };
      t.equal(arena.bytesMismatch(i64s(wanted), 0, valuesAt, run), null, `${n} rows`);
    }
  }
});
