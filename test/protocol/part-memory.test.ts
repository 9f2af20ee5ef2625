/** Pooled memory that is passed between threads, compared with a list of buffers as the model. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { PartMemory } from '../../src/protocol/index.js';

const SEED = 64_738;
t.comment(`seed ${SEED}`);
const KIB = 1_024;
const SPARE_BYTES_MAX = 64 * KIB * KIB;

t.test('no buffer is returned twice, and none is shorter than requested', async (t) => {
  const prng = new Prng(SEED);
  const memory = new PartMemory('shared', Number.POSITIVE_INFINITY);
  const buffers = new Set<ArrayBufferLike>();
  const parts: Uint8Array[] = [];
  let known = 0;
  for (let step = 0; step < 3_000; step++) {
    if (prng.chance(0.5) || parts.length === 0) {
      const byteCount = prng.pick([0, 10, 64 * KIB - 1, 64 * KIB, 500 * KIB, prng.below(4 * KIB * KIB)]);
      const before = memory.count;
      const part = memory.allocate(byteCount);
      if (memory.count < before) known++;
      t.equal(part.length, byteCount);
      t.equal(part.byteOffset, 0);
      if (buffers.has(part.buffer)) t.fail(`a buffer was allocated twice at step ${step}`);
      if (byteCount >= 64 * KIB && part.buffer.byteLength > 2 * byteCount)
        t.fail('the buffer is far too long');
      buffers.add(part.buffer);
      parts.push(part);
    } else {
      const [part] = parts.splice(prng.below(parts.length), 1);
      buffers.delete(part.buffer);
      memory.release(part);
    }
  }
  t.ok(known > 100, `${known} parts were in known memory`);
});

t.test('foreign buffers and buffers above the limit are not pooled', async (t) => {
  const memory = new PartMemory('shared', Number.POSITIVE_INFINITY);
  memory.release(new Uint8Array(1_000));
  memory.release(memory.allocate(100));
  memory.release(new Uint8Array(new ArrayBuffer(100 * KIB)));
  t.equal(memory.count, 0);
  for (let at = 0; at < 100; at++) memory.release(new Uint8Array(new SharedArrayBuffer(KIB * KIB)));
  t.equal(memory.count, SPARE_BYTES_MAX / KIB / KIB);
  const taken = memory.take(5);
  t.equal(taken.length, 5);
  t.equal(memory.count, 59);
  memory.add(taken);
  t.equal(memory.take(1_000).length, 64);
  t.strictSame(memory.take(1), []);
});

t.test('the first part of a result, without its first bytes, also returns its memory', async (t) => {
  const memory = new PartMemory('shared', Number.POSITIVE_INFINITY);
  memory.release(memory.allocate(100 * KIB).subarray(1));
  t.equal(memory.count, 1);
  t.equal(memory.allocate(100 * KIB).byteOffset, 0);
  t.equal(memory.count, 0);
});
