/**
 * Rebuilds a worker whose thread ended, from manifest and log in a new thread.
 * Invariants: the rebuilt worker has every record of the log. If a thread ends during the rebuild, the next one applies the
 * log record by record, so that the record at which threads end is known. A record that ends two threads is not tried again:
 * the engine cannot continue, and the error names the record's position.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { catalogFromPlain, EMPTY_CATALOG } from '../../catalog/index.js';
import type { Manifest } from '../../format/index.js';
import type { FileSystem } from '../../io/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { LogEntry } from '../../wal/index.js';
import { loadWorkers, replayLog, type StepCounts } from '../lifecycle/replay.js';
import type { InsertMemory } from '../write/insert-memory.js';
import { type WorkerApi, WorkerDownError } from './worker-client.js';

/** Limit of the threads that end during one rebuild, at different records. */
const THREADS_MAX = 10;
/** Pause before the next thread, so that memory may become free. The pause grows by this amount with each thread. */
const PAUSE_MS = 50;

/** Number of entities that the replay of a rebuilt worker changed, by LSN and step. */
export type ReplayedCounts = ReadonlyMap<number, StepCounts>;

export interface RebuildDependencies {
  readonly fs: FileSystem;
  readonly logDir: string;
  readonly manifest: Manifest | null;
  readonly models: () => Iterable<DatabaseModel>;
  /** Shared by all workers. */
  readonly inserts: InsertMemory;
  /** Starts a new, empty worker for the same shards. */
  readonly startWorker: () => WorkerApi;
  /** Called for each thread that ends during the rebuild. */
  readonly ended: (cause: unknown) => void;
}

export interface Rebuilt {
  readonly worker: WorkerApi;
  readonly counts: ReplayedCounts;
}

/** Rejects with an Error for the operator if no thread finishes, or with a CorruptionError. Writes nothing. */
export async function rebuildWorker(parts: RebuildDependencies): Promise<Rebuilt> {
  const killers = new Set<number>();
  for (let thread = 1; ; thread++) {
    let at: LogEntry | null = null;
    const begin = (entry: LogEntry | null): void => {
      at = entry;
    };
    try {
      return await attempt(parts, thread === 1 ? null : begin);
    } catch (error) {
      if (!(error instanceof WorkerDownError)) throw error;
      parts.ended(error.cause);
      const cause = String(error.cause);
      const record = at as LogEntry | null;
      if (record !== null && killers.has(record.lsn))
        throw new Error(poisonText(record, cause), { cause: error });
      if (thread === THREADS_MAX) {
        throw new Error(`${THREADS_MAX} threads ended while they loaded the same shards: ${cause}`, {
          cause: error,
        });
      }
      if (record !== null) killers.add(record.lsn);
      await pause(PAUSE_MS * thread);
    }
  }
}

const poisonText = ({ lsn, file, offset }: LogEntry, cause: string): string =>
  `the record of LSN ${lsn}, in ${file} at byte ${offset}, ends every thread that applies it: ${cause}`;

/** `begin` is called before each record, and with null after the last one; null = the record need not be known. */
async function attempt(
  { fs, logDir, manifest, models, inserts, startWorker }: RebuildDependencies,
  begin: ((entry: LogEntry | null) => void) | null,
): Promise<Rebuilt> {
  const worker = startWorker();
  if (manifest !== null) await loadWorkers([worker], manifest);
  const catalog = manifest === null ? EMPTY_CATALOG : catalogFromPlain(manifest.catalog);
  const counts = new Map<number, StepCounts>();
  const note = (lsn: number, _record: unknown, changed: StepCounts): void => {
    if (changed.some((count) => count > 0)) counts.set(lsn, changed);
  };
  await replayLog({ fs, logDir, manifest, catalog }, { workers: [worker], inserts }, note, { begin });
  begin?.(null);
  for (const model of models()) await worker.send('model', { model });
  return { worker, counts };
}
