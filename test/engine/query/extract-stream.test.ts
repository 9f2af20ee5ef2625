/** Streamed extractions have the rows of the same extraction in one answer, at one version, and leave nothing behind. */
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { RowStream, StreamEncoder } from '../../../src/answer/index.js';
import { type Cancellation, Prng, QuarryError } from '../../../src/base/index.js';
import { databaseOf } from '../../../src/catalog/index.js';
import type { ExtractedRow, ExtractPlan, OrderKey } from '../../../src/ir/index.js';
import type { WorkerOp } from '../../../src/protocol/index.js';
import { jsonObject, num } from '../../support/generate.js';
import { DATABASE_ID, makeDir, QUERY_OPTIONS, TestStore } from '../store.js';
import { workersThat } from '../threads.js';

const SEED = 83;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

/** More rows than this are read part by part. */
const ONE_PART_ROWS = 10_000;

/** One line per row, which identifies the row and shows the order. */
const LINES: StreamEncoder<ExtractedRow> = {
  format: 'csv',
  head: () => Buffer.from('head\n'),
  rows: (rows) => Buffer.from(rows.map(lineOf).join('')),
  tail: (rowCount) => Buffer.from(`${rowCount}\n`),
};

function lineOf({ position, values }: ExtractedRow): string {
  return `${position.id} ${values.join()}\n`;
}

async function textOf({ parts }: RowStream): Promise<string> {
  const found: Uint8Array[] = [];
  for await (const part of parts) found.push(part);
  return Buffer.concat(found).toString();
}

/** A store of two workers with `rowCount` entities, many with equal numbers; `onRequest` runs before each answer of a worker. */
async function openNumbers(
  t: Test,
  rowCount: number,
  onRequest: (op: WorkerOp) => Promise<void> = async () => {},
): Promise<{ store: TestStore; columnId: number }> {
  const store = await TestStore.open(t, makeDir(t), {
    workerCount: 2,
    createWorkerClient: workersThat(onRequest),
  });
  await store.createColumns([
    jsonObject({ name: 'number', 'api-name': 'number', type: 'integer' }),
    jsonObject({ name: 'known', 'api-name': 'known', type: 'boolean' }),
  ]);
  const prng = new Prng(SEED);
  for (let first = 0; first < rowCount; first += 1_000) {
    const ids = Array.from({ length: Math.min(1_000, rowCount - first) }, (_, index) => `e${first + index}`);
    const entities = ids.map((id): [string, ReturnType<typeof jsonObject>] => [
      id,
      jsonObject(prng.chance(0.1) ? { known: true } : { number: num(prng.below(50)) }),
    ]);
    await store.insert(new Map(entities));
  }
  const dimension = databaseOf(store.engine.catalog(), DATABASE_ID).dimensions.get('default');
  return { store, columnId: dimension?.columns.get('number')?.id ?? -1 };
}

function planOf(columnId: number, limit: number, order: readonly OrderKey[] = []): ExtractPlan {
  return {
    ...{ databaseId: DATABASE_ID, dimensionId: 1, condition: null, scored: null, near: null, after: null },
    order,
    limit,
    columns: [{ from: 'attribute', type: 'integer', decimalPlaces: null, columnId }],
  };
}

t.test('a stream has the rows of the same extraction in one answer', async (t) => {
  const { store, columnId } = await openNumbers(t, 3_000);
  const key = (descending: boolean): OrderKey => ({ by: 'attribute', columnId, kind: 'i64', descending });
  const orders: OrderKey[][] = [[], [key(false)], [key(true)], [{ by: 'entity-id', descending: true }]];
  for (const order of orders) {
    const all = await store.engine.extract(planOf(columnId, 3_500, order), QUERY_OPTIONS);
    t.equal(all.length, 3_000);
    for (const limit of [1, 700, ONE_PART_ROWS, ONE_PART_ROWS + 1]) {
      const rows = all.slice(0, limit);
      const stream = store.engine.extractStream(planOf(columnId, limit, order), LINES, QUERY_OPTIONS);
      t.ok((await textOf(stream)) === `head\n${rows.map(lineOf).join('')}${rows.length}\n`, `${limit} rows`);
      t.equal(stream.rowCount?.(), rows.length);
    }
  }
});

t.test('few rows delay no writes; more rows are read at one version', async (t) => {
  const { store, columnId } = await openNumbers(t, 300, async (op) => {
    if (op === 'select-next') await pause(200);
  });
  let isRead = false;
  const few = textOf(store.engine.extractStream(planOf(columnId, 100), LINES, QUERY_OPTIONS)).then(() => {
    isRead = true;
  });
  await store.insert(jsonObject({ later: jsonObject({ known: true }) }));
  t.equal(isRead, false, 'the write was applied meanwhile');
  await few;
  const { parts, rowCount } = store.engine.extractStream(
    planOf(columnId, ONE_PART_ROWS + 1),
    LINES,
    QUERY_OPTIONS,
  );
  await parts.next();
  let isApplied = false;
  const written = store.insert(jsonObject({ last: jsonObject({ known: true }) })).then(() => {
    isApplied = true;
  });
  await pause(50);
  t.equal(isApplied, false, 'the write waits');
  // The rows are produced even without a reader, and the query leaves the barrier.
  await written;
  t.equal(rowCount?.(), 301);
  await parts.return();
});

t.test('an error of a worker, a cancellation or a reader that leaves ends the extraction', async (t) => {
  let fails = false;
  const { store, columnId } = await openNumbers(t, 2_000, async (op) => {
    if (op !== 'select-next') return;
    if (fails) throw new QuarryError(9006, 'too much');
    await pause(50);
  });
  const plan = planOf(columnId, ONE_PART_ROWS + 1);
  let cancel: (() => void) | null = null;
  const cancellation: Cancellation = {
    isCancelled: false,
    onCancel: (act) => {
      cancel = act;
    },
  };
  const { parts } = store.engine.extractStream(plan, LINES, { bypassCache: true, cancellation });
  await parts.next();
  (cancel as (() => void) | null)?.();
  await t.rejects(textOf({ format: 'csv', parts }), { code: 9005, message: 'the query was cancelled' });
  const leaving = store.engine.extractStream(plan, LINES, QUERY_OPTIONS);
  await leaving.parts.next();
  await leaving.parts.return();
  fails = true;
  await t.rejects(textOf(store.engine.extractStream(plan, LINES, QUERY_OPTIONS)), { code: 9006 });
  await store.insert(jsonObject({ last: jsonObject({ known: true }) }));
});
