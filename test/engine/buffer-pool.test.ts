import t from 'tap';
import { BufferPool } from '../../src/engine/buffer-pool.js';

t.test('a released buffer serves the next request of its size, and no other', async (t) => {
  const pool = new BufferPool();
  const first = pool.acquire(5_000);
  t.equal(first.byteLength, 8_192);
  const second = pool.acquire(5_000);
  t.not(second, first, 'a buffer in use is not given twice');
  pool.release(first);
  t.not(pool.acquire(9_000), first);
  t.equal(pool.acquire(8_192), first);
});

t.test('sizes are powers of two that hold what was asked', async (t) => {
  const pool = new BufferPool();
  for (const [asked, given] of [
    [0, 4_096],
    [4_096, 4_096],
    [4_097, 8_192],
    [2 ** 20, 2 ** 20],
    [2 ** 20 + 1, 2 ** 21],
  ]) {
    t.equal(pool.acquire(asked).byteLength, given, `${asked} bytes`);
  }
});

t.test('no more than 64 MiB of released buffers are kept', async (t) => {
  const pool = new BufferPool();
  const buffers = Array.from({ length: 5 }, () => pool.acquire(2 ** 24));
  for (const buffer of buffers) pool.release(buffer);
  const again = Array.from({ length: 5 }, () => pool.acquire(2 ** 24));
  t.equal(again.filter((buffer) => buffers.includes(buffer)).length, 4);
});
