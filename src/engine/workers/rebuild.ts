/**
 * A lane whose thread ended, made anew from manifest and log by another thread.
 * Invariants: the lane given back holds every record of the log; a thread that ends on the way is followed by another one,
 * which applies record by record, so that the record at which threads end is known. One that ends two of them so is not
 * tried again: the engine cannot go on with it, and says where it lies.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { catalogFromPlain, EMPTY_CATALOG } from '../../catalog/index.js';
import type { Manifest } from '../../format/index.js';
import type { FileSystem } from '../../io/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { LogEntry } from '../../wal/index.js';
import { loadLanes, replayLog, type StepCounts } from '../lifecycle/replay.js';
import type { InsertMemory } from '../write/insert-memory.js';
import { type LaneApi, LaneDownError } from './worker-client.js';

/** Threads that may end on the way, at different places. */
const THREADS_MAX = 10;
/** Before the next one, so that memory that was short may be free again; that many times longer each time. */
const PAUSE_MS = 50;

/** Entities that a rebuilt lane's replay changed, by LSN and step. */
export type ReplayedCounts = ReadonlyMap<number, StepCounts>;

export interface RebuildParts {
  readonly fs: FileSystem;
  readonly logDir: string;
  readonly manifest: Manifest | null;
  readonly models: () => Iterable<DatabaseModel>;
  /** Of all lanes. */
  readonly inserts: InsertMemory;
  /** A new, empty lane in its place. */
  readonly startLane: () => LaneApi;
  /** Told of each thread that ended on the way. */
  readonly ended: (cause: unknown) => void;
}

export interface Rebuilt {
  readonly lane: LaneApi;
  readonly counts: ReplayedCounts;
}

/** Rejects with an Error for the operator when no thread gets through, or with a CorruptionError. Nothing is written. */
export async function rebuildLane(parts: RebuildParts): Promise<Rebuilt> {
  const killers = new Set<number>();
  for (let thread = 1; ; thread++) {
    let at: LogEntry | null = null;
    const begin = (entry: LogEntry | null): void => {
      at = entry;
    };
    try {
      return await tryOnce(parts, thread === 1 ? null : begin);
    } catch (error) {
      if (!(error instanceof LaneDownError)) throw error;
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

/** `begin`: called before each record, and with null behind the last; null = it need not be known. */
async function tryOnce(
  { fs, logDir, manifest, models, inserts, startLane }: RebuildParts,
  begin: ((entry: LogEntry | null) => void) | null,
): Promise<Rebuilt> {
  const lane = startLane();
  if (manifest !== null) await loadLanes([lane], manifest);
  const catalog = manifest === null ? EMPTY_CATALOG : catalogFromPlain(manifest.catalog);
  const counts = new Map<number, StepCounts>();
  const note = (lsn: number, _record: unknown, changed: StepCounts): void => {
    if (changed.some((count) => count > 0)) counts.set(lsn, changed);
  };
  await replayLog(fs, logDir, manifest, catalog, { lanes: [lane], inserts }, note, { begin });
  begin?.(null);
  for (const model of models()) await lane.send('model', { model });
  return { lane, counts };
}
