/**
 * The client of one worker thread and its shards: a Piscina pool of a single thread, so that a task always goes to
 * the thread that holds the state.
 * Invariants: requests reach the worker in the order of `send`, except bodies to be parsed (WorkerQueue). At most
 * TASKS_IN_FLIGHT_MAX tasks are under way; requests that arrive meanwhile travel together in the next ones. No task is ever
 * aborted, because that would kill the thread. When the thread dies every waiting request rejects with WorkerDownError and the client cannot be used any more.
 */

import type { ResourceLimits } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { type DataMemory, NO_DATA_MEMORY, SMALL_PROCESS_BYTES } from '../../base/index.js';
import {
  fromRefusal,
  isLarge,
  SLOW_OPS,
  type WorkerOp,
  type WorkerReply,
  type WorkerRequest,
  type WorkerRequests,
  type WorkerResponses,
  type WorkerResult,
  type WorkerStart,
  type WorkerTask,
} from '../../protocol/index.js';

const REQUESTS_PER_TASK_MAX = 64;
/** A body of a thousand entities takes about a millisecond. */
const PARSES_PER_TASK_MAX = 2;

/**
 * The queue of requests to one worker. It decides which requests the next task contains.
 * Invariants: requests leave in their order of arrival, except bodies to be parsed, which read no data: a few of them travel
 * with batches or alternate with the other requests, so that neither kind waits for more than one task of the other. A
 * request whose reply may be large is the last of its task.
 */
export class WorkerQueue<Waiting extends { readonly request: Pick<WorkerRequest, 'op'> }> {
  #ordered: Waiting[] = [];
  #parses: Waiting[] = [];
  /** The last task left out waiting bodies, so the next one takes them first. */
  #parsesAreDue = false;

  get isEmpty(): boolean {
    return this.#ordered.length + this.#parses.length === 0;
  }

  push(waiting: Waiting): void {
    (waiting.request.op === 'parse' ? this.#parses : this.#ordered).push(waiting);
  }

  /** Removes the requests of the next task. The queue must not be empty. */
  nextTask(): readonly Waiting[] {
    if (this.#parsesAreDue) {
      this.#parsesAreDue = false;
      return this.#nextParses();
    }
    const large = this.#ordered.findIndex(({ request }) => isLarge(request));
    const count = Math.min(large === -1 ? this.#ordered.length : large + 1, REQUESTS_PER_TASK_MAX);
    const task = this.#ordered.splice(0, count);
    if (task.every(({ request }) => request.op === 'apply')) return [...task, ...this.#nextParses()];
    this.#parsesAreDue = this.#parses.length > 0;
    return task;
  }

  /** Removes all requests, which will get no reply. */
  drain(): readonly Waiting[] {
    this.#parsesAreDue = false;
    return [...this.#ordered.splice(0), ...this.#parses.splice(0)];
  }

  #nextParses(): Waiting[] {
    return this.#parses.splice(0, PARSES_PER_TASK_MAX);
  }
}

/** One task that runs and one that waits in the worker's port, so that the worker does not idle between two. */
const TASKS_IN_FLIGHT_MAX = 2;
/** More tasks than are ever running, so that the pool never queues: this file orders the requests. */
const POOL_TASKS_MAX = 1024;

/** The worker's thread ended. The request may or may not have taken effect. */
export class WorkerDownError extends Error {
  override name = 'WorkerDownError';
}

interface Waiting {
  readonly request: WorkerRequest;
  readonly resolve: (value: WorkerResponses[WorkerOp]) => void;
  readonly reject: (error: Error) => void;
}

/** The part of a worker client that the engine uses. Tests implement it without a thread. */
export type WorkerApi = Pick<
  WorkerClient,
  'index' | 'shards' | 'memory' | 'dictionaryBytesMax' | 'send' | 'close'
>;
export type CreateWorkerClient = (start: WorkerStart, onDown: (cause: unknown) => void) => WorkerApi;

export class WorkerClient {
  readonly index: number;
  readonly shards: readonly number[];
  readonly #pool: Piscina<WorkerTask, WorkerResult>;
  readonly #onDown: (cause: unknown) => void;
  readonly #queue = new WorkerQueue<Waiting>();
  #threadCount = 0;
  #inFlight = 0;
  #flushDue = false;
  #sequence = 0;
  #memory = NO_DATA_MEMORY;
  #dictionaryBytesMax = 0;
  #down: WorkerDownError | null = null;
  readonly #underWay = new Set<Waiting>();

  /** `file` is the worker's entry file. `onDown` is called once if the thread ends without `close`. */
  constructor(file: string, start: WorkerStart, onDown: (cause: unknown) => void) {
    this.index = start.workerIndex;
    this.shards = start.shards;
    this.#onDown = onDown;
    this.#pool = new Piscina<WorkerTask, WorkerResult>({
      filename: file,
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: POOL_TASKS_MAX,
      idleTimeout: Number.POSITIVE_INFINITY,
      // 'sync' would freeze the worker's event loop between tasks, and with it a checkpoint's file writes.
      atomics: 'disabled',
      recordTiming: false,
      workerData: start,
      resourceLimits: resourceLimitsOf(start.processBytesMax),
    });
    this.#pool.on('error', (error) => this.#fail(error));
    this.#pool.on('workerCreate', () => this.#threadStarted());
  }

  /** Memory of the worker's data as of its last reply. */
  get memory(): DataMemory {
    return this.#memory;
  }

  /** Bytes of the strings of the largest dictionary, as of the worker's last reply. */
  get dictionaryBytesMax(): number {
    return this.#dictionaryBytesMax;
  }

  send<Op extends WorkerOp>(op: Op, request: WorkerRequests[Op]): Promise<WorkerResponses[Op]> {
    return new Promise((resolve, reject) => {
      if (this.#down !== null) {
        reject(this.#down);
        return;
      }
      const waiting = {
        request: { op, ...request } as unknown as WorkerRequest,
        resolve: resolve as Waiting['resolve'],
        reject,
      };
      if (SLOW_OPS.has(op)) {
        this.#flush(true);
        this.#run([waiting], false);
        return;
      }
      this.#queue.push(waiting);
      if (this.#flushDue) return;
      this.#flushDue = true;
      queueMicrotask(() => {
        this.#flushDue = false;
        this.#flush(false);
      });
    });
  }

  /** Ends the thread. The caller must not wait for any reply. */
  async close(): Promise<void> {
    this.#down ??= new WorkerDownError(`worker ${this.index} is closed`);
    await this.#pool.destroy();
  }

  /** Sends waiting requests: all with `whole`, otherwise while fewer than TASKS_IN_FLIGHT_MAX tasks are running. */
  #flush(whole: boolean): void {
    while (!this.#queue.isEmpty && (whole || this.#inFlight < TASKS_IN_FLIGHT_MAX)) {
      this.#run(this.#queue.nextTask(), true);
    }
  }

  #run(waiting: readonly Waiting[], counted: boolean): void {
    for (const one of waiting) this.#underWay.add(one);
    if (counted) this.#inFlight++;
    const task: WorkerTask = { sequence: this.#sequence++, requests: waiting.map(({ request }) => request) };
    this.#pool.run(task).then(
      (result) => {
        if (counted) this.#inFlight--;
        this.#memory = result.memory ?? this.#memory;
        this.#dictionaryBytesMax = result.dictionaryBytesMax;
        this.#settle(waiting, result.replies);
        this.#flush(false);
      },
      (error) => this.#fail(error),
    );
  }

  #settle(waiting: readonly Waiting[], replies: readonly WorkerReply[]): void {
    waiting.forEach((one, index) => {
      this.#underWay.delete(one);
      const reply = replies[index];
      if ('refusal' in reply) one.reject(fromRefusal(reply.refusal));
      else one.resolve(reply.value);
    });
  }

  /**
   * The pool replaces a thread that ended with a new one without the state, which reveals that an idle thread ended. The pool
   * may also start a thread after `destroy`; that thread must be ended here.
   */
  #threadStarted(): void {
    if (++this.#threadCount === 1) return;
    if (this.#down === null) this.#fail(new Error('the thread exited'));
    else this.#pool.destroy().catch(() => {});
  }

  #fail(cause: unknown): void {
    if (this.#down !== null) return;
    this.#down = new WorkerDownError(`the thread of worker ${this.index} ended`, { cause });
    const lost = [...this.#underWay, ...this.#queue.drain()];
    this.#underWay.clear();
    for (const one of lost) one.reject(this.#down);
    this.#pool.destroy().catch(() => {});
    this.#onDown(cause);
  }
}

/** The young generation of a heap keeps its greatest size, by default 32 MiB, which is much of a small limit. */
const resourceLimitsOf = (processBytesMax: number): ResourceLimits => ({
  maxOldGenerationSizeMb: 2_048,
  ...(processBytesMax < SMALL_PROCESS_BYTES && { maxYoungGenerationSizeMb: SMALL_YOUNG_MIB }),
});

const SMALL_YOUNG_MIB = 12;
