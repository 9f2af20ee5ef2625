/** The engine of a data directory as a server runs it, and as a command opens it that finds no server. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Logger } from 'pino';
import { systemClock } from '../../base/index.js';
import { Engine } from '../../engine/index.js';
import type { FileSystem } from '../../io/index.js';
import type { ServeConfig } from './serve-config.js';

/** Of the memory limit: what the whole process may have. */
const PROCESS_PART = 1.1;

export interface PostgresFiles {
  /** The thread's entry. */
  readonly threadFile: string;
  /** A data directory of Postgres, packed, that the thread begins with. */
  readonly templateFile: string;
}

export interface ServeNeeds {
  /** Version of this release. */
  readonly release: string;
  readonly log: Logger;
  /** Files of this release: the worker's entry and the kernels. */
  readonly laneFile: string;
  /** Path of kernels.wasm; null = run the kernels' TypeScript twins. */
  readonly kernelsFile: string | null;
  /** Folder of the console's files; null = there is no console. */
  readonly consoleDir: string | null;
  /** What answers clients of Postgres that ask for the catalog; left out = they get none. */
  readonly postgres?: PostgresFiles;
  /** Nothing can be promised any more: end the process, answer nobody. */
  readonly onFatal: (error: Error) => void;
}

/** `dir` is absolute, exists and is locked by this process. The engine's threads run; `start` opens the store. */
export async function createEngine(
  config: ServeConfig,
  needs: ServeNeeds,
  fs: FileSystem,
  dir: string,
): Promise<Engine> {
  const { log } = needs;
  return Engine.create({
    fs,
    dir,
    laneFile: needs.laneFile,
    kernels: needs.kernelsFile === null ? null : await fs.readFile(needs.kernelsFile),
    laneCount: config.workers,
    shardCount: config.shards,
    memoryLimitBytes: config.memoryLimitBytes,
    processBytesMax: config.memoryLimitBytes * PROCESS_PART,
    onceEntriesMax: config.idempotencyEntries,
    queryTimeoutMs: config.querySeconds * 1_000,
    durability: config.durability,
    archiveDir: config.archiveDir === null ? null : path.resolve(config.archiveDir),
    clock: systemClock,
    random64: () => randomBytes(8).readBigUInt64LE(),
    randomBytes: (count) => randomBytes(count),
    events: {
      info: (event, details) => log.info(details, event),
      warn: (event, details) => log.warn(details, event),
      fatal: needs.onFatal,
    },
  });
}
