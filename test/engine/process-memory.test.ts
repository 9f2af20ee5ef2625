/** The resident memory of the process limits writes and queries, regardless of the accounted memory. */
import t from 'tap';
import { NO_DATA_MEMORY } from '../../src/base/index.js';
import { ProcessMemory } from '../../src/engine/process-memory.js';
import { WriteMemory } from '../../src/engine/write/write-memory.js';

const MIB = 2 ** 20;

t.test('writes leave an eighth of the limit free, and a query may use half of the free memory', (t) => {
  let has = 0;
  const at = (mib: number): ProcessMemory => {
    has = mib * MIB;
    return new ProcessMemory(800 * MIB, () => has);
  };
  t.equal(at(600).hasCapacity(100 * MIB), true);
  t.equal(at(600).hasCapacity(100 * MIB + 1), false);
  t.equal(at(0).queryBytes(64 * MIB, 0), 64 * MIB, 'the limit of one query');
  t.equal(at(720).queryBytes(64 * MIB, 0), 40 * MIB, 'half of the free memory');
  t.equal(at(900).queryBytes(64 * MIB, 0), 8 * MIB, 'a query beside no other is executed');
  t.equal(at(900).queryBytes(6 * MIB, 0), 6 * MIB);
  t.equal(at(720).smallBytes(64 * MIB), 40 * MIB);
  t.equal(at(900).smallBytes(64 * MIB), 4 * MIB, 'a small query is executed');
  t.end();
});

t.test('a query waits if too little memory is left beside the limits of others', (t) => {
  const memory = new ProcessMemory(800 * MIB, () => 640 * MIB);
  t.equal(memory.queryBytes(64 * MIB, 30 * MIB), 50 * MIB);
  t.equal(memory.queryBytes(64 * MIB, 72 * MIB), 8 * MIB);
  t.equal(memory.queryBytes(64 * MIB, 72 * MIB + 1), null);
  t.equal(memory.queryBytes(4 * MIB, 76 * MIB), 4 * MIB, 'small limits need little memory');
  t.end();
});

t.test('small limits leave memory for the rows of one query', (t) => {
  const memory = new ProcessMemory(100 * MIB, () => 42 * MIB);
  t.equal(memory.hasCapacity(42 * MIB), true);
  t.equal(memory.hasCapacity(42 * MIB + 1), false);
  t.end();
});

t.test('without a limit the memory of the process is not read', (t) => {
  const memory = new ProcessMemory(Number.POSITIVE_INFINITY, () => {
    throw new Error('the memory was read');
  });
  t.equal(memory.hasCapacity(2 ** 50), true);
  t.equal(memory.queryBytes(64 * MIB, 2 ** 40), 64 * MIB);
  t.equal(memory.smallBytes(64 * MIB), 64 * MIB);
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
  const full = new ProcessMemory(1_100 * MIB, () => 1_050 * MIB);
  const memory = new WriteMemory(workers, { memoryBytes: 0 }, 1_000 * MIB, full);
  t.throws(() => memory.check(MIB), { code: 9003 });
  used = 400 * MIB;
  t.doesNotThrow(() => memory.check(MIB));
  const roomy = new WriteMemory(
    workers,
    { memoryBytes: 0 },
    1_000 * MIB,
    new ProcessMemory(1_100 * MIB, () => used),
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
