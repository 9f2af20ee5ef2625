/** A worker whose thread ends during a rebuild is rebuilt by another thread, unless a log record ends every thread. */
import type { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { type CreateWorkerClient, WorkerClient } from '../../../src/engine/workers/worker-client.js';
import type { WorkerOp } from '../../../src/protocol/index.js';
import { makeDir, TestStore, workerFile } from '../store.js';
import { bodyOf, COLUMNS, codeOf, SIZE, untilBack, watchThreads, workerWith } from '../threads.js';

/** The worker of the store. Each thread after the first one ends at the request that `due` determines. */
function dyingWorker(t: Test, due: (thread: number, op: WorkerOp) => boolean): CreateWorkerClient {
  // The thread with which a pool replaces a dead one is not used.
  const waiting: ((worker: Worker) => void)[] = [];
  const onWorker = (worker: Worker): void => waiting.shift()?.(worker);
  process.on('worker', onWorker);
  t.teardown(() => process.off('worker', onWorker));
  let count = 0;
  return (start, onDown) => {
    const worker = new WorkerClient(workerFile, start, onDown);
    const own = count++;
    let thread: Worker | null = null;
    waiting.push((worker) => {
      thread = worker;
    });
    const send: typeof worker.send = (op, request) => {
      if (own > 0 && due(own, op)) thread?.terminate();
      return worker.send(op, request);
    };
    return workerWith(worker, send);
  };
}

t.test('a rebuild whose threads end at different records is finished by a later thread', async (t) => {
  const threads = watchThreads(t);
  const ops: readonly WorkerOp[] = ['apply', 'model'];
  const createWorkerClient = dyingWorker(t, (thread, op) => op === ops[thread - 1]);
  const store = await TestStore.open(t, makeDir(t), { workerCount: 1, shardCount: 2, createWorkerClient });
  await store.createColumns(COLUMNS);
  for (let batch = 0; batch < 3; batch++) await store.insert(bodyOf(batch));
  await [...threads][0].terminate();
  await codeOf(store.total());
  await untilBack(store);
  t.equal(await store.total(), 3 * SIZE);
  await store.insert(bodyOf(3));
  t.equal(await store.total(), 4 * SIZE);
  t.equal(store.warnings.filter((text) => text.includes('while it loaded its shards')).length, 2);
  t.equal(store.engine.stats().workerRestartCount, 1);
  t.strictSame(store.fatals, []);
});

t.test(
  'a record at which two threads end while applying records one by one is reported and not retried',
  async (t) => {
    const threads = watchThreads(t);
    const createWorkerClient = dyingWorker(t, (_thread, op) => op === 'apply');
    const store = await TestStore.open(t, makeDir(t), { workerCount: 1, shardCount: 2, createWorkerClient });
    await store.createColumns(COLUMNS);
    await store.insert(bodyOf(0));
    await [...threads][0].terminate();
    await codeOf(store.total());
    for (let tries = 0; store.fatals.length === 0 && tries < 1_000; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    t.match(
      store.fatals.map(({ message }) => message),
      [/^the record of LSN \d+, in \S+\.qlog at byte \d+, ends every thread that applies it: /],
    );
    t.equal(store.warnings.filter((text) => text.includes('while it loaded its shards')).length, 3);
    // An engine after a fatal error is not closed.
    await t.rejects(store.close());
    for (const thread of threads) await thread.terminate();
  },
);
