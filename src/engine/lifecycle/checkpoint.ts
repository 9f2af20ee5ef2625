/**
 * Checkpoints: when one is due, and its course over all lanes.
 * Crash safety  a checkpoint only adds files until the manifest is swapped; before that the old manifest with the
 * log is the store, after it the new one. Log files and old snapshot files go only after the swap. So no file that
 * the old manifest names is ever written again, also when the checkpoint is at the same LSN.
 */
import { Histogram, type HistogramStats, invariant } from '../../base/index.js';
import { catalogToPlain } from '../../catalog/index.js';
import type { Manifest, SnapshotFileEntry } from '../../format/index.js';
import { removeUnreferenced, swapManifest, writeDeduplicationFile } from '../../recovery/index.js';
import type { EngineOptions } from '../options.js';
import type { LaneApi } from '../workers/worker-client.js';
import type { LaneSet } from '../workers/worker-clients.js';
import type { OnceTable } from '../write/deduplication.js';
import type { UsageBook } from '../write/usage.js';
import type { Write, WriteOrder } from '../write/write-order.js';

const CHECKPOINT_LOG_BYTES = 256 * 2 ** 20;
/** Seconds that a checkpoint takes. */
const SECONDS_BOUNDS: readonly number[] = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1_000];
/** How soon a checkpoint that is wanted is tried again when it failed. */
const RETRY_MS = 5_000;

/** What an operator watches. */
export interface CheckpointFigures {
  /** Of those finished since the start. */
  readonly seconds: HistogramStats;
  readonly failureCount: number;
  /** Since the begin of the last one, also of an earlier process. */
  readonly ageSeconds: number;
  /** What a start would have to read back. */
  readonly logBytesBehind: number;
}

/** What a checkpoint is made of. */
export interface Checkpointed {
  readonly options: EngineOptions;
  readonly lanes: LaneSet;
  readonly order: WriteOrder;
  readonly usage: UsageBook;
  readonly once: OnceTable;
  readonly storeId: string;
  /** False while a lane is rebuilt or the engine closes. */
  readonly canBegin: () => boolean;
}

/** What was written meanwhile does not go with this snapshot; the next one will do. */
class VoidCheckpointError extends Error {
  constructor() {
    super('a dimension was deleted behind an update meanwhile: it is taken anew');
  }
}

export class Checkpointer {
  readonly #parts: Checkpointed;
  #manifest: Manifest | null;
  #running: Promise<void> | null = null;
  /** Something was deleted that only a checkpoint takes from the disk. */
  #wanted = false;
  /** The log holds something that was deleted since: the next checkpoint begins a new log file. */
  #erases = false;
  /** Since the begin of the checkpoint that runs: a record whose answer depends on the data; a dimension went after it. */
  #evaluated = false;
  #isVoid = false;
  /** The snapshot lacks a dimension that went behind its LSN, while it was written. */
  #lacksDropped = false;
  #isWhole = true;
  /** Manifests whose files somebody reads. */
  readonly #inUse = new Set<Manifest>();
  /** Removes files outside of a checkpoint; none begins meanwhile. */
  #tidying: Promise<void> | null = null;
  readonly #seconds = new Histogram(SECONDS_BOUNDS);
  #failureCount = 0;
  #logBytesBefore = 0;
  #replayedLogBytes = 0;

  constructor(parts: Checkpointed, manifest: Manifest | null) {
    this.#parts = parts;
    this.#manifest = manifest;
  }

  /** The store's state on disk but for the log behind it. */
  get manifest(): Manifest | null {
    return this.#manifest;
  }
  get lsn(): number {
    return this.#manifest?.checkpointLsn ?? 0;
  }
  get figures(): CheckpointFigures {
    const nowMs = this.#parts.options.clock.nowMs();
    return {
      seconds: this.#seconds.stats,
      failureCount: this.#failureCount,
      ageSeconds: Math.max(0, nowMs - (this.#manifest?.createdMs ?? nowMs)) / 1_000,
      logBytesBehind: this.#parts.order.isOpen ? this.#logBytesBehind : 0,
    };
  }

  get #logBytesBehind(): number {
    return this.#parts.order.log.stats().bytesWritten - this.#logBytesBefore + this.#replayedLogBytes;
  }

  /** The manifest of a store that holds nothing yet: it fixes the shard count. */
  async beginStore(manifest: Manifest): Promise<void> {
    const { fs, dir } = this.#parts.options;
    await swapManifest(fs, dir, manifest);
    this.#manifest = manifest;
  }

  replayed(logBytes: number): void {
    this.#replayedLogBytes = logBytes;
  }

  /** Begins a checkpoint when enough log has gathered, or one is wanted. */
  runIfDue(): void {
    const { options } = this.#parts;
    const limit = options.checkpointLogBytes ?? CHECKPOINT_LOG_BYTES;
    if ((this.#logBytesBehind < limit && !this.#wanted) || this.#running !== null || !this.#parts.canBegin())
      return;
    this.run().catch((error) => this.warn(error));
  }

  /**
   * A record went to the lanes. When a dimension goes behind a record whose answer depends on it, both behind the
   * begin of the checkpoint that runs, its files would be missing in a replay of that record: such a checkpoint does
   * not count.
   */
  note({ changes, evaluates = false }: Pick<Write, 'changes' | 'evaluates'>): void {
    this.#evaluated ||= evaluates;
    const drops = changes.some(
      ({ change }) => change === 'dimension-deleted' || change === 'database-deleted',
    );
    if (drops && this.#evaluated) this.#isVoid = true;
    this.#lacksDropped ||= drops;
  }

  /** What was deleted leaves the log with the next checkpoint. */
  erase(): void {
    this.#erases = true;
  }

  /** A checkpoint shall begin as soon as the one that runs is done. */
  want(): void {
    this.#wanted = true;
  }

  /** Nothing is lost: the old manifest and the whole log stand. Another try comes after as much log again. */
  warn(error: unknown): void {
    this.#parts.options.events.warn('checkpoint failed', { error: String(error) });
  }

  /**
   * Calls `use` with a manifest whose files are the state at its LSN, at or behind everything that was sent to the
   * lanes by now; they stay until `use` settles.
   */
  async withSnapshot<T>(use: (manifest: Manifest) => Promise<T>): Promise<T> {
    const wanted = this.#parts.order.lsnSent;
    // What a snapshot lacks went by a record behind it: the next one is at another LSN.
    while (this.lsn < wanted || !this.#isWhole) {
      await this.run().catch((error) => {
        if (!(error instanceof VoidCheckpointError)) throw error;
      });
    }
    invariant(this.#manifest !== null, 'a store that was opened has a manifest');
    const manifest = this.#manifest;
    this.#inUse.add(manifest);
    try {
      return await use(manifest);
    } finally {
      this.#inUse.delete(manifest);
      // A checkpoint that runs tidies up itself; its new files are named by no manifest yet.
      if (manifest !== this.#manifest && this.#running === null) {
        this.#tidying ??= this.#removeUnreferenced().finally(() => {
          this.#tidying = null;
        });
        await this.#tidying;
      }
    }
  }

  async #removeUnreferenced(): Promise<void> {
    const { fs, dir } = this.#parts.options;
    const live = this.#manifest === null ? [] : [this.#manifest];
    await removeUnreferenced(fs, dir, [...live, ...this.#inUse]);
  }

  /** Resolves when none is under way. */
  async idle(): Promise<void> {
    await this.#running?.catch(() => {});
  }

  /** Writes a snapshot of everything applied so far, beside running writes. Joins one that is under way. */
  run(): Promise<void> {
    this.#running ??= this.runAnew(false).then(
      () => {
        this.#running = null;
        if (this.#wanted) this.runIfDue();
      },
      (error) => {
        this.#running = null;
        throw error;
      },
    );
    return this.#running;
  }

  /** The same, not to be called while one is under way. `anew`: also when nothing was applied since the last one. */
  async runAnew(anew: boolean): Promise<void> {
    const { options, order, lanes, usage } = this.#parts;
    const { clock, events } = options;
    await this.#tidying;
    const wanted = this.#wanted;
    this.#wanted = false;
    this.#logBytesBefore = order.log.stats().bytesWritten;
    this.#replayedLogBytes = 0;
    const lsn = order.lsnSent;
    if (lsn === this.lsn && !anew && !usage.hasRequestsSinceSnapshot) return;
    const started = clock.nowMs();
    const startedElapsedMs = clock.monotonicMs();
    this.#evaluated = false;
    this.#isVoid = false;
    this.#lacksDropped = false;
    const writing = this.#write(lsn, started);
    const newFile = this.#erases ? order.beginLogFile(started) : null;
    this.#erases = false;
    const [written] = await Promise.allSettled([writing, newFile]);
    if (written.status === 'rejected') {
      this.#failureCount++;
      this.#erases ||= newFile !== null;
      if (wanted || this.#isVoid) {
        const again = (): void => {
          this.#wanted = true;
          this.runIfDue();
        };
        setTimeout(again, RETRY_MS).unref();
      }
      throw written.reason;
    }
    this.#manifest = written.value;
    this.#isWhole = !this.#lacksDropped;
    order.log.noteCheckpoint(lsn);
    const erased = await order.log.dropBefore(lsn + 1);
    if (newFile !== null && !erased) {
      // Records that were under way when the checkpoint began lie beside what was deleted: once more.
      this.#erases = true;
      this.#wanted = true;
    }
    await this.#removeUnreferenced();
    const { files } = this.#manifest;
    const ms = clock.monotonicMs() - startedElapsedMs;
    this.#seconds.observe(ms / 1_000);
    events.info('checkpoint', {
      lsn,
      files: files.length,
      shards: lanes.shardCount,
      ms: Math.round(ms),
    });
  }

  /**
   * Writes the state at `lsn` (the last record that was sent to the lanes) and swaps the manifest. Begins in the turn
   * in which that record was sent, so that all lanes begin at the same place in line.
   */
  async #write(lsn: number, nowMs: number): Promise<Manifest> {
    const { options, order, lanes, usage, once, storeId } = this.#parts;
    const { fs, dir } = options;
    const all = [...lanes.all];
    const catalog = order.visible;
    const models = [...catalog.databases.values()];
    const usageThen = usage.beginSnapshot(lsn);
    await Promise.all(all.map((lane) => lane.send('checkpoint-begin', { lsn, models })));
    // Every lane must be through, also when another one fails: the next checkpoint's steps must not meet these.
    const written = await Promise.allSettled(all.map(writeLane));
    const files = written.flatMap((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
    // The answers of all records up to `lsn` are known, and with them what usage and names of writes must say.
    await order.settled(lsn);
    // At the LSN of the old manifest its file holds the same names, and must not be written over while it counts.
    const kept = lsn === this.lsn ? this.#manifest : null;
    const onceFile =
      kept === null ? await writeDeduplicationFile(fs, dir, lsn, once.upTo(lsn, nowMs)) : (kept.once ?? null);
    // With durability interval or none, records that the snapshot holds may not be on disk yet.
    await order.log.sync();
    const manifest: Manifest = {
      storeId,
      checkpointLsn: lsn,
      shardCount: lanes.shardCount,
      createdMs: nowMs,
      catalog: catalogToPlain(catalog),
      files,
      usage: usageThen.plain,
      once: onceFile,
    };
    if (this.#isVoid) throw new VoidCheckpointError();
    await swapManifest(fs, dir, manifest);
    return manifest;
  }
}

async function writeLane(lane: LaneApi): Promise<readonly SnapshotFileEntry[]> {
  for (;;) {
    const { done, files } = await lane.send('checkpoint-step', {});
    if (done) return files;
  }
}
