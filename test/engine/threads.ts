/** Fixtures for tests of ending threads: the threads, small bodies, and a wait for the rebuilt worker. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { Test } from 'tap';
import type { Json } from '../../src/api/index.js';
import { QuarryError } from '../../src/base/index.js';
import {
  type CreateWorkerClient,
  type WorkerApi,
  WorkerClient,
} from '../../src/engine/workers/worker-client.js';
import type { WorkerOp } from '../../src/protocol/index.js';
import { jsonObject, num } from '../support/generate.js';
import { type TestStore, workerFile } from './store.js';

/** The running threads that were started since the call. */
export function watchThreads(t: Test): Set<Worker> {
  const threads = new Set<Worker>();
  const onWorker = (worker: Worker): void => {
    threads.add(worker);
    worker.on('exit', () => threads.delete(worker));
  };
  process.on('worker', onWorker);
  t.teardown(() => process.off('worker', onWorker));
  return threads;
}

/** The worker client with `send` replaced. */
export const workerWith = (worker: WorkerClient, send: WorkerClient['send']): WorkerApi => ({
  index: worker.index,
  shards: worker.shards,
  get memory() {
    return worker.memory;
  },
  get dictionaryBytesMax() {
    return worker.dictionaryBytesMax;
  },
  send,
  close: () => worker.close(),
});

/** Workers that run `act` before they pass on the answer of a request. */
export const workersThat =
  (act: (op: WorkerOp) => Promise<void>): CreateWorkerClient =>
  (start, onDown) => {
    const worker = new WorkerClient(workerFile, start, onDown);
    const send: typeof worker.send = async (op, request) => {
      const answer = await worker.send(op, request);
      await act(op);
      return answer;
    };
    return workerWith(worker, send);
  };

export const COLUMNS: Json = [
  jsonObject({ name: 'batch', type: 'integer' }),
  jsonObject({ name: 'visits', type: 'integer-event' }),
];
export const SIZE = 10;

export function bodyOf(batch: number): Json {
  const visit = jsonObject({ value: num(1), date: '2016-01-03' });
  const entries = Array.from({ length: SIZE }, (_, index): [string, Json] => [
    `b${batch}-${index}`,
    jsonObject({ batch: num(batch), visits: visit }),
  ]);
  return new Map(entries);
}

export const visitedAtLeast = (times: number): Json => [
  jsonObject({
    visits: jsonObject({ equals: num(1), between: ['2016-01-01', '2016-01-07'], minfreq: num(times) }),
  }),
];

export async function codeOf(work: Promise<unknown>): Promise<number | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof QuarryError) return error.code;
    throw error;
  }
}

/** Waits until the engine answers again on all workers. */
export async function untilBack(store: TestStore): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (store.engine.stats().workersDown === 0 && (await codeOf(store.total())) === null) return;
    await pause(10);
  }
  throw new Error('the worker was not rebuilt');
}
