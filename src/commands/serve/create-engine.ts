/** Creates the engine of a data directory, for a server and for commands that open a store themselves. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Logger } from 'pino';
import { systemClock } from '../../base/index.js';
import { Engine, type EngineOptions } from '../../engine/index.js';
import type { FileSystem } from '../../io/index.js';
import { returnFreedMemory } from './returned-memory.js';
import type { ServeConfig } from './serve-config.js';

/** Limit of the whole process, as a factor of the memory limit. */
const PROCESS_PART = 1.1;

export interface PostgresFiles {
  /** Entry point of the catalog thread. */
  readonly threadFile: string;
  /** Packed data directory of Postgres with which the thread starts. */
  readonly templateFile: string;
}

export interface ServerDependencies {
  /** Version of this release. */
  readonly release: string;
  readonly log: Logger;
  /** Entry point of the worker threads. */
  readonly workerFile: string;
  /** Entry point of the threads that read Parquet. */
  readonly parquetThreadFile: string;
  /** Path of kernels.wasm; null = run the kernels' TypeScript twins. */
  readonly kernelsFile: string | null;
  /** Folder of the console's files; null = there is no console. */
  readonly consoleDir: string | null;
  /** Files that answer catalog queries of Postgres clients; absent = --pg-port is refused. */
  readonly postgres?: PostgresFiles;
  /** See EngineOptions. */
  readonly partitionGroupsMin?: number;
  readonly exchange?: EngineOptions['exchange'];
  readonly disabledRules?: EngineOptions['disabledRules'];
  readonly spillShareBytesMax?: number;
  readonly createWorkerClient?: EngineOptions['createWorkerClient'];
  /** Called when durability can no longer be guaranteed: must end the process without answering. */
  readonly onFatal: (error: Error) => void;
}

/** `dir` must be absolute, exist and be locked by this process. Starts the threads; `start` opens the store. */
export async function createEngine(
  config: ServeConfig,
  dependencies: ServerDependencies,
  fs: FileSystem,
  dir: string,
): Promise<Engine> {
  const { log } = dependencies;
  const reason = returnFreedMemory(config.memoryLimitBytes);
  if (reason !== null) log.warn({ reason }, 'freed memory stays with the process');
  return Engine.create({
    fs,
    dir,
    workerFile: dependencies.workerFile,
    kernels: dependencies.kernelsFile === null ? null : await fs.readFile(dependencies.kernelsFile),
    workerCount: config.workers,
    shardCount: config.shards,
    memoryLimitBytes: config.memoryLimitBytes,
    processBytesMax: config.memoryLimitBytes * PROCESS_PART,
    idempotencyKeysMax: config.idempotencyEntries,
    lineKeysMax: config.lineKeys,
    queryTimeoutMs: config.querySeconds * 1_000,
    durability: config.durability,
    partitionGroupsMin: dependencies.partitionGroupsMin,
    exchange: dependencies.exchange,
    disabledRules: dependencies.disabledRules,
    spillShareBytesMax: dependencies.spillShareBytesMax,
    spillBytesMax: config.spillBytesMax,
    ...(dependencies.createWorkerClient && { createWorkerClient: dependencies.createWorkerClient }),
    archiveDir: config.archiveDir === null ? null : path.resolve(config.archiveDir),
    clock: systemClock,
    random64: () => randomBytes(8).readBigUInt64LE(),
    randomBytes: (count) => randomBytes(count),
    events: {
      info: (event, details) => log.info(details, event),
      warn: (event, details) => log.warn(details, event),
      fatal: dependencies.onFatal,
    },
  });
}
