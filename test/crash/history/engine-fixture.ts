/** An engine whose workers run in this process and whose files are on a faulty disk. */
import { type DataMemory, ManualClock, NO_DATA_MEMORY, Prng } from '../../../src/base/index.js';
import {
  type CreateWorkerClient,
  Engine,
  type EngineOptions,
  type WorkerApi,
  WorkerDownError,
} from '../../../src/engine/index.js';
import {
  fromRefusal,
  type WorkerOp,
  type WorkerRequest,
  type WorkerRequests,
  type WorkerResponses,
  type WorkerStart,
} from '../../../src/protocol/index.js';
import { ShardWorker } from '../../../src/worker/shard-worker.js';
import type { FaultyDisk } from '../../support/faulty-disk.js';

export const STORE_DIR = '/store';
export const NOW_MS = Date.UTC(2024, 4, 1);
/** Small, so that a short run starts several log files, and some records do not fit in a preallocated one. */
const FIRST_LOG_FILE_BYTES = 1_024;
const LOG_FILE_BYTES = 8_192;
/**
 * A sweep starts thousands of workers, and each has several arenas: a few segments of few rows. Larger arenas count as
 * external memory and make the garbage collector run all the time.
 */
const ARENA_BYTES = 2 * 2 ** 20;
const INSERT_MEMORY_BYTES = 2 ** 16;

/** A worker client without a thread: the worker gets the same requests in the same order as in a thread. */
class LocalWorker implements WorkerApi {
  readonly index: number;
  readonly shards: readonly number[];
  readonly #worker: ShardWorker;
  readonly #onDown: (cause: unknown) => void;
  #sequence = 0;
  #down: WorkerDownError | null = null;
  #memory = NO_DATA_MEMORY;

  constructor(start: WorkerStart, disk: FaultyDisk, onDown: (cause: unknown) => void) {
    this.index = start.workerIndex;
    this.shards = start.shards;
    this.#worker = new ShardWorker(start, disk, ARENA_BYTES);
    this.#onDown = onDown;
  }

  get memory(): DataMemory {
    return this.#memory;
  }

  get dictionaryBytesMax(): number {
    return 0;
  }

  async send<Op extends WorkerOp>(op: Op, request: WorkerRequests[Op]): Promise<WorkerResponses[Op]> {
    const sequence = this.#sequence++;
    // The worker runs in a later turn than the sender, but in the order of sending.
    await Promise.resolve();
    if (this.#down !== null) throw this.#down;
    let result: Awaited<ReturnType<ShardWorker['run']>>;
    try {
      result = await this.#worker.run({
        sequence,
        requests: [{ op, ...request } as unknown as WorkerRequest],
      });
    } catch (cause) {
      // This error would end a thread.
      if (this.#down === null) {
        this.#down = new WorkerDownError(`worker ${this.index} ended`, { cause });
        this.#onDown(cause);
      }
      throw this.#down;
    }
    this.#memory = result.memory ?? this.#memory;
    const [reply] = result.replies;
    if ('refusal' in reply) throw fromRefusal(reply.refusal);
    return reply.value as WorkerResponses[Op];
  }

  async close(): Promise<void> {
    this.#down ??= new WorkerDownError(`worker ${this.index} is closed`);
  }
}

export interface OpenedEngine {
  readonly engine: Engine;
  /** Rejects at a fatal error of the engine, which would end the process. */
  readonly fatal: Promise<never>;
}

/** `shardCount` null = the number of the store, or one per worker; `more` replaces options. */
export async function openEngine(
  disk: FaultyDisk,
  shardCount: number | null,
  seed: number,
  workerCount = 1,
  more: Partial<EngineOptions> = {},
): Promise<OpenedEngine> {
  const prng = new Prng(seed);
  let onFatal: (error: Error) => void = () => {};
  const fatal = new Promise<never>((_, reject) => {
    onFatal = reject;
  });
  fatal.catch(() => {});
  const createWorker: CreateWorkerClient = (start, onDown) => new LocalWorker(start, disk, onDown);
  const engine = await Engine.create({
    fs: disk,
    dir: STORE_DIR,
    workerFile: '',
    kernels: null,
    workerCount,
    shardCount,
    memoryLimitBytes: 2 ** 30,
    durability: 'fsync',
    clock: new ManualClock(NOW_MS),
    random64: () => BigInt(prng.u32()) * 2n ** 32n + BigInt(prng.u32()),
    randomBytes: (count) => Uint8Array.from({ length: count }, () => prng.below(256)),
    events: { info: () => {}, warn: () => {}, fatal: onFatal },
    firstLogFileBytes: FIRST_LOG_FILE_BYTES,
    logFileBytes: LOG_FILE_BYTES,
    insertMemoryBytes: INSERT_MEMORY_BYTES,
    createWorkerClient: createWorker,
    ...more,
  });
  await Promise.race([engine.start(), fatal]);
  return { engine, fatal };
}
