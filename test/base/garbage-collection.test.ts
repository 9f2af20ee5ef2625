import t from 'tap';
import { GarbageCollection } from '../../src/base/index.js';

const MIB = 2 ** 20;

t.test('garbage is collected only near a small limit, and not all the time', (t) => {
  let has = 0;
  let nowMs = 0;
  let count = 0;
  const sources = { collect: () => void count++, look: () => has * MIB, elapsedMs: () => nowMs };
  const collections = (bytesMax: number): number => {
    count = 0;
    new GarbageCollection(bytesMax, sources).afterQuery();
    return count;
  };
  t.equal(collections(300 * MIB), 0, 'little memory is in use');
  has = 250;
  t.equal(collections(300 * MIB), 1);
  has = 2_000;
  t.equal(collections(1_024 * MIB), 0, 'a large limit');
  t.equal(collections(Number.POSITIVE_INFINITY), 0);
  const garbage = new GarbageCollection(300 * MIB, sources);
  count = 0;
  for (nowMs = 1_000; nowMs < 1_300; nowMs += 10) garbage.afterQuery();
  t.equal(count, 3, 'every 100 ms');
  t.end();
});

t.test('the collector of this thread frees what is no longer used', (t) => {
  const garbage = new GarbageCollection(300 * MIB, { look: () => 300 * MIB });
  let buffer: Uint8Array | null = new Uint8Array(64 * MIB);
  const before = process.memoryUsage().arrayBuffers;
  t.ok(buffer.length > 0);
  buffer = null;
  garbage.afterQuery();
  t.ok(process.memoryUsage().arrayBuffers <= before - 64 * MIB);
  t.end();
});
