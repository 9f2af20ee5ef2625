/** The options of an engine, which main.ts provides. */
import type { Clock, RandomBytes } from '../base/index.js';
import type { FileSystem } from '../io/index.js';
import type { RuleName } from '../plan/index.js';
import type { Exchange } from '../protocol/index.js';
import type { Durability } from '../wal/index.js';
import type { CreateWorkerClient } from './workers/worker-client.js';

/** Events in the engine that an operator should read about. */
export interface EngineEvents {
  info(event: string, details: Record<string, unknown>): void;
  warn(event: string, details: Record<string, unknown>): void;
  /** The engine cannot continue: the process must end without answering any request. */
  fatal(error: Error): void;
}

export interface EngineOptions {
  readonly fs: FileSystem;
  /** The data directory: absolute, existing, locked by this process. */
  readonly dir: string;
  /** Path of the file that a worker thread runs. */
  readonly workerFile: string;
  /** Bytes of the SIMD kernels; null = the engine uses the TypeScript kernels. */
  readonly kernels: Uint8Array | null;
  readonly workerCount: number;
  /** null = the number in the manifest, or at the first start one shard per worker. */
  readonly shardCount: number | null;
  readonly memoryLimitBytes: number;
  /** Memory limit of the whole process. Default: no limit. */
  readonly processBytesMax?: number;
  readonly durability: Durability;
  readonly clock: Clock;
  readonly random64: () => bigint;
  /** Uniform random bytes for the keys of a new store. */
  readonly randomBytes: RandomBytes;
  /** Maximum number of Idempotency-Keys that are stored for 24 hours. Default: 1,000,000. */
  readonly idempotencyKeysMax?: number;
  /** Maximum number of line keys that are stored for 24 hours, at most LINE_KEYS_MAX. Default: 10,000,000. */
  readonly lineKeysMax?: number;
  readonly events: EngineEvents;
  /** Time limit of a query. Default: 30 s. */
  readonly queryTimeoutMs?: number;
  /** Memory limit of one query in addition to the data. Default: a sixteenth of the memory limit, at least 64 MiB. */
  readonly queryBytesMax?: number;
  /** Disk space for the rows of all queries that have too little memory. Default: SPILL_BYTES_MAX. */
  readonly spillBytesMax?: number;
  /** The same of one query. Default: half of it. */
  readonly querySpillBytesMax?: number;
  /** An operator that stores more bytes spills, however much memory is left: for tests. Default: unlimited. */
  readonly spillShareBytesMax?: number | undefined;
  /** Log bytes after which a checkpoint is taken. Default 256 MiB. */
  readonly checkpointLogBytes?: number;
  /** See LogOptions. */
  readonly firstLogFileBytes?: number;
  readonly logFileBytes?: number;
  /** Absolute path of the folder that receives a copy of every finished log file; null = no archive. */
  readonly archiveDir?: string | null;
  /** Maximum time until the log file of a record is finished. Default: 1 minute. */
  readonly archiveIntervalMs?: number;
  /** Address space for bodies of inserts and their records, shared by all threads. Default 64 MiB. */
  readonly insertMemoryBytes?: number;
  /** Interval at which expired events are deleted. Default: 10 minutes. */
  readonly expiryIntervalMs?: number;
  /** Length of the first slice of a SELECT on a worker, and of the slices inside the write barrier. Default: 250 and 20 ms. */
  readonly firstSliceMs?: number;
  readonly sliceMs?: number;
  /** If a worker has at least this many groups, the workers merge the groups. Default: PARTITION_GROUPS_MIN. */
  readonly partitionGroupsMin?: number | undefined;
  /** The rules of the planner that the next SELECT does without: for tests. Default: none. */
  readonly disabledRules?: (() => ReadonlySet<RuleName>) | undefined;
  /** How rows, groups and cancellation reach other threads. Default: 'shared'. */
  readonly exchange?: Exchange | undefined;
  /** Default: creates a thread that runs `workerFile`. */
  readonly createWorkerClient?: CreateWorkerClient;
}
