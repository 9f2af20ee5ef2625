import t from 'tap';
import type { Cancellation } from '../../../src/base/index.js';
import { RunningQuery } from '../../../src/engine/query/running-query.js';
import { StopFlags } from '../../../src/engine/workers/query-stops.js';
import type { WorkerApi } from '../../../src/engine/workers/worker-client.js';
import type { WorkerClients } from '../../../src/engine/workers/worker-clients.js';
import { SpillStore } from '../../../src/exec/index.js';
import { SpillSpace } from '../../../src/protocol/index.js';
import { faultyDisk } from '../../support/faulty-disk.js';
import { queryLimits } from '../../support/query-limits.js';

const LIMITS = queryLimits(60_000, 1_000);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Worker clients that answer only when the test does. */
function workersOf(count: number): WorkerClients {
  const all = Array.from({ length: count }, (_, index) => ({ index }) as unknown as WorkerApi);
  const spill = new SpillSpace(SpillSpace.memory(8, count), { bytesMax: 0, queryBytesMax: 0 }, count);
  const workers: Pick<WorkerClients, 'all' | 'stops' | 'spill' | 'spills' | 'orUnavailable'> = {
    all,
    stops: new StopFlags(),
    spill,
    spills: new SpillStore({
      fs: faultyDisk(),
      dir: '/spool',
      workerIndex: count,
      threadId: 0,
      space: spill,
    }),
    orUnavailable: (answer) => answer,
  };
  return workers as WorkerClients;
}

function cancellationOf(): Cancellation & { act: (() => void) | null } {
  return {
    isCancelled: false,
    act: null,
    onCancel(act) {
      this.act = act;
    },
  };
}

const flagOf = (workers: WorkerClients, slot: number): number =>
  Atomics.load(new Int32Array(workers.stops.signals as SharedArrayBuffer), slot);

t.test(
  'every worker gets its part of the memory limit, and answers are in the order of workers',
  async (t) => {
    const query = new RunningQuery(workersOf(3), LIMITS, null);
    const pending: number[] = [];
    const answers = await query.sendAll(async ({ index }, { bytesMax }) => {
      pending.push(bytesMax);
      for (let wait = 3 - index; wait > 0; wait--) await turn();
      return index;
    });
    t.strictSame(answers, [0, 1, 2]);
    t.strictSame(pending, [333, 333, 333]);
    query.end();
  },
);

t.test(
  'a stopped query sets its stop flag, and releases the slot when all workers have answered',
  async (t) => {
    const workers = workersOf(2);
    const cancellation = cancellationOf();
    const query = new RunningQuery(workers, LIMITS, cancellation);
    const release: (() => void)[] = [];
    let slot = 0;
    const pending = query.sendAll((_worker, bounds) => {
      slot = bounds.slot;
      return new Promise<null>((resolve) => release.push(() => resolve(null)));
    });
    t.equal(flagOf(workers, slot), 0);
    cancellation.act?.();
    t.equal(flagOf(workers, slot), 1);
    await t.rejects(pending, { code: 9005 });
    query.end();
    t.not(workers.stops.reserve(), slot, 'the workers still use the slot');
    for (const answer of release) answer();
    await turn();
    t.equal(flagOf(workers, slot), 0);
    t.equal(workers.stops.reserve(), slot, 'the slot is free again');
    await t.rejects(
      query.sendAll(() => Promise.resolve(null)),
      { code: 9005 },
      'no more requests are sent',
    );
  },
);

t.test('an error of one worker stops the other workers', async (t) => {
  const workers = workersOf(2);
  const query = new RunningQuery(workers, LIMITS, null);
  let slot = 0;
  const pending = query.sendAll(({ index }, bounds) => {
    slot = bounds.slot;
    return index === 0 ? Promise.reject(new Error('refused')) : turn();
  });
  await t.rejects(pending, { message: 'refused' });
  t.equal(flagOf(workers, slot), 1);
  query.end();
});

t.test(
  'sliced work ends between two slices when the time limit is reached, also on a busy thread',
  async (t) => {
    const query = new RunningQuery(workersOf(1), { ...LIMITS, timeoutMs: 20 }, null);
    let slices = 0;
    function* work(): Generator<undefined> {
      for (;;) {
        slices++;
        const until = performance.now() + 5;
        while (performance.now() < until);
        yield;
      }
    }
    await t.rejects(query.inSlices(work()), { code: 9005 });
    t.ok(slices >= 1);
    query.end();
  },
);

t.test('a query that is stopped while it waits for a slot releases the slot when it gets it', async (t) => {
  const cancellation = cancellationOf();
  const query = new RunningQuery(workersOf(1), LIMITS, cancellation);
  let enter = (): void => {};
  let left = 0;
  const entering = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const entered = query.entered(entering, () => left++, 'slot');
  cancellation.act?.();
  await t.rejects(entered, { code: 9005 });
  t.equal(left, 0);
  enter();
  await turn();
  t.equal(left, 1);
  query.end();
});
