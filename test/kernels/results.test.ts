import t from 'tap';
import { INT64_MAX, INT64_MIN, Prng } from '../../src/base/index.js';
import { readI64, readSum } from '../../src/kernels/index.js';

const SEED = 20_010;
t.comment(`seed ${SEED}`);

/** As long as the words at `at` need to be, and 8 bytes before them. */
function wordsOf(at: number, ...values: bigint[]): Uint32Array {
  const view = new DataView(new ArrayBuffer(at + values.length * 8));
  values.forEach((value, index) => {
    view.setBigInt64(at + index * 8, value, true);
  });
  return new Uint32Array(view.buffer);
}

t.test('an i64 is read with its sign and every digit', async (t) => {
  const prng = new Prng(SEED);
  const random = Array.from({ length: 200 }, () =>
    BigInt.asIntN(64, (BigInt(prng.u32()) << 32n) | BigInt(prng.u32())),
  );
  const edges = [INT64_MIN, -(2n ** 32n), -(2n ** 31n), -1n, 0n, 1n, 2n ** 31n, 2n ** 32n - 1n, INT64_MAX];
  const values = [...edges, ...random];
  t.strictSame(
    values.map((value) => readI64(wordsOf(8, value), 8)),
    values,
  );
});

t.test('a sum is its first i64 plus 2^32 times its second, beyond 64 bits too', async (t) => {
  t.equal(readSum(wordsOf(16, -5n, 0n), 16), -5n);
  t.equal(readSum(wordsOf(16, 7n, -1n), 16), 7n - 2n ** 32n);
  const low = 65_536n * (2n ** 32n - 1n);
  t.equal(readSum(wordsOf(16, low, 65_536n * (2n ** 31n - 1n)), 16), 65_536n * INT64_MAX);
  t.equal(readSum(wordsOf(16, 0n, -(2n ** 47n)), 16), 65_536n * INT64_MIN);
});
