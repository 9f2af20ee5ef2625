/**
 * Decides when a checkpoint is due and runs it on all workers.
 * Crash safety: a checkpoint only adds files until the manifest is swapped. Before the swap the old manifest and the log are
 * the store, after it the new manifest. Log files and old snapshot files are removed only after the swap. So no file that the
 * old manifest names is ever overwritten, even if the checkpoint is at the same LSN.
 */
import { Histogram, type HistogramStats, invariant } from '../../base/index.js';
import { type CatalogChange, catalogToPlain } from '../../catalog/index.js';
import type { Manifest, SnapshotFileEntry } from '../../format/index.js';
import {
  removeUnreferenced,
  swapManifest,
  writeDeduplicationFile,
  writeLineKeyFile,
} from '../../recovery/index.js';
import type { EngineOptions } from '../options.js';
import type { WorkerApi } from '../workers/worker-client.js';
import type { WorkerClients } from '../workers/worker-clients.js';
import type { DeduplicationTable } from '../write/deduplication.js';
import type { LineKeys } from '../write/line-keys.js';
import type { UsageBook } from '../write/usage.js';
import type { Write, WriteOrder } from '../write/write-order.js';

const CHECKPOINT_LOG_BYTES = 256 * 2 ** 20;
/** Bounds of the histogram of checkpoint durations, in seconds. */
const SECONDS_BOUNDS: readonly number[] = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1_000];
/** Time after which a requested checkpoint that failed is tried again. */
const RETRY_MS = 5_000;

/** Statistics for operators. */
export interface CheckpointStats {
  /** Durations of the checkpoints finished since the start. */
  readonly seconds: HistogramStats;
  readonly failureCount: number;
  /** Time since the beginning of the last checkpoint of any process. */
  readonly ageSeconds: number;
  /** Bytes of the log that a restart would replay. */
  readonly logBytesBehind: number;
}

/** The state that a checkpoint contains, and when it may begin. */
export interface Checkpointed {
  readonly options: EngineOptions;
  readonly workers: WorkerClients;
  readonly order: WriteOrder;
  readonly usage: UsageBook;
  readonly deduplication: DeduplicationTable;
  readonly lineKeys: LineKeys;
  readonly storeId: string;
  /** False while a worker is rebuilt or the engine closes. */
  readonly canBegin: () => boolean;
}

/** Records that were written meanwhile make this snapshot invalid. The next one will be valid. */
class VoidCheckpointError extends Error {
  constructor() {
    super('a dimension was deleted after an update during the checkpoint, which starts again');
  }
}

export class Checkpointer {
  readonly #dependencies: Checkpointed;
  #manifest: Manifest | null;
  #running: Promise<void> | null = null;
  /** A checkpoint is requested, because deleted data leaves the disk only with one. */
  #wanted = false;
  /** The log contains data that was deleted since, so the next checkpoint begins a new log file. */
  #erases = false;
  /** During the running checkpoint: a record's answer depended on the data; a dimension was deleted after such a record. */
  #evaluated = false;
  #isVoid = false;
  /** The snapshot lacks a dimension that was deleted after its LSN while it was written. */
  #lacksDropped = false;
  #isWhole = true;
  /** Manifests whose files are being read. */
  readonly #inUse = new Set<Manifest>();
  /** Removal of files outside of a checkpoint. No checkpoint begins meanwhile. */
  #tidying: Promise<void> | null = null;
  readonly #seconds = new Histogram(SECONDS_BOUNDS);
  #failureCount = 0;
  #logBytesBefore = 0;
  #replayedLogBytes = 0;

  constructor(dependencies: Checkpointed, manifest: Manifest | null) {
    this.#dependencies = dependencies;
    this.#manifest = manifest;
  }

  /** The manifest of the last checkpoint. With the log after it, it is the store on disk. */
  get manifest(): Manifest | null {
    return this.#manifest;
  }
  get lsn(): number {
    return this.#manifest?.checkpointLsn ?? 0;
  }
  get stats(): CheckpointStats {
    const nowMs = this.#dependencies.options.clock.nowMs();
    return {
      seconds: this.#seconds.stats,
      failureCount: this.#failureCount,
      ageSeconds: Math.max(0, nowMs - (this.#manifest?.createdMs ?? nowMs)) / 1_000,
      logBytesBehind: this.#dependencies.order.isOpen ? this.#logBytesBehind : 0,
    };
  }

  get #logBytesBehind(): number {
    return this.#dependencies.order.log.stats().bytesWritten - this.#logBytesBefore + this.#replayedLogBytes;
  }

  /** Writes the first manifest of an empty store, which fixes the shard count. */
  async beginStore(manifest: Manifest): Promise<void> {
    const { fs, dir } = this.#dependencies.options;
    await swapManifest(fs, dir, manifest);
    this.#manifest = manifest;
  }

  replayed(logBytes: number): void {
    this.#replayedLogBytes = logBytes;
  }

  /** Begins a checkpoint if the log is large enough or a checkpoint is requested. */
  runIfDue(): void {
    const { options } = this.#dependencies;
    const limit = options.checkpointLogBytes ?? CHECKPOINT_LOG_BYTES;
    if (
      (this.#logBytesBehind < limit && !this.#wanted) ||
      this.#running !== null ||
      !this.#dependencies.canBegin()
    )
      return;
    this.run().catch((error) => this.warn(error));
  }

  /**
   * Called after a record was sent to the workers. If, during a checkpoint, a dimension is deleted after a record whose answer
   * depends on it, a replay of that record would lack the dimension's files. Such a checkpoint is void.
   */
  note({ changes, evaluates = false }: Pick<Write, 'changes' | 'evaluates'>): void {
    this.#evaluated ||= evaluates;
    const drops = changes.some(dropsRows);
    if (drops && this.#evaluated) this.#isVoid = true;
    this.#lacksDropped ||= drops;
  }

  /** Makes the next checkpoint remove deleted data from the log. */
  erase(): void {
    this.#erases = true;
  }

  /** Requests a checkpoint, which begins when the running one is done. */
  want(): void {
    this.#wanted = true;
  }

  /**
   * Reports a failed checkpoint. No data is lost: the old manifest and the whole log remain. The next try follows after
   * more log.
   */
  warn(error: unknown): void {
    this.#dependencies.options.events.warn('checkpoint failed', { error: String(error) });
  }

  /**
   * Calls `use` with a manifest whose files are the state at its LSN, which includes all records sent to the workers so far. The
   * files remain until `use` settles.
   */
  async withSnapshot<T>(use: (manifest: Manifest) => Promise<T>): Promise<T> {
    const wanted = this.#dependencies.order.lsnSent;
    // A record after the snapshot deleted the dimension that it lacks, so the next snapshot is at another LSN.
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
      // A running checkpoint removes old files itself, and no manifest names its new files yet.
      if (manifest !== this.#manifest && this.#running === null) {
        this.#tidying ??= this.#removeUnreferenced().finally(() => {
          this.#tidying = null;
        });
        await this.#tidying;
      }
    }
  }

  async #removeUnreferenced(): Promise<void> {
    const { fs, dir } = this.#dependencies.options;
    const live = this.#manifest === null ? [] : [this.#manifest];
    await removeUnreferenced(fs, dir, [...live, ...this.#inUse]);
  }

  /** Resolves when no checkpoint is running. */
  async idle(): Promise<void> {
    await this.#running?.catch(() => {});
  }

  /** Writes a snapshot of all applied records while writes continue. Joins a running checkpoint. */
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

  /** Like `run`, but must not be called during a checkpoint. `anew`: even if nothing was applied since the last one. */
  async runAnew(anew: boolean): Promise<void> {
    const { options, order, workers, usage } = this.#dependencies;
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
      // Records that were pending when the checkpoint began share the log file with deleted data, so erase again.
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
      shards: workers.shardCount,
      ms: Math.round(ms),
    });
  }

  /**
   * Writes the state at `lsn` (the last record that was sent to the workers) and swaps the manifest. Begins in the turn in which
   * that record was sent, so that all workers begin at the same position of their queues.
   */
  async #write(lsn: number, nowMs: number): Promise<Manifest> {
    const { options, order, workers, usage, storeId } = this.#dependencies;
    const { fs, dir } = options;
    const all = [...workers.all];
    const catalog = order.visible;
    const models = [...catalog.databases.values()];
    const usageThen = usage.beginSnapshot(lsn);
    await Promise.all(all.map((worker) => worker.send('checkpoint-begin', { lsn, models })));
    // Wait for every worker even if another fails, so that the next checkpoint's steps do not mix with these.
    const written = await Promise.allSettled(all.map(writeWorker));
    const files = written.flatMap((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
    // The answers of all records up to `lsn` are known now, and with them usage and the IDs of writes.
    await order.settled(lsn);
    // At the LSN of the old manifest its file has the same IDs, and must not be overwritten while that manifest is valid.
    const lists = lsn === this.lsn ? listsOf(this.#manifest) : await this.#writeLists(lsn, nowMs);
    // With durability interval or none, records that the snapshot holds may not be on disk yet.
    await order.log.sync();
    const manifest: Manifest = {
      storeId,
      checkpointLsn: lsn,
      shardCount: workers.shardCount,
      createdMs: nowMs,
      catalog: catalogToPlain(catalog),
      files,
      usage: usageThen.plain,
      ...lists,
    };
    if (this.#isVoid) throw new VoidCheckpointError();
    await swapManifest(fs, dir, manifest);
    return manifest;
  }

  /** Writes the IDs and line keys of all records up to `lsn`. */
  async #writeLists(lsn: number, nowMs: number): Promise<Pick<Manifest, 'once' | 'lineKeys'>> {
    const { options, deduplication, lineKeys } = this.#dependencies;
    const { fs, dir } = options;
    return {
      once: await writeDeduplicationFile(fs, dir, lsn, deduplication.upTo(lsn, nowMs)),
      lineKeys: await writeLineKeyFile(fs, dir, lsn, lineKeys.upTo(lsn, nowMs)),
    };
  }
}

const listsOf = (manifest: Manifest | null): Pick<Manifest, 'once' | 'lineKeys'> => ({
  once: manifest?.once ?? null,
  lineKeys: manifest?.lineKeys ?? null,
});

async function writeWorker(worker: WorkerApi): Promise<readonly SnapshotFileEntry[]> {
  for (;;) {
    const { done, files } = await worker.send('checkpoint-step', {});
    if (done) return files;
  }
}

/** Whether rows that a record before may have read are dropped as a whole. */
export const dropsRows = (change: CatalogChange): boolean =>
  change.change === 'dimension-deleted' ||
  change.change === 'database-deleted' ||
  change.change === 'segment-deleted' ||
  (change.change === 'segment-set' && change.replaces !== null);
