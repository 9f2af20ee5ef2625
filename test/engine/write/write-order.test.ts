/** Writes of all kinds whose thread ends meanwhile return the right number and take effect once. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import type { Json } from '../../../src/api/index.js';
import { Prng, QuarryError } from '../../../src/base/index.js';
import { EMPTY_CATALOG } from '../../../src/catalog/index.js';
import { type CreateWorkerClient, WorkerClient } from '../../../src/engine/workers/worker-client.js';
import { WriteOrder } from '../../../src/engine/write/write-order.js';
import type { WorkerOp } from '../../../src/protocol/index.js';
import { jsonObject, num } from '../../support/generate.js';
import { copyDir, makeDir, TestStore, workerFile } from '../store.js';
import {
  bodyOf,
  COLUMNS,
  codeOf,
  SIZE,
  untilBack,
  visitedAtLeast,
  watchThreads,
  workerWith,
} from '../threads.js';

const SEED = 173_205;
t.comment(`seed ${SEED}`);
t.setTimeout(200_000);

/**
 * Workers whose thread ends at the request that `due` determines: before it is sent, or after the thread has received it.
 * No test uses the thread with which a pool replaces a dead one.
 */
function dyingWorkers(
  t: Test,
  moment: 'before' | 'amid',
  due: (workerIndex: number, op: WorkerOp) => boolean,
): CreateWorkerClient {
  const waiting: ((worker: Worker) => void)[] = [];
  const onWorker = (worker: Worker): void => waiting.shift()?.(worker);
  process.on('worker', onWorker);
  t.teardown(() => process.off('worker', onWorker));
  return (start, onDown) => {
    const worker = new WorkerClient(workerFile, start, onDown);
    let thread: Worker | null = null;
    waiting.push((worker) => {
      thread = worker;
    });
    const send: typeof worker.send = (op, request) => {
      if (!due(start.workerIndex, op)) return worker.send(op, request);
      if (moment === 'before') thread?.terminate();
      const answer = worker.send(op, request);
      // The request is sent at the end of the turn.
      if (moment === 'amid') setImmediate(() => thread?.terminate());
      return answer;
    };
    return workerWith(worker, send);
  };
}

const inBatch = (batch: number): Json => [jsonObject({ batch: jsonObject({ equals: num(batch) }) })];
const visit = jsonObject({ value: num(1), date: '2016-01-03' });

interface Story {
  readonly batch: number;
  /** The progress of a batch: inserted, moved to `batch + MOVED` with one more visit, deleted. */
  stage: 'inserted' | 'moved' | 'deleted';
}
const MOVED = 500_000;

/** Repeats the write until it is not refused. With an idempotency key it is sometimes sent twice at the same time. */
async function untilAnswered<T>(write: () => Promise<T>, twice: boolean): Promise<T> {
  for (;;) {
    const answers = await Promise.allSettled(twice ? [write(), write()] : [write()]);
    const values: T[] = [];
    for (const answer of answers) {
      if (answer.status === 'fulfilled') values.push(answer.value);
      else if (!(answer.reason instanceof QuarryError) || answer.reason.code !== 9004) throw answer.reason;
    }
    if (values.length > 0) return values[0];
    await pause(2);
  }
}

t.test(
  'updates, deletes and deduplicated writes that run when threads die return the right number and take effect once',
  async (t) => {
    const prng = new Prng(SEED);
    const threads = watchThreads(t);
    const options = { workerCount: 2, shardCount: 3, checkpointLogBytes: 40_000, logFileBytes: 2 ** 20 };
    const store = await TestStore.open(t, makeDir(t), options);
    await store.createColumns(COLUMNS);
    const stories: Story[] = [];
    const wrong: string[] = [];
    let refusedCount = 0;
    let running = true;
    /**
     * A refused write without an idempotency key must have no effect, so the batch keeps its state; others are
     * repeated.
     */
    const step = async (what: string, batch: number, write: (name: string | null) => Promise<number>) => {
      const named = batch % 2 === 0;
      let found: number | null = null;
      if (named) found = await untilAnswered(() => write(`${what} ${batch}`), batch % 4 === 0);
      else {
        found = await write(null).catch((error) => {
          if (!(error instanceof QuarryError) || error.code !== 9004) throw error;
          refusedCount++;
          return null;
        });
      }
      if (found !== null && found !== SIZE) wrong.push(`${what} ${batch} answered ${found}`);
      return found !== null;
    };
    const writer = async (client: number): Promise<void> => {
      for (let round = 0; running; round++) {
        const batch = client * 10_000 + round;
        const inserted = await step('insert', batch, async (name) => {
          return (await store.insert(bodyOf(batch), name)).entityCount;
        });
        if (!inserted) continue;
        const story: Story = { batch, stage: 'inserted' };
        stories.push(story);
        const set = jsonObject({ batch: num(batch + MOVED), visits: visit });
        const moved = await step('move', batch, (idempotencyId) =>
          store.mutate(inBatch(batch), set, { idempotencyId }),
        );
        if (!moved) continue;
        story.stage = 'moved';
        if (round % 3 !== 0) continue;
        const query = inBatch(batch + MOVED);
        const gone = await step('delete', batch, (idempotencyId) =>
          store.mutate(query, null, { idempotencyId }),
        );
        if (gone) story.stage = 'deleted';
      }
    };
    const load = [1, 2, 3, 4, 5, 6].map(writer);
    for (let kill = 0; kill < 6 || stories.length < 12; kill++) {
      await pause(prng.between(20, 60));
      await prng.pick([...threads]).terminate();
      await untilBack(store);
    }
    running = false;
    await Promise.all(load);
    await untilBack(store);
    t.strictSame(wrong, []);
    t.ok(store.engine.stats().workerRestartCount >= 3);
    t.comment(`${stories.length} batches, ${refusedCount} plain writes refused`);
    t.ok(stories.length > 8, `${stories.length} batches`);

    const check = async (store: TestStore, what: string): Promise<void> => {
      const of = (stage: Story['stage']) => stories.filter((story) => story.stage === stage);
      const there = of('inserted').length + of('moved').length;
      t.equal(await store.total(), there * SIZE, what);
      t.equal(await store.countOne(visitedAtLeast(1)), there * SIZE, what);
      t.equal(await store.countOne(visitedAtLeast(2)), of('moved').length * SIZE, what);
      t.equal(await store.countOne(visitedAtLeast(3)), 0, `${what}: nothing took effect twice`);
      for (const { batch, stage } of stories) {
        const counts = [await store.countOne(inBatch(batch)), await store.countOne(inBatch(batch + MOVED))];
        const expected = { inserted: [SIZE, 0], moved: [0, SIZE], deleted: [0, 0] }[stage];
        if (counts.join() !== expected.join())
          wrong.push(`${what}: batch ${batch} is ${counts}, not ${stage}`);
      }
      t.strictSame(wrong, []);
    };
    await check(store, 'at once');
    const { updatedEntityCount } = store.engine.usage(1);
    t.equal(updatedEntityCount, stories.filter(({ stage }) => stage !== 'inserted').length * SIZE);
    const killed = copyDir(t, store.dir);
    await store.close();
    for (const dir of [killed, store.dir]) {
      const again = await TestStore.open(t, dir, { ...options, workerCount: 1 });
      await check(again, 'after a restart');
      t.equal(again.engine.usage(1).updatedEntityCount, updatedEntityCount);
      await again.close();
    }
  },
);

for (const moment of ['before', 'amid'] as const) {
  t.test(
    `a thread that ends ${moment} a write of each kind returns the right answer after the rebuild`,
    async (t) => {
      let armed: { readonly worker: number; readonly op: WorkerOp } | null = null;
      const createWorkerClient = dyingWorkers(t, moment, (worker, op) => {
        if (armed?.worker !== worker || armed.op !== op) return false;
        armed = null;
        return true;
      });
      const store = await TestStore.open(t, makeDir(t), {
        workerCount: 2,
        shardCount: 3,
        createWorkerClient,
      });
      await store.createColumns(COLUMNS);
      for (const batch of [1, 2, 3]) await store.insert(bodyOf(batch));
      let deaths = 0;
      const dying = async <T>(worker: number, op: WorkerOp, write: () => Promise<T>): Promise<T> => {
        armed = { worker, op };
        const answer = await write();
        t.equal(armed, null, `${op} was sent`);
        deaths++;
        // A thread that ended while idle is noticed at the next request.
        for (let tries = 0; store.engine.stats().workerRestartCount < deaths && tries < 500; tries++) {
          await codeOf(store.total());
          await pause(5);
        }
        t.equal(store.engine.stats().workerRestartCount, deaths, `the thread of worker ${worker} ended`);
        await untilBack(store);
        return answer;
      };
      for (const worker of [0, 1]) {
        const from = worker === 0 ? 1 : MOVED + 1;
        const set = jsonObject({ batch: num(from + MOVED), visits: visit });
        const update = () => store.mutate(inBatch(from), set, { idempotencyId: `update ${worker}` });
        t.equal(await dying(worker, 'mutate', update), SIZE, `an update, worker ${worker}`);
        t.equal(await update(), SIZE, 'the repeat');
        const insert = () => store.insert(bodyOf(4 + worker), `insert ${worker}`);
        t.strictSame(await dying(worker, 'apply', insert), { entityCount: SIZE, valueCount: SIZE * 2 });
        t.strictSame(await insert(), { entityCount: SIZE, valueCount: SIZE * 2 }, 'the repeat');
        const remove = () => store.mutate(inBatch(2 + worker), null, { idempotencyId: `delete ${worker}` });
        t.equal(await dying(worker, 'mutate', remove), SIZE, `a delete, worker ${worker}`);
        t.equal(await remove(), SIZE, 'the repeat');
      }
      const check = async (store: TestStore): Promise<void> => {
        t.equal(await store.total(), 3 * SIZE);
        t.equal(await store.countOne(inBatch(1 + 2 * MOVED)), SIZE);
        t.equal(await store.countOne(visitedAtLeast(3)), SIZE);
        t.equal(await store.countOne(visitedAtLeast(4)), 0);
        t.equal(await store.countOne(visitedAtLeast(2)), SIZE);
        t.match(store.engine.usage(1), { insertedEntityCount: 5 * SIZE, updatedEntityCount: 2 * SIZE });
        t.equal(store.engine.stats().idempotencyKeyCount, 6);
      };
      await check(store);
      t.strictSame(store.fatals, []);
      const { dir } = store;
      await store.close();
      await check(await TestStore.open(t, dir));
    },
  );
}

t.test(
  'a thread that ends while the store closes does not cause the refusal of a write that is in the log',
  async (t) => {
    const threads = watchThreads(t);
    const dir = makeDir(t);
    const store = await TestStore.open(t, dir, { workerCount: 2, shardCount: 2 });
    await store.createColumns(COLUMNS);
    for (let batch = 0; batch < 20; batch++) await store.insert(bodyOf(batch));
    const updates = Array.from({ length: 20 }, (_, batch) =>
      codeOf(store.mutate(inBatch(batch), jsonObject({ batch: num(batch + MOVED) }))),
    );
    await store.mutate(inBatch(0), jsonObject({ batch: num(MOVED) })).catch(() => {});
    const closed = store.close();
    const killed = [...threads][1].terminate();
    const codes = await Promise.all(updates);
    await Promise.all([closed, killed]);
    const again = await TestStore.open(t, dir, { workerCount: 1 });
    for (const [batch, code] of codes.entries()) {
      t.equal(
        await again.countOne(inBatch(batch + MOVED)),
        code === null ? SIZE : 0,
        `batch ${batch}: ${code}`,
      );
    }
    await again.close();
  },
);

/** An order whose log always has capacity. */
function orderOverEmptyLog(): WriteOrder {
  const order = new WriteOrder(
    [] as never,
    () => new Map(),
    () => {},
    {} as never,
  );
  const log = { hasCapacity: () => true, waitForCapacity: () => Promise.resolve() };
  order.begin(log as never, EMPTY_CATALOG, 0);
  return order;
}

t.test('other writers wait for one that appends alone, also if it fails', async (t) => {
  const order = orderOverEmptyLog();
  const events: string[] = [];
  const first = order.alone(async () => {
    events.push('first begins');
    await pause(5);
    events.push('first ends');
    throw new Error('failed');
  });
  const second = order.alone(async () => {
    events.push('second');
    t.equal(order.hasCapacity(1), false);
  });
  t.equal(order.hasCapacity(1), false);
  t.equal(order.log.hasCapacity(1), true, 'for the writer itself');
  const other = (async () => {
    while (!order.hasCapacity(1)) await order.waitForCapacity(1);
    events.push('other');
  })();
  await t.rejects(first, { message: 'failed' });
  await Promise.all([second, other]);
  t.strictSame(events, ['first begins', 'first ends', 'second', 'other']);
  t.equal(order.hasCapacity(1), true);
});

t.test('a writer that takes too long no longer makes others wait', async (t) => {
  const order = orderOverEmptyLog();
  let end = (): void => {};
  const slow = order.alone(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  while (!order.hasCapacity(1)) await order.waitForCapacity(1);
  const next = order.alone(async () => {
    end();
    await slow;
    t.equal(order.hasCapacity(1), false, 'the end of the slow one does not end the pause of the next');
  });
  await next;
  t.equal(order.hasCapacity(1), true);
});
