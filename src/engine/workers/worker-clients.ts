/**
 * The clients of all workers of an engine: assigns shards to workers, sends a request to all workers in one turn, and converts
 * the error of a worker that is down.
 * Invariant: `all[i]` is worker i, and shard s belongs to worker s mod workerCount.
 */
import { type DataMemory, QuarryError, sumOfMemory } from '../../base/index.js';
import { SpillStore } from '../../exec/index.js';
import type { CountEntityPlan } from '../../ir/index.js';
import { type Exchange, QUERY_SLOTS, type SpillLimits, SpillSpace } from '../../protocol/index.js';
import type { EngineOptions } from '../options.js';
import { InsertMemory } from '../write/insert-memory.js';
import { type QueryStops, queryStops } from './query-stops.js';
import { type WorkerApi, WorkerClient, WorkerDownError } from './worker-client.js';

/** The folder, below the data directory, of answers that wait for their clients and of rows that queries spill. */
export const SPOOL_DIR = 'spool';
/** Disk space of the rows that queries spill. */
export const SPILL_BYTES_MAX = 16 * 2 ** 30;

export class WorkerClients {
  readonly all: WorkerApi[] = [];
  readonly stops: QueryStops;
  /** The disk space of the rows that queries spill, on all workers. */
  readonly spill: SpillSpace;
  /** The spill files of the main thread. */
  readonly spills: SpillStore;
  /** Shared by all workers. */
  readonly inserts: InsertMemory;
  readonly #options: EngineOptions;
  readonly #exchange: Exchange;
  readonly #onDown: (index: number, cause: unknown) => void;
  readonly #isClosing: () => boolean;
  readonly #spillLimits: SpillLimits;
  #shardCount: number;
  #nextParser = 0;

  constructor(
    options: EngineOptions,
    shardCount: number,
    onDown: (index: number, cause: unknown) => void,
    isClosing: () => boolean,
  ) {
    this.#options = options;
    this.#exchange = options.exchange ?? 'shared';
    this.stops = queryStops(this.#exchange);
    this.inserts = new InsertMemory(options.insertMemoryBytes);
    const bytesMax = options.spillBytesMax ?? SPILL_BYTES_MAX;
    const queryBytesMax = options.querySpillBytesMax ?? bytesMax / 2;
    this.#spillLimits = { bytesMax, queryBytesMax };
    const { fs, dir, workerCount, spillShareBytesMax: shareBytesMax } = options;
    // One more thread than workers: the main thread.
    const threadCount = workerCount + 1;
    const space = SpillSpace.memory(QUERY_SLOTS, threadCount);
    this.spill = new SpillSpace(space, this.#spillLimits, threadCount);
    const own = { workerIndex: workerCount, threadId: 0, space: this.spill, shareBytesMax };
    this.spills = new SpillStore({ fs, dir: `${dir}/${SPOOL_DIR}`, ...own });
    this.#shardCount = shardCount;
    this.#onDown = onDown;
    this.#isClosing = isClosing;
    for (let index = 0; index < options.workerCount; index++) this.all.push(this.start(index));
  }

  get shardCount(): number {
    return this.#shardCount;
  }

  get memory(): DataMemory {
    return sumOfMemory(this.all.map((worker) => worker.memory));
  }

  /** Bytes of the strings of the largest dictionary of one column and shard. */
  get dictionaryBytesMax(): number {
    return Math.max(...this.all.map((worker) => worker.dictionaryBytesMax));
  }

  /** Starts a new, empty worker for the shards of worker `index`. */
  start(index: number): WorkerApi {
    const { workerFile, kernels, workerCount, dir, createWorkerClient, spillShareBytesMax } = this.#options;
    const processBytesMax = this.#options.processBytesMax ?? Number.POSITIVE_INFINITY;
    const shardCount = this.#shardCount;
    const shards = Array.from({ length: shardCount }, (_, shard) => shard).filter(
      (shard) => shard % workerCount === index,
    );
    const threadCount = workerCount + 1;
    const isShared = this.#exchange === 'shared';
    const limits = isShared ? this.#spillLimits : partOf(this.#spillLimits, threadCount);
    const spill = {
      ...limits,
      ...{ dir: `${dir}/${SPOOL_DIR}`, space: isShared ? this.spill.shared : null, threadCount },
      shareBytesMax: spillShareBytesMax,
    };
    const start = {
      ...{ workerIndex: index, shards, shardCount, storeDir: dir, kernels, processBytesMax },
      ...{ exchange: this.#exchange, stops: this.stops.signals, inserts: this.inserts.shared, spill },
    };
    const onDown = (cause: unknown): void => {
      this.spill.releaseWorker(index);
      this.#onDown(index, cause);
    };
    return createWorkerClient === undefined
      ? new WorkerClient(workerFile, start, onDown)
      : createWorkerClient(start, onDown);
  }

  /** Ends all workers and starts empty ones for another number of shards. */
  async startAnew(shardCount: number): Promise<void> {
    await this.#closeAll();
    this.#shardCount = shardCount;
    this.all.forEach((_, index) => {
      this.all[index] = this.start(index);
    });
  }

  /** The worker that parses the next body. */
  nextParser(): WorkerApi {
    return this.all[this.#nextParser++ % this.all.length];
  }

  /** Sends without waiting for replies. A worker that is down gets the newest models when it is rebuilt. */
  notifyAll(send: (worker: WorkerApi) => Promise<unknown>): void {
    for (const worker of this.all) send(worker).catch(() => {});
  }

  /** Sends one request to every worker in this turn, so that all answer at the same LSN. Rejects with 9004 if one is down. */
  sendAll<T>(send: (worker: WorkerApi) => Promise<T>): Promise<T[]> {
    return this.orUnavailable(Promise.all(this.all.map(send)));
  }

  /** The number of entities of each plan over all workers, at one LSN, without a time or memory limit. */
  async countEntities(plans: readonly CountEntityPlan[]): Promise<readonly number[]> {
    const bounds = { slot: 0, bytesMax: Number.POSITIVE_INFINITY };
    const counts = await this.sendAll((worker) => worker.send('count-entities', { plans, bounds }));
    return plans.map((_, index) => counts.reduce((sum, one) => sum + one[index], 0));
  }

  async orUnavailable<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof WorkerDownError) throw this.unavailable();
      throw error;
    }
  }

  unavailable(): QuarryError {
    return new QuarryError(
      9004,
      this.#isClosing() ? 'the server is stopping' : 'data is being loaded; try again',
    );
  }

  async close(): Promise<void> {
    await this.#closeAll();
    this.stops.close();
  }

  async #closeAll(): Promise<void> {
    await Promise.all(this.all.map((worker) => worker.close()));
  }
}

/** The part of one of `threadCount` threads. */
const partOf = ({ bytesMax, queryBytesMax }: SpillLimits, threadCount: number): SpillLimits => ({
  bytesMax: bytesMax / threadCount,
  queryBytesMax: queryBytesMax / threadCount,
});
