/** SELECTs that do not finish in their first slice restart inside the write barrier and run slice by slice. */
import t, { type Test } from 'tap';
import { type Cancellation, Prng } from '../../../src/base/index.js';
import type { EngineOptions } from '../../../src/engine/index.js';
import { type CreateWorkerClient, WorkerClient } from '../../../src/engine/workers/worker-client.js';
import { countsTexts } from '../../../src/ir/index.js';
import type { SelectPart, WorkerOp, WorkerRequests } from '../../../src/protocol/index.js';
import { jsonObject, num } from '../../support/generate.js';
import { fill, type Rows, rowsOf } from '../select-store.js';
import { copyDir, makeDir, QUERY_OPTIONS, TestStore, workerFile } from '../store.js';
import { workerWith } from '../threads.js';

const SEED = 407;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

const PEOPLE = 9_000;
/** Workers run one step per slice; the first slice differs from the others. */
const SHORT: Partial<EngineOptions> = { workerCount: 2, firstSliceMs: 0, sliceMs: 1e-9 };

const GROUPED = 'SELECT word, COUNT(*) AS c, MEDIAN(n + 1) AS m FROM [default] GROUP BY word ORDER BY word';
const HEAVY = [
  GROUPED,
  'SELECT DISTINCT [entity-id], n, word, day FROM [default] ORDER BY [entity-id] LIMIT 50',
  'SELECT [entity-id], n, d FROM [default] ORDER BY d DESC, n, [entity-id] LIMIT 20',
  "SELECT [entity-id] FROM [default] WHERE LENGTH([entity-id]) + LENGTH(word) = 7 AND word <> 'w3' ORDER BY [entity-id] LIMIT 9",
  'SELECT a.word, COUNT(*) AS c FROM [default] a JOIN [default] b ON a.[entity-id] = b.[entity-id] GROUP BY a.word ORDER BY a.word',
  'SELECT COUNT(*) AS c, SUM([visits.value]) AS s, MEDIAN([visits.value]) AS m FROM [default] WHERE n + 0 > 100',
  'SELECT [visits.value], COUNT(*) AS c FROM [default] GROUP BY [visits.value] ORDER BY c DESC',
  'SELECT COUNT(DISTINCT word) AS w, COUNT(*) AS c FROM [default] WHERE n + 0 > 100',
];

type Watch = (op: WorkerOp, request: WorkerRequests[WorkerOp], worker: number) => void;
type WatchAnswer = (op: WorkerOp, request: WorkerRequests[WorkerOp], worker: number, answer: unknown) => void;

/** Worker clients that call an observer before each request and after each reply. */
const watched =
  (watch: Watch, watchAnswer: WatchAnswer): CreateWorkerClient =>
  (start, onDown) => {
    const worker = new WorkerClient(workerFile, start, onDown);
    const send: WorkerClient['send'] = async (op, request) => {
      watch(op, request, start.workerIndex);
      const answer = await worker.send(op, request);
      watchAnswer(op, request, start.workerIndex, answer);
      return answer;
    };
    return workerWith(worker, send);
  };

const EXPLAINED = HEAVY.map((statement) => `EXPLAIN ANALYZE ${statement}`);

/** The folder of a store with data, and the answers with long slices. */
async function prepared(): Promise<{ full: string; wanted: Rows[] }> {
  const full = makeDir(t);
  const store = await TestStore.open(t, full, { workerCount: 2, shardCount: 3 });
  await fill(store, new Prng(SEED), PEOPLE);
  const wanted: Rows[] = [];
  for (const statement of [...HEAVY, ...EXPLAINED]) wanted.push(await rowsOf(store, statement));
  await store.close();
  return { full, wanted };
}

const { full, wanted } = await prepared();

const openShort = (t: Test, watch: Watch, watchAnswer: WatchAnswer = () => {}): Promise<TestStore> =>
  TestStore.open(t, copyDir(t, full), { ...SHORT, createWorkerClient: watched(watch, watchAnswer) });

t.test('other requests run between the slices of a SELECT, and records wait for its end', async (t) => {
  let slices = 0;
  let slicesBefore = 0;
  let second = (): void => {};
  const store = await openShort(t, (op, request, worker) => {
    if (op === 'apply') slicesBefore = slices;
    if (op !== 'select-next' || (request as WorkerRequests['select-next']).sliceMs === 0 || worker !== 0)
      return;
    if (++slices === 2) second();
  });
  for (const [index, statement] of HEAVY.entries()) {
    second = () => {};
    const alone = await rowsOf(store, statement);
    slices = 0;
    const order: string[] = [];
    const others: Promise<unknown>[] = [];
    const count = PEOPLE + index;
    second = () => {
      others.push(
        store.insert(jsonObject({ [`another${index}`]: jsonObject({ n: num(500), word: 'w9' }) })),
        store.total().then((total) => {
          order.push('count');
          t.equal(total, count, 'the record was not applied yet');
        }),
      );
    };
    const rows = await rowsOf(store, statement).finally(() => order.push('select'));
    await Promise.all(others);
    t.ok(slices >= 4, `${slices} slices`);
    t.strictSame(order, ['count', 'select'], statement);
    t.equal(slicesBefore, slices, 'the record was applied after the last slice');
    t.strictSame(rows, alone, statement);
    const [{ c }] = await rowsOf(store, 'SELECT COUNT(*) AS c FROM [default]');
    t.equal(c, count + 1);
  }
});

t.test('the answers and the counts of EXPLAIN ANALYZE do not depend on the slices', async (t) => {
  const store = await openShort(t, () => {});
  // The number of sorted rows depends on the batch boundaries (see TopBound), and waits on the other work.
  const plain = (rows: Rows): Rows =>
    rows
      .filter(({ operator }) => operator !== 'wait')
      .map((row) => ({ ...row, milliseconds: null, ...(row.operator === 'sort' ? { rows: null } : {}) }));
  for (const [index, statement] of [...HEAVY, ...EXPLAINED].entries()) {
    const rows = await rowsOf(store, statement);
    t.strictSame(plain(rows), plain(wanted[index]), statement);
  }
});

t.test('two SELECTs of many slices run concurrently, and each gets its answer', async (t) => {
  const inside = new Set<number>();
  let most = 0;
  const begun: number[][] = [[], []];
  /** Requests that end a SELECT, or its last slice. */
  const ended: number[][] = [[], []];
  const counting = new Set<number>();
  const end = (selectId: number, worker: number): void => {
    ended[worker].push(selectId);
    inside.delete(selectId);
  };
  const store = await openShort(
    t,
    (op, request, worker) => {
      if (op === 'select-begin') {
        const { selectId, plan } = request as WorkerRequests['select-begin'];
        begun[worker].push(selectId);
        if (countsTexts(plan)) counting.add(selectId);
      }
      if (op === 'select-end') end((request as WorkerRequests['select-end']).selectId, worker);
      if (op !== 'select-next') return;
      const { selectId, sliceMs } = request as WorkerRequests['select-next'];
      if (sliceMs > 0) inside.add(selectId);
      most = Math.max(most, inside.size);
    },
    (op, request, worker, answer) => {
      if (op !== 'select-next' || !(answer as SelectPart).done) return;
      const { selectId } = request as WorkerRequests['select-next'];
      if (!counting.has(selectId)) end(selectId, worker);
    },
  );
  const rows = await Promise.all([...HEAVY, ...HEAVY].map((statement) => rowsOf(store, statement)));
  const answers = wanted.slice(0, HEAVY.length);
  t.strictSame(rows, [...answers, ...answers]);
  t.equal(most, 2);
  t.equal(inside.size, 0);
  t.ok(counting.size > 0 && counting.size < new Set(begun[0]).size);
  for (const worker of [0, 1]) t.strictSame(ended[worker].sort(), begun[worker].sort(), `worker ${worker}`);
});

t.test('a client that disconnects between slices ends the SELECT, which leaves the barrier', async (t) => {
  let cancel = (): void => {};
  let slices = 0;
  const begun = new Set<number>();
  const store = await openShort(t, (op, request) => {
    if (op === 'select-begin') begun.add((request as WorkerRequests['select-begin']).selectId);
    if (op === 'select-end') begun.delete((request as WorkerRequests['select-end']).selectId);
    if (op === 'select-next' && ++slices === 12) cancel();
  });
  // More iterations than slots.
  for (let round = 0; round < 6; round++) {
    slices = 0;
    const caller: Cancellation = {
      isCancelled: false,
      onCancel: (act) => {
        cancel = act ?? ((): void => {});
      },
    };
    await t.rejects(rowsOf(store, GROUPED, { ...QUERY_OPTIONS, cancellation: caller }), { code: 9005 });
    t.equal(begun.size, 0, 'all workers have ended the SELECT');
    const sent = slices;
    t.equal(await store.total(), PEOPLE + round);
    t.ok(slices <= sent + 2, 'no worker continues the SELECT');
    cancel = (): void => {};
    const body = jsonObject({ [`after${round}`]: jsonObject({ d: num('1.25') }) });
    await store.insert(body);
  }
  const rows = await rowsOf(store, GROUPED);
  t.strictSame(
    rows.filter(({ word }) => word !== null),
    wanted[0].filter(({ word }) => word !== null),
  );
});
