import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { InsertMemory } from '../../../src/engine/write/insert-memory.js';
import type { SharedBytes } from '../../../src/protocol/index.js';

const SEED = 4_242;
t.comment(`seed ${SEED}`);

t.test('a released part is reused only for requests of its size', async (t) => {
  const memory = new InsertMemory();
  const first = memory.acquire(5_000);
  t.equal(first.byteLength, 8_192);
  const second = memory.acquire(5_000);
  t.not(second, first, 'a part in use is not allocated again');
  memory.release(first);
  t.not(memory.acquire(9_000), first);
  t.equal(memory.acquire(8_192), first);
});

t.test('sizes are powers of two, at least as large as requested', async (t) => {
  const memory = new InsertMemory();
  for (const [requestedBytes, grantedBytes] of [
    [0, 4_096],
    [4_096, 4_096],
    [4_097, 8_192],
    [2 ** 20, 2 ** 20],
    [2 ** 20 + 1, 2 ** 21],
  ]) {
    t.equal(memory.acquire(requestedBytes).byteLength, grantedBytes, `${requestedBytes} bytes`);
  }
});

t.test('the memory is divided again when no part is in use', async (t) => {
  const memory = new InsertMemory(2 ** 20);
  const small = Array.from({ length: 2 ** 8 }, () => memory.acquire(4_096));
  t.ok(small.every((buffer) => 'at' in buffer));
  for (const buffer of small.slice(1)) memory.release(buffer);
  t.notOk('at' in memory.acquire(2 ** 20), 'one part is still in use');
  memory.release(small[0]);
  t.strictSame(memory.acquire(2 ** 20), { at: 0, byteLength: 2 ** 20 });
});

t.test('parts in use never overlap, and a request that does not fit gets a separate buffer', async (t) => {
  const prng = new Prng(SEED);
  const memory = new InsertMemory(2 ** 20);
  const acquired = new Map<SharedBytes, number>();
  let own = 0;
  let parts = 0;
  for (let step = 0; step < 3_000; step++) {
    if (acquired.size > 0 && prng.chance(0.5)) {
      const buffer = prng.pick([...acquired.keys()]);
      const mark = acquired.get(buffer) as number;
      t.ok(memory.bytesOf(buffer).every((byte) => byte === mark));
      acquired.delete(buffer);
      memory.release(buffer);
    } else {
      const buffer = memory.acquire(prng.below(40_000));
      if ('at' in buffer) parts++;
      else own++;
      memory.bytesOf(buffer).fill(step & 0xff);
      acquired.set(buffer, step & 0xff);
    }
  }
  t.ok(own > 100 && parts > 100, `${own} buffers, ${parts} parts`);
});
