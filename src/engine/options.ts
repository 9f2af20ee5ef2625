/** What an engine is made with; main.ts fills it in. */
import type { Clock, RandomBytes } from '../base/index.js';
import type { FileSystem } from '../io/index.js';
import type { Durability } from '../wal/index.js';
import type { MakeLane } from './workers/worker-client.js';

/** What happens inside that an operator should read of. */
export interface EngineEvents {
  info(event: string, details: Record<string, unknown>): void;
  warn(event: string, details: Record<string, unknown>): void;
  /** The engine cannot go on: the process must end without answering anyone. */
  fatal(error: Error): void;
}

export interface EngineOptions {
  readonly fs: FileSystem;
  /** The data directory: absolute, existing, locked by this process. */
  readonly dir: string;
  /** Path of the file that a lane's thread runs. */
  readonly laneFile: string;
  /** Bytes of the SIMD kernels; null = their TypeScript twins. */
  readonly kernels: Uint8Array | null;
  readonly laneCount: number;
  /** null = as the manifest says, or one per lane at first start. */
  readonly shardCount: number | null;
  readonly memoryLimitBytes: number;
  /** Of the whole process, whatever takes it. Default: no bound. */
  readonly processBytesMax?: number;
  readonly durability: Durability;
  readonly clock: Clock;
  readonly random64: () => bigint;
  /** Uniform random bytes for the keys of a new store. */
  readonly randomBytes: RandomBytes;
  /** Writes with an Idempotency-Key that are kept for 24 hours. Default 1,000,000. */
  readonly onceEntriesMax?: number;
  readonly events: EngineEvents;
  /** Milliseconds that a query may take. Default 30 s. */
  readonly queryTimeoutMs?: number;
  /** Memory that one query may take beside the data. Default: a sixteenth of the memory limit, at least 64 MiB. */
  readonly queryBytesMax?: number;
  /** Log bytes after which a checkpoint is taken. Default 256 MiB. */
  readonly checkpointLogBytes?: number;
  /** See LogOptions. */
  readonly firstLogFileBytes?: number;
  readonly logFileBytes?: number;
  /** Folder that gets a copy of every log file that is done; absolute. null = none. */
  readonly archiveDir?: string | null;
  /** How long a record waits at most until its file is done. Default 1 minute. */
  readonly archiveIntervalMs?: number;
  /** Address space for bodies of inserts and their records, shared by all threads. Default 64 MiB. */
  readonly insertMemoryBytes?: number;
  /** How often events past their retention time are looked for. Default 10 minutes. */
  readonly expiryIntervalMs?: number;
  /** Milliseconds of a lane's first slice of a SELECT, and of those behind the gate. Default 250 and 20. */
  readonly firstSliceMs?: number;
  readonly sliceMs?: number;
  /** Default: a thread that runs `laneFile`. */
  readonly makeLane?: MakeLane;
}
