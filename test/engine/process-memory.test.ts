/** The resident memory of the process limits writes and queries, regardless of the accounted memory. */
import t from 'tap';
import { NO_DATA_MEMORY } from '../../src/base/index.js';
import { ProcessMemory } from '../../src/engine/process-memory.js';
import { WriteMemory } from '../../src/engine/write/write-memory.js';

const MIB = 2 ** 20;

t.test('writes leave an eighth of the limit free, and at least the share of one query', (t) => {
  const at = (mib: number, queryMib: number): ProcessMemory =>
    new ProcessMemory(800 * MIB, queryMib * MIB, () => mib * MIB);
  t.equal(at(600, 64).hasCapacity(100 * MIB), true);
  t.equal(at(600, 64).hasCapacity(100 * MIB + 1), false);
  t.equal(at(600, 150).hasCapacity(50 * MIB), true);
  t.equal(at(600, 150).hasCapacity(50 * MIB + 1), false);
  t.end();
});

t.test('a query has capacity if its share is free besides those of the running ones', (t) => {
  const at = (mib: number): ProcessMemory => new ProcessMemory(800 * MIB, 64 * MIB, () => mib * MIB);
  t.equal(at(736).hasQueryCapacity(0), true);
  t.equal(at(737).hasQueryCapacity(0), false);
  t.equal(at(672).hasQueryCapacity(1), true);
  t.equal(at(673).hasQueryCapacity(1), false);
  t.end();
});

t.test('without a limit the memory of the process is not read', (t) => {
  const memory = new ProcessMemory(Number.POSITIVE_INFINITY, 64 * MIB, () => {
    throw new Error('the memory was read');
  });
  t.equal(memory.hasCapacity(2 ** 50), true);
  t.equal(memory.hasQueryCapacity(100), true);
  t.end();
});

t.test('a process at its limit refuses writes with 9003 until half of the limit is free', (t) => {
  let used = 600 * MIB;
  const workers = {
    get memory() {
      return { ...NO_DATA_MEMORY, values: used };
    },
    dictionaryBytesMax: 0,
  };
  const full = new ProcessMemory(1_100 * MIB, 64 * MIB, () => 1_050 * MIB);
  const memory = new WriteMemory(workers, { memoryBytes: 0 }, 1_000 * MIB, full);
  t.throws(() => memory.check(MIB), { code: 9003 });
  used = 400 * MIB;
  t.doesNotThrow(() => memory.check(MIB));
  const roomy = new WriteMemory(
    workers,
    { memoryBytes: 0 },
    1_000 * MIB,
    new ProcessMemory(1_100 * MIB, 64 * MIB, () => used),
  );
  used = 600 * MIB;
  t.doesNotThrow(() => roomy.check(MIB));
  const release = roomy.hold(350 * MIB);
  t.equal(roomy.used['postgres-catalog'], 350 * MIB);
  t.throws(() => roomy.check(51 * MIB), { code: 9003 }, 'memory of other components is counted');
  t.equal(roomy.hold(51 * MIB), null);
  release?.();
  t.doesNotThrow(() => roomy.check(51 * MIB));
  used = 1_000 * MIB;
  t.throws(() => roomy.check(MIB), { code: 9003 });
  t.end();
});
