import t from 'tap';
import { ProcessMemory } from '../../../src/engine/process-memory.js';
import { WriteMemory } from '../../../src/engine/write/write-memory.js';

const MIB = 2 ** 20;

t.test('memory is full when a small insert is refused', async (t) => {
  const workers = { memory: {} as never, dictionaryBytesMax: 0 };
  const memory = new WriteMemory(
    workers,
    { deduplication: { memoryBytes: 0 }, lineKeys: { memoryBytes: 0 } },
    10 * MIB,
    new ProcessMemory(Number.POSITIVE_INFINITY),
  );
  t.equal(memory.isFull, false);
  const release = memory.hold(9.95 * MIB);
  t.equal(memory.isFull, true);
  t.throws(() => memory.check(64 * 2 ** 10), { code: 9003 });
  release?.();
  t.equal(memory.isFull, false);
  const busy = new WriteMemory(
    workers,
    { deduplication: { memoryBytes: 3 * MIB }, lineKeys: { memoryBytes: 3 * MIB } },
    10 * MIB,
    new ProcessMemory(11 * MIB, () => 11 * MIB),
  );
  t.equal(busy.isFull, true, 'the process is at its limit');
});
