/** Groups of several workers: those that the workers merge equal those that the main thread merges. */
import t, { type Test } from 'tap';
import type { Json } from '../../../src/api/index.js';
import { type Cancellation, Prng } from '../../../src/base/index.js';
import type { EngineOptions } from '../../../src/engine/index.js';
import { type CreateWorkerClient, WorkerClient } from '../../../src/engine/workers/worker-client.js';
import type { SelectPart, WorkerOp } from '../../../src/protocol/index.js';
import { jsonObject, num } from '../../support/generate.js';
import { unsharedClients } from '../../support/unshared-client.js';
import { fill, rowsOf } from '../select-store.js';
import { copyDir, makeDir, QUERY_OPTIONS, TestStore, workerFile } from '../store.js';
import { codeOf, untilBack, watchThreads, workerWith } from '../threads.js';

const SEED = 5_150;
t.comment(`seed ${SEED}`);
t.setTimeout(480_000);
const LONG = { timeout: 240_000 };

const PEOPLE = 2_000;
/** The integers of a worker's groups are in pooled memory if there are 8,192 of them. */
const MANY_PEOPLE = 20_000;
const ALL_AGGREGATES =
  'COUNT(*) AS c, COUNT(n) AS cn, SUM(n) AS s, SUM(d) AS sd, AVG(d) AS a, MIN(word) AS w, MAX(day) AS m, STDDEV(n) AS v, MEDIAN(n + 1) AS p, COUNT(DISTINCT word) AS cw, COUNT(DISTINCT n) AS dn, SUM(DISTINCT n) AS ds, SUM(n * 1.5e0) AS f';
const STATEMENTS = [
  `SELECT n, ${ALL_AGGREGATES} FROM [default] GROUP BY n`,
  `SELECT word, day, ${ALL_AGGREGATES} FROM [default] GROUP BY word, day ORDER BY c DESC LIMIT 7 OFFSET 2`,
  `SELECT word, ${ALL_AGGREGATES} FROM [default] GROUP BY word HAVING MAX(n) > 900 ORDER BY word DESC`,
  'SELECT d, n, word, day, SUM(n) AS s, COUNT(*) AS c FROM [default] GROUP BY d, n, word, day LIMIT 10',
  'SELECT d, COUNT(*) AS c FROM [default] GROUP BY d ORDER BY c DESC, d LIMIT 0',
  'SELECT n FROM [default] WHERE n > 5000 GROUP BY n',
  'SELECT CONCAT(word, n) AS k, COUNT(*) AS c FROM [default] GROUP BY CONCAT(word, n) ORDER BY c DESC LIMIT 30',
  'SELECT [visits.value] AS e, COUNT(*) AS c FROM [default] GROUP BY [visits.value]',
  'SELECT DISTINCT n, word FROM [default] ORDER BY word, n LIMIT 60',
  'SELECT a.word, COUNT(*) AS c FROM [default] a JOIN [default] b ON a.[entity-id] = b.[entity-id] GROUP BY a.word ORDER BY a.word',
];

type Watch = (op: WorkerOp, worker: number, answer: unknown) => void;

const watched =
  (watch: Watch): CreateWorkerClient =>
  (start, onDown) => {
    const worker = new WorkerClient(workerFile, start, onDown);
    const send: WorkerClient['send'] = async (op, request) => {
      watch(op, start.workerIndex, null);
      const answer = await worker.send(op, request);
      watch(op, start.workerIndex, answer);
      return answer;
    };
    return workerWith(worker, send);
  };

const dirs = new Map<number, string>();

async function opened(t: Test, shardCount: number, options: Partial<EngineOptions>): Promise<TestStore> {
  let dir = dirs.get(shardCount);
  if (dir === undefined) {
    dir = makeDir(globalTest);
    dirs.set(shardCount, dir);
    const store = await TestStore.open(t, dir, { workerCount: 1, shardCount });
    await fill(store, new Prng(SEED), PEOPLE);
    await store.close();
  }
  const workerCount = Math.min(3, shardCount);
  return TestStore.open(t, copyDir(t, dir), { workerCount, shardCount, ...options });
}
const globalTest = t as Test;

async function textsOf(store: TestStore): Promise<string[]> {
  const texts: string[] = [];
  for (const statement of STATEMENTS) {
    const rows = await rowsOf(store, statement);
    texts.push(rows.map((row) => JSON.stringify(row)).join('\n'));
  }
  return texts;
}

t.test(
  'the answers do not depend on the threads that merge, nor on the shards and slices',
  LONG,
  async (t) => {
    const wanted = await textsOf(await opened(t, 1, { partitionGroupsMin: Number.MAX_SAFE_INTEGER }));
    for (const shardCount of [1, 2, 5, 7]) {
      let mergeCount = 0;
      const createWorkerClient = watched((op, _worker, answer) => {
        if (op === 'select-merge' && answer === null) mergeCount++;
      });
      const slices = shardCount === 5 ? { firstSliceMs: 0, sliceMs: 0.1 } : {};
      const store = await opened(t, shardCount, { partitionGroupsMin: 1, createWorkerClient, ...slices });
      for (const [index, text] of (await textsOf(store)).entries())
        t.equal(text, wanted[index], `${shardCount} shards, ${STATEMENTS[index]}`);
      t.ok(mergeCount > STATEMENTS.length, `${mergeCount} merges`);
      await store.close();
    }
  },
);

t.test(
  'SELECTs with many groups, at the same time and one after the other, do not mix their memory',
  LONG,
  async (t) => {
    const statements = [
      'SELECT n, COUNT(*) AS c, SUM(n) AS s, MIN(n) AS m FROM [default] GROUP BY n',
      'SELECT d, n, COUNT(*) AS c, MAX(n) AS m FROM [default] GROUP BY d, n ORDER BY c DESC, n LIMIT 40',
      'SELECT n, AVG(n) AS a FROM [default] GROUP BY n ORDER BY n DESC LIMIT 9000',
    ];
    const dir = makeDir(t);
    const options = { workerCount: 2, shardCount: 2 };
    const filled = await TestStore.open(t, dir, options);
    const prng = new Prng(SEED + 1);
    await fill(filled, prng, 10);
    for (let from = 0; from < MANY_PEOPLE; from += 1_000) {
      const entities: Record<string, Json> = {};
      for (let index = from; index < from + 1_000; index++) {
        const n = BigInt.asIntN(62, BigInt(prng.u32()) * 0x9e3779b97f4an);
        entities[`m${index}`] = jsonObject({ n: num(String(n)), d: num(`${prng.below(50)}.25`) });
      }
      await filled.insert(jsonObject(entities));
    }
    await filled.close();
    const answers = async (partitionGroupsMin: number, rounds: number): Promise<string[]> => {
      const store = await TestStore.open(t, copyDir(t, dir), { ...options, partitionGroupsMin });
      const found: string[] = [];
      for (let round = 0; round < rounds; round++) {
        const all = await Promise.all(statements.map((statement) => rowsOf(store, statement)));
        found.push(all.map((rows) => rows.map((row) => JSON.stringify(row)).join('\n')).join('\n\n'));
      }
      await store.close();
      return found;
    };
    const [wanted] = await answers(Number.MAX_SAFE_INTEGER, 1);
    for (const [round, found] of (await answers(1, 4)).entries()) t.ok(found === wanted, `round ${round}`);
  },
);

t.test('the answers are the same if the rows of all groups are spilled', LONG, async (t) => {
  const wanted = await textsOf(await opened(t, 1, { partitionGroupsMin: Number.MAX_SAFE_INTEGER }));
  const store = await opened(t, 3, { partitionGroupsMin: 1, spillShareBytesMax: 1 });
  for (const [index, text] of (await textsOf(store)).entries())
    t.equal(text, wanted[index], STATEMENTS[index]);
  t.ok(store.engine.stats().querySpilledBytes > 0, 'rows were spilled');
  await store.close();
});

t.test('with bytes, the workers exchange groups without shared memory', LONG, async (t) => {
  const wanted = await textsOf(await opened(t, 1, { partitionGroupsMin: Number.MAX_SAFE_INTEGER }));
  for (const shardCount of [1, 2, 5, 7]) {
    const found: string[] = [];
    const ops = new Set<WorkerOp>();
    const createWorkerClient = unsharedClients(workerFile, found, ops);
    const slices = shardCount === 5 ? { firstSliceMs: 0, sliceMs: 0.1 } : {};
    const options = { exchange: 'bytes', partitionGroupsMin: 1, createWorkerClient, ...slices } as const;
    const store = await opened(t, shardCount, options);
    for (const [index, text] of (await textsOf(store)).entries())
      t.equal(text, wanted[index], `${shardCount} shards, ${STATEMENTS[index]}`);
    t.strictSame(found, []);
    t.ok(ops.has('select-merge-step') && !ops.has('select-merge'));
    await store.close();
  }
});

t.test('a worker with few groups leaves them to those with many', async (t) => {
  const wanted = await rowsOf(await opened(t, 1, {}), STATEMENTS[0]);
  const kinds = new Set<string>();
  const createWorkerClient = watched((op, worker, answer) => {
    if (op === 'select-next' && answer !== null) kinds.add(`${worker} ${(answer as SelectPart).gives}`);
  });
  // One of the workers has two of three shards, and about twice as many groups.
  for (const exchange of ['shared', 'bytes'] as const) {
    kinds.clear();
    const store = await opened(t, 3, {
      workerCount: 2,
      partitionGroupsMin: 700,
      createWorkerClient,
      exchange,
    });
    t.strictSame(await rowsOf(store, STATEMENTS[0]), wanted);
    const answers =
      exchange === 'shared'
        ? ['0 columns', '0 group-count', '0 partitions', '1 groups']
        : ['0 exchanged-groups', '0 group-count', '0 row-bytes', '1 group-bytes'];
    t.strictSame([...kinds].filter((kind) => !kind.endsWith('nothing')).sort(), answers);
  }
});

for (const exchange of ['shared', 'bytes'] as const) {
  t.test(`a client that disconnects during the merge ends the SELECT on all workers (${exchange})`, (t) =>
    testDisconnect(t, exchange),
  );
  t.test(`a worker that dies during the merge fails the query with 9004 (${exchange})`, (t) =>
    testDeath(t, exchange),
  );
  t.test(
    `a query is refused if there is no memory, and answered if there is enough (${exchange})`,
    LONG,
    (t) => testMemory(t, exchange),
  );
}

/** The first request of a merge. */
const MERGES = { shared: 'select-merge', bytes: 'select-merge-step' } as const;

async function testDisconnect(t: Test, exchange: 'shared' | 'bytes'): Promise<void> {
  let cancel = (): void => {};
  const begun = new Map<number, number>();
  const createWorkerClient = watched((op, worker, answer) => {
    if (op === 'select-begin' && answer === null) begun.set(worker, (begun.get(worker) ?? 0) + 1);
    if (op === MERGES[exchange]) cancel();
  });
  const store = await opened(t, 5, { partitionGroupsMin: 1, createWorkerClient, exchange });
  // More iterations than slots.
  for (let round = 0; round < 6; round++) {
    const caller: Cancellation = {
      isCancelled: false,
      onCancel: (act) => {
        cancel = act ?? ((): void => {});
      },
    };
    await t.rejects(rowsOf(store, STATEMENTS[0], { ...QUERY_OPTIONS, cancellation: caller }), { code: 9005 });
    cancel = (): void => {};
  }
  t.ok(begun.size > 0);
  t.equal((await rowsOf(store, STATEMENTS[3])).length, 10);
}

async function testDeath(t: Test, exchange: 'shared' | 'bytes'): Promise<void> {
  const threads = watchThreads(t);
  let kill = true;
  const createWorkerClient = watched((op) => {
    if (op !== MERGES[exchange] || !kill) return;
    kill = false;
    const [first] = threads;
    void first.terminate();
  });
  const store = await opened(t, 5, { partitionGroupsMin: 1, createWorkerClient, exchange });
  t.equal(await codeOf(rowsOf(store, STATEMENTS[0])), 9004);
  await untilBack(store);
  t.equal((await rowsOf(store, STATEMENTS[3])).length, 10);
}

async function testMemory(t: Test, exchange: 'shared' | 'bytes'): Promise<void> {
  const wanted = await rowsOf(await opened(t, 2, {}), STATEMENTS[3]);
  const codes = new Set<number | null>();
  for (let queryBytesMax = 2 ** 21; queryBytesMax < 2 ** 28; queryBytesMax *= 4) {
    const store = await opened(t, 2, { partitionGroupsMin: 1, queryBytesMax, exchange });
    const answered = rowsOf(store, STATEMENTS[3]).then((rows) => t.strictSame(rows, wanted));
    codes.add(await codeOf(answered));
    await store.close();
  }
  t.strictSame([...codes], [9006, null]);
}
