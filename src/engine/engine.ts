/**
 * The engine on the main thread: its parts put together, and what of them is asked for. The store's start is in open-store.ts,
 * writes in writer.ts and write-order.ts, checkpoints in checkpoint.ts, lanes that died in lane-repair.ts.
 */
import { randomUUID } from 'node:crypto';
import type { RowFormat, RowStream, StreamEncoder } from '../answer/index.js';
import type { Catalog } from '../catalog/index.js';
import type { Manifest } from '../format/index.js';
import type {
  AggregateAnswer,
  AggregatePlan,
  CountEntityPlan,
  ExtractedRow,
  ExtractPlan,
} from '../ir/index.js';
import type { DimensionData } from '../protocol/index.js';
import { copyStore, readManifest } from '../recovery/index.js';
import type { DatabaseModel } from '../schema/index.js';
import { ScriptCache } from '../sql/index.js';
import type {
  AskedPlan,
  Asking,
  Backup,
  DatabaseUsage,
  Decision,
  DegradedCode,
  EngineApi,
  EngineStats,
  InsertAnswer,
  InsertRequest,
  MutationRequest,
  QueryApi,
  ScriptRequest,
  SelectRequest,
} from './api.js';
import { sumOfData } from './data-sum.js';
import { Archiving } from './lifecycle/archiving.js';
import { Checkpointer } from './lifecycle/checkpoint.js';
import { type OpenParts, openStore } from './lifecycle/open-store.js';
import { ReplayProgress } from './lifecycle/replay-progress.js';
import { Retention } from './lifecycle/retention.js';
import type { EngineOptions } from './options.js';
import { ProcessMemory } from './process-memory.js';
import { ExtractStreams } from './query/extract-stream.js';
import { Queries } from './query/queries.js';
import { QueryRunner, type QueryRunnerParts } from './query/query-runner.js';
import { FIRST_SLICE_MS, Selects, SLICE_MS } from './query/selects.js';
import { SpoolStore } from './query/spool.js';
import { ReadGate } from './query/write-barrier.js';
import { type StatsParts, statsOf } from './stats.js';
import { LaneSet } from './workers/worker-clients.js';
import { LaneRepair } from './workers/worker-repair.js';
import { DataVersions } from './write/data-versions.js';
import { OnceTable } from './write/deduplication.js';
import { RecordNotes } from './write/record-notes.js';
import { ScriptWriter } from './write/script-writer.js';
import { UsageBook } from './write/usage.js';
import { WriteMemory } from './write/write-memory.js';
import { type Write, WriteOrder } from './write/write-order.js';
import { Writer } from './write/writer.js';

const EXPIRY_INTERVAL_MS = 600_000;
const ONCE_ENTRIES_MAX = 1_000_000;
const LOG_DIR = 'log';
const SPOOL_DIR = 'spool';
const QUERY_TIMEOUT_MS = 30_000;
/** Writes wait so long for queries that read one version in several rounds. */
const HELD_MS_MAX = 10_000;
/** Of the memory limit: what one query may take beside the data. */
const QUERY_MEMORY_PART = 16;
const QUERY_BYTES_MIN = 64 * 2 ** 20;
/** Of the memory limit: remembered answers. */
const CACHE_MEMORY_PART = 128;
const CACHE_BYTES_MIN = 4 * 2 ** 20;

export class Engine implements EngineApi {
  readonly statements = new ScriptCache();
  readonly #options: EngineOptions;
  readonly #lanes: LaneSet;
  readonly #order: WriteOrder;
  readonly #gate = new ReadGate();
  readonly #versions = new DataVersions();
  readonly #queries: Queries;
  readonly #selects: Selects;
  readonly #extractStreams: ExtractStreams;
  readonly #writer: Writer;
  readonly #scripts: ScriptWriter;
  readonly #checkpoints: Checkpointer;
  readonly #repair: LaneRepair;
  readonly #usage = new UsageBook();
  readonly #memory: WriteMemory;
  /** What the store is opened with, and its figures are read of. */
  readonly #parts: OpenParts & StatsParts;
  #ready = false;
  #closing = false;
  #retention: Retention | null = null;
  #expiryTimer: NodeJS.Timeout | undefined;
  #writesUnderWay = 0;
  #onIdle: (() => void) | null = null;

  private constructor(options: EngineOptions, manifest: Manifest | null) {
    this.#options = options;
    this.#lanes = new LaneSet(
      options,
      manifest?.shardCount ?? options.shardCount ?? options.laneCount,
      (index, cause) => this.#onLaneDown(index, cause),
      () => this.#closing,
    );
    this.#order = new WriteOrder(
      this.#lanes,
      () => this.#repair.underWay,
      (lsn, write) => this.#sent(lsn, write),
      this.#gate,
    );
    const processMemory = new ProcessMemory(options.processBytesMax ?? Number.POSITIVE_INFINITY);
    const queryBytesMax =
      options.queryBytesMax ??
      Math.max(QUERY_BYTES_MIN, Math.floor(options.memoryLimitBytes / QUERY_MEMORY_PART));
    const asking: QueryRunnerParts = {
      lanes: this.#lanes,
      gate: this.#gate,
      versions: this.#versions,
      shrinkVersion: (databaseId) => this.#order.visible.databases.get(databaseId)?.shrinkVersion ?? -1,
      limits: {
        timeoutMs: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
        get bytesMax() {
          return processMemory.queryBytes(queryBytesMax);
        },
      },
      heldMsMax: Math.min(HELD_MS_MAX, options.queryTimeoutMs ?? QUERY_TIMEOUT_MS),
      elapsedMs: () => performance.now(),
    };
    const runner = new QueryRunner(asking);
    const cacheBytesMax = Math.max(CACHE_BYTES_MIN, Math.floor(options.memoryLimitBytes / CACHE_MEMORY_PART));
    this.#queries = new Queries({ ...asking, runner, cacheBytesMax });
    const logDir = `${options.dir}/${LOG_DIR}`;
    const spoolDir = `${options.dir}/${SPOOL_DIR}`;
    const spools = { fs: options.fs, dir: spoolDir, store: new SpoolStore() };
    const model = (databaseId: number): DatabaseModel | undefined =>
      this.#order.visible.databases.get(databaseId);
    const slices = {
      firstSliceMs: options.firstSliceMs ?? FIRST_SLICE_MS,
      sliceMs: options.sliceMs ?? SLICE_MS,
    };
    this.#selects = new Selects({ ...asking, ...slices, runner, spools, model });
    this.#extractStreams = new ExtractStreams({ runner, spools });
    const once = new OnceTable(options.onceEntriesMax ?? ONCE_ENTRIES_MAX);
    const parts = {
      options,
      lanes: this.#lanes,
      order: this.#order,
      usage: this.#usage,
      once,
      storeId: manifest?.storeId ?? randomUUID(),
    };
    this.#checkpoints = new Checkpointer(
      { ...parts, canBegin: () => this.#repair.underWay.size === 0 && !this.#closing },
      manifest,
    );
    this.#repair = new LaneRepair({
      options,
      lanes: this.#lanes,
      order: this.#order,
      gate: this.#gate,
      checkpoints: this.#checkpoints,
      logDir,
    });
    this.#memory = new WriteMemory(this.#lanes, once, options.memoryLimitBytes, processMemory);
    const notes = new RecordNotes(this.#usage, once);
    const writing = { ...parts, notes, memory: this.#memory };
    const checked = { ...writing, checkWritable: () => this.#checkWritable() };
    this.#writer = new Writer(checked);
    this.#scripts = new ScriptWriter(checked);
    this.#parts = {
      ...{ ...writing, logDir, spoolDir, writer: this.#writer },
      ...{ checkpoints: this.#checkpoints, repair: this.#repair, cache: this.#queries.cache },
      archiving: new Archiving(options),
      progress: new ReplayProgress(),
      memoryLimitBytes: options.memoryLimitBytes,
    };
  }

  /** The engine of a data directory, its threads started; `start` opens the store. */
  static async create(options: EngineOptions): Promise<Engine> {
    return new Engine(options, await readManifest(options.fs, options.dir));
  }

  /**
   * Opens the store: snapshot, log, and on first start its team, database and keys. Rejects with a CorruptionError
   * that names file and place, or a NewerFormatError; then nothing on disk was changed.
   */
  async start(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      // Why a thread ended is the better answer.
      await Promise.allSettled(this.#repair.underWay.values());
      this.#closing = true;
      await this.#lanes.close();
      throw error;
    }
    const everyMs = this.#options.expiryIntervalMs ?? EXPIRY_INTERVAL_MS;
    this.#expiryTimer = setInterval(() => this.#expire(), everyMs);
    this.#expiryTimer.unref();
    this.#parts.archiving.start(this.#order, () => this.#beginLogFile());
    this.#expire();
  }

  async #open(): Promise<void> {
    const { clock, events } = this.#options;
    const knownMs = await openStore(this.#parts);
    const writing = { lanes: this.#lanes, order: this.#order, writer: this.#writer };
    this.#retention = new Retention({ clock, events, ...writing, knownMs });
    this.#ready = true;
    this.#checkpoints.runIfDue();
  }

  get ready(): boolean {
    return this.#ready && !this.#closing;
  }

  catalog(): Catalog {
    return this.#order.visible;
  }

  insert(request: InsertRequest): Promise<InsertAnswer> {
    return this.#write(() => this.#writer.insert(request));
  }

  mutate(request: MutationRequest): Promise<number> {
    return this.#write(() => this.#writer.mutate(request));
  }

  script(request: ScriptRequest): Promise<readonly number[]> {
    return this.#write(() => this.#scripts.write(request));
  }

  change<T>(decide: (catalog: Catalog) => Decision<T>): Promise<T> {
    return this.#write(() => this.#writer.change(decide));
  }

  /** Counts the write as under way, so that `close` waits for it. */
  async #write<T>(write: () => Promise<T>): Promise<T> {
    this.#writesUnderWay++;
    try {
      return await write();
    } finally {
      if (--this.#writesUnderWay === 0) this.#onIdle?.();
    }
  }

  #expire(): void {
    if (!this.#ready || this.#closing || this.#repair.underWay.size > 0) return;
    this.#write(() => this.#retention?.expire() ?? Promise.resolve()).catch((error) =>
      this.#options.events.warn('expired events stay for now', { error: String(error) }),
    );
  }

  /** False when no file is prepared, or nothing may be written for now. */
  #beginLogFile(): Promise<boolean> {
    if (!this.#ready || this.#closing || this.#repair.underWay.size > 0) return Promise.resolve(false);
    return this.#write(() => this.#order.beginLogFile(this.#options.clock.nowMs()));
  }

  countEntities(plans: readonly CountEntityPlan[], asking: Asking): Promise<readonly number[]> {
    return this.#queries.countEntities(plans, asking);
  }

  exist(plan: CountEntityPlan, ids: readonly string[], asking: Asking): Promise<readonly boolean[]> {
    return this.#queries.exist(plan, ids, asking);
  }

  aggregate(plans: readonly AggregatePlan[], asking: Asking): Promise<readonly AggregateAnswer[]> {
    return this.#queries.aggregate(plans, asking);
  }

  extract(plan: ExtractPlan, asking: Asking): Promise<readonly ExtractedRow[]> {
    return this.#queries.extract(plan, asking);
  }

  atOneVersion<T>(ask: (extract: QueryApi['extract']) => Promise<T>): Promise<T> {
    return this.#queries.atOneVersion(ask);
  }

  extractStream(plan: ExtractPlan, encoder: StreamEncoder<ExtractedRow>, asking: Asking): RowStream {
    return this.#extractStreams.stream(plan, encoder, asking);
  }

  select(requests: readonly SelectRequest[], format: RowFormat, asking: Asking): RowStream {
    return this.#selects.select(requests, format, asking);
  }

  outline(asked: AskedPlan): Promise<readonly string[]> {
    return this.#selects.outline(asked);
  }

  remembered(
    databaseId: number,
    key: string,
    seconds: number,
    compute: () => Promise<string>,
  ): Promise<string> {
    return this.#queries.remembered(databaseId, key, seconds, compute);
  }

  usage(databaseId: number): DatabaseUsage {
    return this.#usage.of(databaseId, this.#options.clock.nowMs());
  }

  noteRequest(databaseId: number, asks: boolean): void {
    this.#usage.noteRequest(databaseId, asks);
  }

  #checkWritable(): void {
    if (!this.#ready || this.#closing || this.#repair.underWay.size > 0) throw this.#lanes.unavailable();
  }

  /** A record went to the lanes. */
  #sent(lsn: number, write: Write): void {
    const { changes, deletes = false, touches } = write;
    if (touches !== null) this.#versions.rowsChanged(lsn, touches, performance.now());
    if (changes.length > 0) this.#versions.catalogChanged(lsn);
    for (const change of changes) {
      if (change.change === 'database-deleted') this.#versions.forget(change.databaseId);
    }
    this.#checkpoints.note(write);
    if (deletes || changes.some(({ change }) => change.endsWith('-deleted'))) this.#checkpoints.erase();
    // Only a checkpoint takes what was deleted from the disk.
    if (changes.some(({ change }) => change === 'database-deleted')) this.#checkpoints.want();
    if (this.#ready && !this.#closing) this.#checkpoints.runIfDue();
  }

  /** Writes a snapshot of everything applied so far, beside running writes. Joins one that is under way. */
  async checkpoint(): Promise<void> {
    if (this.#repair.underWay.size > 0) throw this.#lanes.unavailable();
    await this.#checkpoints.run();
  }

  /** Copies a snapshot of everything acknowledged by now, beside running writes. */
  async backup(to: string, giveUp: AbortSignal | null = null): Promise<Backup> {
    this.#checkWritable();
    const { fs, dir, random64, events } = this.#options;
    const check = (): void => {
      if (this.#closing || giveUp?.aborted) throw new Error('the server stops; the backup was given up');
    };
    const copy = async (manifest: Manifest): Promise<Backup> => {
      const bytes = await copyStore({ fs, from: dir, to, manifest, random64, check });
      return { lsn: manifest.checkpointLsn, fileCount: manifest.files.length, bytes };
    };
    // `close` waits for it as for a write.
    const backup = await this.#write(() => this.#checkpoints.withSnapshot(copy));
    events.info('backup', { to, ...backup });
    return backup;
  }

  #onLaneDown(index: number, cause: unknown): void {
    // While the engine closes, only writes that may be in the log need the lane: their answer is in its rebuild.
    if (this.#closing && this.#writesUnderWay === 0) return;
    this.#repair.begin(index, cause, this.#ready);
  }

  /** What each dimension holds, and what its memory is for. Rejects with 9004 while a shard is rebuilt. */
  async describeData(): Promise<readonly DimensionData[]> {
    return sumOfData((await this.#lanes.askAll((lane) => lane.send('describe-data', {}))).flat());
  }

  get degraded(): readonly DegradedCode[] {
    const codes: DegradedCode[] = [];
    if (this.#order.isOpen && this.#order.log.diskIsFull) codes.push(9002);
    if (this.#memory.isFull) codes.push(9003);
    if (this.#repair.underWay.size > 0) codes.push(9004);
    return codes;
  }

  holdMemory(bytes: number): (() => void) | null {
    return this.#memory.hold(bytes);
  }

  stats(): EngineStats {
    return statsOf(this.#parts);
  }

  /** Waits for running writes, takes a last checkpoint, makes everything durable, ends the threads. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    clearInterval(this.#expiryTimer);
    this.#parts.archiving.stop();
    if (!this.#ready) {
      await this.#lanes.close();
      return;
    }
    if (this.#writesUnderWay > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await Promise.all(this.#repair.underWay.values());
    await this.#checkpoints.idle();
    await this.#checkpoints.run().catch((error) => this.#checkpoints.warn(error));
    await this.#order.log.close();
    await this.#lanes.close();
  }
}
