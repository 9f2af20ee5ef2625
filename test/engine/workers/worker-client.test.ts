/** Worker threads that end under load or while idle: their shards are rebuilt, and no acknowledged write is lost. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { WorkerQueue } from '../../../src/engine/workers/worker-client.js';
import { LARGE_OPS, type WorkerOp } from '../../../src/protocol/index.js';
import { makeDir, TestStore } from '../store.js';
import { bodyOf, COLUMNS, codeOf, SIZE, untilBack, visitedAtLeast, watchThreads } from '../threads.js';

const SEED = 141_421;
t.comment(`seed ${SEED}`);
t.setTimeout(200_000);

for (const [what, checkpointLogBytes] of [
  ['before any checkpoint', 2 ** 30],
  ['beside running checkpoints', 30_000],
] as const) {
  t.test(
    `threads killed under load ${what}: acknowledged requests are kept, and refused ones have no effect`,
    async (t) => {
      const prng = new Prng(SEED);
      const threads = watchThreads(t);
      const options = { workerCount: 2, shardCount: 3, checkpointLogBytes, logFileBytes: 2 ** 20 };
      const store = await TestStore.open(t, makeDir(t), options);
      await store.createColumns(COLUMNS);
      const acknowledged = new Set<number>();
      const refused = new Set<number>();
      const codes = new Set<number | null>();
      let running = true;
      const writer = async (client: number): Promise<void> => {
        for (let round = 0; running; round++) {
          const batch = client * 1_000_000 + round;
          const code = await codeOf(store.insert(bodyOf(batch)));
          codes.add(code);
          (code === null ? acknowledged : refused).add(batch);
          if (code !== null) await pause(2);
        }
      };
      const reader = async (): Promise<void> => {
        while (running) {
          codes.add(await codeOf(store.countOne(visitedAtLeast(1))));
          await pause(1);
        }
      };
      const load = [writer(1), writer(2), writer(3), writer(4), reader()];
      for (let kill = 0; kill < 5; kill++) {
        await pause(prng.between(20, 60));
        const alive = [...threads];
        await prng.pick(alive).terminate();
        await untilBack(store);
      }
      await pause(30);
      running = false;
      await Promise.all(load);
      await untilBack(store);

      t.ok(store.engine.stats().workerRestartCount >= 3);
      t.strictSame(
        [...codes].filter((code) => code !== null && code !== 9004),
        [],
      );
      t.ok(acknowledged.size > 20, `${acknowledged.size} acknowledged, ${refused.size} refused`);
      t.equal(await store.total(), acknowledged.size * SIZE);
      t.equal(await store.countOne(visitedAtLeast(1)), acknowledged.size * SIZE);
      t.equal(await store.countOne(visitedAtLeast(2)), 0, 'nothing was applied twice');
      const batches = [...acknowledged];
      for (let at = 0; at < batches.length; at += 90) {
        const ids = batches.slice(at, at + 90).map((batch) => `b${batch}-${SIZE - 1}`);
        t.ok((await store.exists(ids)).every(Boolean));
      }
      const ids = [...refused].slice(0, 90).map((batch) => `b${batch}-0`);
      if (ids.length > 0) t.notOk((await store.exists(ids)).some(Boolean), 'refused requests had no effect');
      t.strictSame(store.fatals, []);

      const { dir } = store;
      await store.close();
      const again = await TestStore.open(t, dir, options);
      t.equal(await again.total(), acknowledged.size * SIZE);
      t.equal(await again.countOne(visitedAtLeast(2)), 0);
    },
  );
}

t.test('a thread that ends while idle is noticed at the next request and rebuilt', async (t) => {
  const threads = watchThreads(t);
  const store = await TestStore.open(t, makeDir(t), { workerCount: 2, shardCount: 2 });
  await store.createColumns(COLUMNS);
  for (let batch = 0; batch < 10; batch++) await store.insert(bodyOf(batch));
  await [...threads][0].terminate();
  await untilBack(store);
  t.equal(await store.total(), 100);
  t.equal(await codeOf(store.insert(bodyOf(10))), null);
  t.equal(await store.countOne(visitedAtLeast(1)), 110);
  t.strictSame(store.fatals, []);
});

t.test('a store that is closed during the rebuild of a worker keeps all data', async (t) => {
  const threads = watchThreads(t);
  const dir = makeDir(t);
  const store = await TestStore.open(t, dir, { workerCount: 2, shardCount: 2 });
  await store.createColumns(COLUMNS);
  const inserts = Array.from({ length: 20 }, (_, batch) => codeOf(store.insert(bodyOf(batch))));
  const killed = [...threads][1].terminate();
  const codes = await Promise.all(inserts);
  await killed;
  await store.close();
  const again = await TestStore.open(t, dir, { workerCount: 1 });
  t.equal(await again.total(), codes.filter((code) => code === null).length * SIZE);
});

const QUEUE_SEED = 27_182;
t.comment(`seed ${QUEUE_SEED}`);

interface Waiting {
  readonly request: { readonly op: WorkerOp };
  readonly number: number;
}

const OPS: readonly WorkerOp[] = ['parse', 'apply', 'count-entities', 'totals', 'select-next', 'mutate'];

const opsOf = (task: readonly Waiting[]): WorkerOp[] => task.map(({ request }) => request.op);

t.test(
  'requests leave a queue in order, except bodies; large answers end a task, and no request starves',
  async (t) => {
    const prng = new Prng(QUEUE_SEED);
    const queue = new WorkerQueue<Waiting>();
    let sent = 0;
    let lastOrdered = -1;
    let lastParse = -1;
    let parsesWaiting = 0;
    let tasksWithout = 0;
    for (let round = 0; round < 5_000; round++) {
      for (let more = prng.below(6); more > 0; more--) {
        const op = prng.pick(OPS);
        if (op === 'parse') parsesWaiting++;
        queue.push({ request: { op }, number: sent++ });
      }
      if (queue.isEmpty) continue;
      const task = queue.nextTask();
      const ops = opsOf(task);
      if (task.length === 0 || task.length > 66) t.fail(`a task has ${task.length} requests`);
      if (ops.slice(0, -1).some((op) => LARGE_OPS.has(op)))
        t.fail(`a large answer does not end the task ${ops}`);
      const parses = task.filter(({ request }) => request.op === 'parse');
      if (parses.length > 2) t.fail(`${parses.length} bodies in one task`);
      if (parses.length > 0 && ops.some((op) => op !== 'parse' && op !== 'apply'))
        t.fail(`a task contains bodies and other requests: ${ops}`);
      for (const { request, number } of task) {
        const last = request.op === 'parse' ? lastParse : lastOrdered;
        if (number <= last) t.fail(`${request.op} ${number} runs after ${last}`);
        if (request.op === 'parse') lastParse = number;
        else lastOrdered = number;
      }
      parsesWaiting -= parses.length;
      tasksWithout = parses.length > 0 || parsesWaiting === 0 ? 0 : tasksWithout + 1;
      if (tasksWithout > 1) t.fail('two tasks in a row contained no waiting body');
    }
    while (!queue.isEmpty) queue.nextTask();
    t.ok(sent > 10_000);
  },
);

t.test('endless bodies and endless queries take turns', async (t) => {
  const queue = new WorkerQueue<Waiting>();
  const kinds: WorkerOp[] = [];
  for (let round = 0; round < 10; round++) {
    queue.push({ request: { op: 'count-entities' }, number: round });
    queue.push({ request: { op: 'parse' }, number: round });
    kinds.push(opsOf(queue.nextTask())[0]);
  }
  t.strictSame(new Set(kinds), new Set(['count-entities', 'parse']));
  t.ok(
    kinds.every((kind, at) => at === 0 || kind !== kinds[at - 1]),
    kinds.join(),
  );
});

t.test('draining a queue returns every waiting request', async (t) => {
  const queue = new WorkerQueue<Waiting>();
  for (const [number, op] of OPS.entries()) queue.push({ request: { op }, number });
  t.strictSame(
    queue
      .drain()
      .map(({ number }) => number)
      .sort(),
    [0, 1, 2, 3, 4, 5],
  );
  t.ok(queue.isEmpty);
});
