/** The resident memory of the process limits writes and queries, regardless of the accounted memory. */
import t from 'tap';
import { NO_DATA_MEMORY } from '../../src/base/index.js';
import { ProcessMemory } from '../../src/engine/process-memory.js';
import { WriteMemory } from '../../src/engine/write/write-memory.js';

const NO_KEYS = { deduplication: { memoryBytes: 0 }, lineKeys: { memoryBytes: 0 } };
const MIB = 2 ** 20;

t.test('writes leave an eighth of the limit free, and 64 MiB of a small one', (t) => {
  const large = new ProcessMemory(1_600 * MIB, () => 1_200 * MIB);
  t.equal(large.hasCapacity(200 * MIB), true);
  t.equal(large.hasCapacity(200 * MIB + 1), false);
  const small = new ProcessMemory(400 * MIB, () => 332 * MIB);
  t.equal(small.hasCapacity(4 * MIB), true);
  t.equal(small.hasCapacity(4 * MIB + 1), false);
  t.end();
});

t.test('queries share the free memory, and wait for enough of it in their order', async (t) => {
  const memory = new ProcessMemory(800 * MIB, () => 680 * MIB);
  t.equal(await memory.enterQuery(70 * MIB), 70 * MIB, 'the limit of one query');
  t.equal(await memory.enterQuery(70 * MIB), 50 * MIB, 'what the first one leaves');
  const started: number[] = [];
  const waiting = [70, 45, 3].map((mib) =>
    memory.enterQuery(mib * MIB).then((bytes) => started.push(bytes / MIB)),
  );
  await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(started, []);
  memory.leaveQuery(70 * MIB);
  await waiting[0];
  t.strictSame(started, [70]);
  memory.leaveQuery(50 * MIB);
  await Promise.all(waiting);
  t.strictSame(started, [70, 45, 3], 'the last one waits for the one before, and fits beside it');
});

t.test('in a full process, one query after the other may use 48 MiB', async (t) => {
  const full = new ProcessMemory(800 * MIB, () => 900 * MIB);
  t.equal(await full.enterQuery(70 * MIB), 48 * MIB);
  const second = full.enterQuery(70 * MIB);
  full.leaveQuery(48 * MIB);
  t.equal(await second, 48 * MIB);
});

t.test('a query that does not wait has a sixteenth of the free memory, and at least 4 MiB', async (t) => {
  const memory = new ProcessMemory(800 * MIB, () => 480 * MIB);
  t.equal(memory.smallQueryBytes(70 * MIB), 20 * MIB);
  t.equal(memory.smallQueryBytes(10 * MIB), 10 * MIB, 'the limit of one query');
  t.equal(new ProcessMemory(800 * MIB, () => 900 * MIB).smallQueryBytes(70 * MIB), 4 * MIB);
});

t.test('without a limit the memory of the process is not read', async (t) => {
  const memory = new ProcessMemory(Number.POSITIVE_INFINITY, () => {
    throw new Error('the memory was read');
  });
  t.equal(memory.hasCapacity(2 ** 50), true);
  t.equal(memory.smallQueryBytes(64 * MIB), 64 * MIB);
  t.equal(await memory.enterQuery(64 * MIB), 64 * MIB);
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
  const memory = new WriteMemory(workers, NO_KEYS, 1_000 * MIB, full);
  t.throws(() => memory.check(MIB), { code: 9003 });
  used = 400 * MIB;
  t.doesNotThrow(() => memory.check(MIB));
  const roomy = new WriteMemory(workers, NO_KEYS, 1_000 * MIB, new ProcessMemory(1_100 * MIB, () => used));
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
