/** Garbage is collected after queries of a small process that is near its limit, and not too often. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { GarbageCollection } from '../../src/base/index.js';

const MIB = 2 ** 20;

t.test('garbage is collected near a small limit only, and at most every 100 ms', (t) => {
  const state = { usedMib: 0, nowMs: 0, count: 0 };
  const sources = {
    collect: () => state.count++,
    look: () => state.usedMib * MIB,
    elapsedMs: () => state.nowMs,
  };
  const small = new GarbageCollection(330 * MIB, sources);
  const countAt = (garbage: GarbageCollection, usedMib: number, nowMs: number): number => {
    Object.assign(state, { usedMib, nowMs });
    garbage.check();
    return state.count;
  };
  t.equal(countAt(small, 200, 0), 0, 'enough is free');
  t.equal(countAt(small, 300, 10), 1);
  t.equal(countAt(small, 300, 100), 1, 'too soon');
  t.equal(countAt(small, 300, 120), 2);
  t.equal(countAt(new GarbageCollection(2_000 * MIB, sources), 1_999, 500), 2, 'the limit is not small');
  t.end();
});

/** Fills shared memory that nothing refers to afterwards. */
function lastByteOf(mib: number): number {
  const filled = new Uint8Array(new SharedArrayBuffer(mib * MIB)).fill(1);
  return filled[filled.length - 1];
}

t.test('the memory of shared buffers that nothing refers to is released', async (t) => {
  const before = process.memoryUsage.rss();
  t.equal(lastByteOf(256), 1);
  new GarbageCollection(MIB).check();
  const grownMib = (): number => (process.memoryUsage.rss() - before) / MIB;
  // Another thread releases the memory.
  for (let tries = 0; tries < 500 && grownMib() > 128; tries++) await pause(10);
  t.ok(grownMib() < 128);
});
