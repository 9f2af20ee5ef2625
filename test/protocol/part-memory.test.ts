/** Pooled memory that is passed between threads, compared with a list of buffers as the model. */
import t from 'tap';
import { MemoryAccount, Prng, runToEnd } from '../../src/base/index.js';
import { partitionGroups } from '../../src/plan/index.js';
import { PartMemory } from '../../src/protocol/index.js';
import { toWire, vectorOf } from '../../src/vector/index.js';

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

t.test(
  'integers, counts and sums of this pool return their memory, once each, and no foreign memory',
  async (t) => {
    const memory = new PartMemory('shared', Number.POSITIVE_INFINITY);
    const doubles = (bytes: Uint8Array): Float64Array => new Float64Array(bytes.buffer);
    const own = (): Float64Array => doubles(memory.allocate(100 * KIB));
    const counts = own();
    const foreign = doubles(new Uint8Array(new SharedArrayBuffer(100 * KIB)));
    const exact = (numbers: Float64Array) =>
      ({ kind: 'exact', count: 1, valid: null, numbers, wide: null }) as const;
    const wide = new BigInt64Array(own().buffer);
    const keys = [exact(own()), exact(foreign), { ...exact(own()), numbers: null, wide }];
    const states = [
      { holds: 'count', counts },
      { holds: 'sum', counts, sums: exact(own()) },
      { holds: 'extreme', values: exact(own()) },
    ] as const;
    memory.releaseOwn([{ groupCount: 1, keys, states }]);
    const pooled = new Set(memory.take(100));
    t.equal(pooled.size, 5);
    t.notOk(pooled.has(foreign.buffer as SharedArrayBuffer));
  },
);

t.test('partitions return the memory of integers and counts, and not that of texts', async (t) => {
  const memory = new PartMemory('shared', Number.POSITIVE_INFINITY);
  const allocate = (byteCount: number): Uint8Array => memory.allocateShared(byteCount);
  const groupCount = 20_000;
  const names = Array.from({ length: groupCount }, (_, index) => `name ${index}`);
  const keys = [
    toWire(
      vectorOf(
        { type: 'integer' },
        names.map((_, index) => BigInt(index)),
      ),
    ),
    toWire(vectorOf({ type: 'text' }, names)),
  ];
  const states = [{ holds: 'count', counts: new Float64Array(groupCount).fill(1) }] as const;
  const account = new MemoryAccount(Number.POSITIVE_INFINITY, () => '');
  const partitioned = runToEnd(partitionGroups({ groupCount, keys, states }, account, allocate));
  memory.releasePartitions([partitioned]);
  t.equal(memory.count, 2);
});
