/** Streamed extractions from workers with generated rows return exactly the first rows of all workers, in order. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { RowStream, StreamEncoder } from '../../../src/answer/index.js';
import { NO_DATA_MEMORY, Prng, QuarryError } from '../../../src/base/index.js';
import type { QueryOptions } from '../../../src/engine/api.js';
import type { EngineOptions } from '../../../src/engine/options.js';
import { ExtractStreams } from '../../../src/engine/query/extract-stream.js';
import { QueryRunner } from '../../../src/engine/query/query-runner.js';
import { SpoolStore } from '../../../src/engine/query/spool.js';
import { WriteBarrier } from '../../../src/engine/query/write-barrier.js';
import type { WorkerApi } from '../../../src/engine/workers/worker-client.js';
import { WorkerClients } from '../../../src/engine/workers/worker-clients.js';
import { DataVersions } from '../../../src/engine/write/data-versions.js';
import { type ExtractedRow, type ExtractPlan, type OrderKey, positionOrder } from '../../../src/ir/index.js';
import { packRows } from '../../../src/protocol/index.js';
import { faultyDisk } from '../../support/faulty-disk.js';
import { queryLimits } from '../../support/query-limits.js';

const SEED = 83;
t.comment(`seed ${SEED}`);

const ALWAYS: QueryOptions = { cancellation: null, bypassCache: true };

const planOf = (limit: number, order: readonly OrderKey[] = []): ExtractPlan => ({
  ...{ databaseId: 1, dimensionId: 1, condition: null, scored: null, near: null, after: null, columns: [] },
  order,
  limit,
});

function inOrder(rows: readonly ExtractedRow[], plan: ExtractPlan): ExtractedRow[] {
  const compare = positionOrder(plan);
  return [...rows].sort((a, b) => compare(a.position, b.position));
}

/** One line per row, which identifies the row and shows the order. */
const LINES: StreamEncoder<ExtractedRow> = {
  format: 'csv',
  head: () => Buffer.from('head\n'),
  rows: (rows) => Buffer.from(rows.map(({ position }) => `${position.id}\n`).join('')),
  tail: (rowCount) => Buffer.from(`${rowCount}\n`),
};

interface World {
  readonly streams: ExtractStreams;
  readonly barrier: WriteBarrier;
  readonly store: SpoolStore;
  /** The plans that each worker received. */
  readonly requested: ExtractPlan[][];
}

/** Workers with these rows; `answer` may reject or wait. */
function worldOf(
  workers: readonly (readonly ExtractedRow[])[],
  pageRows: number,
  answer: (worker: number) => Promise<void> = async () => {},
): World {
  const requested: ExtractPlan[][] = workers.map(() => []);
  const workerOf = (index: number, sorted: readonly ExtractedRow[] | null = null): WorkerApi => ({
    index,
    shards: [index],
    memory: NO_DATA_MEMORY,
    dictionaryBytesMax: 0,
    close: async () => {},
    send: (async (op: string, { plan }: { plan: ExtractPlan }) => {
      if (op !== 'extract') throw new Error(`unexpected request ${op}`);
      requested[index].push(plan);
      await answer(index);
      const { after, limit } = plan;
      sorted ??= inOrder(workers[index], plan);
      // An entity is on one worker only.
      const from = after === null ? 0 : sorted.findIndex(({ position }) => position.id === after.id) + 1;
      return packRows(sorted.slice(from, from + limit));
    }) as WorkerApi['send'],
  });
  const options = {
    workerCount: workers.length,
    createWorkerClient: ({ workerIndex }: { workerIndex: number }) => workerOf(workerIndex),
  };
  const set = new WorkerClients(
    options as unknown as EngineOptions,
    workers.length,
    () => {},
    () => false,
  );
  const barrier = new WriteBarrier();
  const runner = new QueryRunner({
    workers: set,
    barrier: barrier,
    versions: new DataVersions(),
    limits: queryLimits(10_000, 2 ** 30),
    processBytesMax: Number.POSITIVE_INFINITY,
    writeDelayMsMax: 10_000,
    shrinkVersion: () => 0,
    elapsedMs: () => performance.now(),
  });
  const store = new SpoolStore();
  const spools = { fs: faultyDisk(), dir: '/spool', store };
  return { streams: new ExtractStreams({ runner, spools, pageRows }), barrier, store, requested };
}

async function textOf({ parts }: RowStream): Promise<string> {
  const found: Uint8Array[] = [];
  for await (const part of parts) found.push(part);
  return Buffer.concat(found).toString();
}

/** Rows on workers, many with equal sort keys. */
function spread(prng: Prng, rowCount: number, workerCount: number): ExtractedRow[][] {
  const workers: ExtractedRow[][] = Array.from({ length: workerCount }, () => []);
  const skew = prng.unit();
  for (let index = 0; index < rowCount; index++) {
    const worker = prng.chance(skew) ? 0 : prng.below(workerCount);
    const value = prng.chance(0.1) ? null : BigInt(prng.below(5));
    workers[worker].push({
      position: { id: `e${index}`, score: 0, distanceKm: 0, values: [value] },
      nearest: null,
      values: [],
    });
  }
  return workers;
}

t.test('the rows are the first ones of all workers, for any number of pages', async (t) => {
  for (let round = 0; round < 60; round++) {
    const prng = new Prng(SEED + round);
    const rowCount = prng.pick([0, 1, prng.below(300), 1_000]);
    const workers = spread(prng, rowCount, 1 + prng.below(4));
    const descending = prng.chance(0.5);
    const key: OrderKey = { by: 'attribute', columnId: 1, kind: 'i64', descending };
    const pageRows = prng.pick([1, 7, 100, 1_000]);
    const limit = prng.pick([1, pageRows, pageRows + 1, 1 + prng.below(rowCount + 1), rowCount + 5]);
    const plan = planOf(limit, prng.chance(0.5) ? [key] : []);
    const { streams } = worldOf(workers, pageRows);
    const first = inOrder(workers.flat(), plan).slice(0, limit);
    const wanted = `head\n${first.map(({ position }) => `${position.id}\n`).join('')}${first.length}\n`;
    t.ok((await textOf(streams.stream(plan, LINES, ALWAYS))) === wanted, `seed ${SEED + round}`);
  }
});

t.test(
  'rows that fit in one page take one request and no barrier; more rows are read at one version',
  async (t) => {
    const workers = spread(new Prng(SEED), 500, 2);
    const { streams, barrier, requested } = worldOf(workers, 100, () => pause(1));
    let passed = false;
    const few = streams.stream(planOf(100), LINES, ALWAYS);
    await pause(0);
    barrier.write(() => {
      passed = true;
    });
    t.equal(passed, true, 'writes are applied meanwhile');
    await textOf(few);
    t.strictSame(
      requested.map((plans) => plans.map(({ limit }) => limit)),
      [[100], [100]],
    );
    passed = false;
    const { parts } = streams.stream(planOf(500), LINES, ALWAYS);
    await parts.next();
    barrier.write(() => {
      passed = true;
    });
    t.equal(passed, false, 'writes wait');
    // The rows are produced even without a reader, and the query leaves the barrier.
    while (!passed) await pause(1);
    await parts.return();
  },
);

t.test(
  'pages of different workers are requested at the same time, and no row is requested twice',
  async (t) => {
    const workers = spread(new Prng(SEED), 4_000, 2).map((rows) => rows.slice(0, 1_500));
    const { streams, requested } = worldOf(workers, 100);
    await textOf(streams.stream(planOf(10_000), LINES, ALWAYS));
    for (const [worker, plans] of requested.entries()) {
      const most = Math.ceil(workers[worker].length / 100) + 1;
      t.ok(plans.length <= most, `${plans.length} pages of ${workers[worker].length} rows`);
    }
  },
);

t.test('an error of a worker or a cancellation ends the extraction, which leaves the barrier', async (t) => {
  const workers = spread(new Prng(SEED), 500, 2);
  let count = 0;
  const failing = worldOf(workers, 50, async () => {
    if (++count === 5) throw new QuarryError(9006, 'too much');
  });
  await t.rejects(textOf(failing.streams.stream(planOf(500), LINES, ALWAYS)), { code: 9006 });
  const going = worldOf(workers, 50, () => pause(2));
  let cancellation: (() => void) | null = null;
  const options: QueryOptions = {
    bypassCache: true,
    cancellation: {
      isCancelled: false,
      onCancel: (act) => {
        cancellation = act;
      },
    },
  };
  const { parts } = going.streams.stream(planOf(500), LINES, options);
  await parts.next();
  (cancellation as (() => void) | null)?.();
  await t.rejects(textOf({ format: 'csv', parts }), { code: 9005, message: 'the client has disconnected' });
  const left = worldOf(workers, 50, () => pause(2));
  const leaving = left.streams.stream(planOf(500), LINES, ALWAYS);
  await leaving.parts.next();
  await leaving.parts.return();
  for (const { barrier, store } of [failing, going, left]) {
    await new Promise<void>((resolve) => barrier.write(resolve));
    t.equal(store.reservedBytes, 0);
  }
});
