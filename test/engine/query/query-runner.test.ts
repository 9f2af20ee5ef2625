/** A query that delays records is stopped after a time limit, but only if records wait. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { EngineOptions } from '../../../src/engine/options.js';
import { ConcurrencySlots, QueryRunner } from '../../../src/engine/query/query-runner.js';
import type { RunningQuery } from '../../../src/engine/query/running-query.js';
import { WriteBarrier } from '../../../src/engine/query/write-barrier.js';
import { WorkerClients } from '../../../src/engine/workers/worker-clients.js';
import { DataVersions } from '../../../src/engine/write/data-versions.js';
import { queryLimits } from '../../support/query-limits.js';
import { QUERY_OPTIONS } from '../store.js';

const WRITE_DELAY_MS_MAX = 100;

function runnerBehind(barrier: WriteBarrier): QueryRunner {
  const options = { workerCount: 0 } as unknown as EngineOptions;
  const workers = new WorkerClients(
    options,
    1,
    () => {},
    () => false,
  );
  return new QueryRunner({
    workers,
    barrier,
    versions: new DataVersions(),
    limits: queryLimits(20_000, 2 ** 30),
    processBytesMax: Number.POSITIVE_INFINITY,
    writeDelayMsMax: WRITE_DELAY_MS_MAX,
    shrinkVersion: () => 0,
    elapsedMs: () => performance.now(),
  });
}

/** Runs for `ms` unless it is stopped. */
async function workFor(query: RunningQuery, ms: number): Promise<string> {
  for (const endMs = performance.now() + ms; performance.now() < endMs; await pause(5)) query.check();
  return 'done';
}

t.test('a query that delays records for too long is stopped, and the records pass', async (t) => {
  const barrier = new WriteBarrier();
  const runner = runnerBehind(barrier);
  let passed = false;
  const running = runner.withSlot([], QUERY_OPTIONS, (query) =>
    runner.withWritesPaused(query, () => {
      barrier.write(() => {
        passed = true;
      });
      return workFor(query, 15_000);
    }),
  );
  await t.rejects(running, { code: 9005, message: /writes waited/ });
  t.ok(passed);
});

t.test('a query inside the barrier has no time limit there while no record waits', async (t) => {
  const barrier = new WriteBarrier();
  const runner = runnerBehind(barrier);
  const answer = await runner.withSlot([], QUERY_OPTIONS, (query) =>
    runner.withWritesPaused(query, () => workFor(query, WRITE_DELAY_MS_MAX * 4)),
  );
  t.equal(answer, 'done');
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test(
  'as many callers enter as there are slots; the others follow in order as slots become free',
  async (t) => {
    const slots = new ConcurrencySlots(2);
    const entered: number[] = [];
    for (const number of [1, 2, 3, 4]) slots.enter().then(() => entered.push(number));
    await turn();
    t.strictSame(entered, [1, 2]);
    slots.leave();
    await turn();
    t.strictSame(entered, [1, 2, 3]);
    slots.leave();
    slots.leave();
    slots.leave();
    await turn();
    t.strictSame(entered, [1, 2, 3, 4]);
    for (const number of [5, 6, 7]) slots.enter().then(() => entered.push(number));
    await turn();
    t.strictSame(entered, [1, 2, 3, 4, 5, 6], 'the number of slots stays the same');
  },
);
