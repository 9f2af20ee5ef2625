/**
 * The engine on the main thread: creates its components and delegates requests to them. The start of the store is in
 * open-store.ts, writes in writer.ts and write-order.ts, checkpoints in checkpoint.ts, the repair of workers in worker-repair.ts.
 */
import { randomUUID } from 'node:crypto';
import type { RowFormat, RowStream, StreamEncoder } from '../answer/index.js';
import { GarbageCollection } from '../base/index.js';
import type { Catalog } from '../catalog/index.js';
import type { Manifest } from '../format/index.js';
import type {
  AggregateAnswer,
  AggregatePlan,
  BehaviourAnswer,
  BehaviourPlan,
  CountEntityPlan,
  ExtractedRow,
  ExtractPlan,
} from '../ir/index.js';
import type { DimensionData } from '../protocol/index.js';
import { copyStore, readManifest } from '../recovery/index.js';
import type { DatabaseModel } from '../schema/index.js';
import { ScriptCache } from '../sql/index.js';
import type {
  Backup,
  Decision,
  DegradedCode,
  EngineApi,
  EngineStats,
  InsertAnswer,
  InsertRequest,
  MutationRequest,
  QueryApi,
  QueryOptions,
  QueryPlan,
  ScriptRequest,
  SegmentAddition,
  SegmentAnswer,
  SegmentRemoval,
  SelectRequest,
} from './api.js';
import { sumOfData } from './data-sum.js';
import type { DatabaseUsage } from './database-usage.js';
import { Archiving } from './lifecycle/archiving.js';
import { Checkpointer, dropsRows } from './lifecycle/checkpoint.js';
import { type OpenStoreDependencies, openStore } from './lifecycle/open-store.js';
import { ReplayProgress } from './lifecycle/replay-progress.js';
import { Retention } from './lifecycle/retention.js';
import type { EngineOptions } from './options.js';
import { ProcessMemory } from './process-memory.js';
import { ExtractStreams } from './query/extract-stream.js';
import { Queries } from './query/queries.js';
import { QueryRunner, type QueryRunnerDependencies } from './query/query-runner.js';
import { FIRST_SLICE_MS, PARTITION_GROUPS_MIN, Selects, SLICE_MS } from './query/selects.js';
import { SpoolStore } from './query/spool.js';
import { WriteBarrier } from './query/write-barrier.js';
import { Records } from './records.js';
import { type StatsDependencies, statsOf } from './stats.js';
import { SPOOL_DIR, WorkerClients } from './workers/worker-clients.js';
import { WorkerRepair } from './workers/worker-repair.js';
import { DataVersions } from './write/data-versions.js';
import { DeduplicationTable } from './write/deduplication.js';
import { LineKeys } from './write/line-keys.js';
import { RecordNotes } from './write/record-notes.js';
import { ScriptWriter } from './write/script-writer.js';
import { SegmentWriter } from './write/segment-writer.js';
import { UsageBook } from './write/usage.js';
import { WriteMemory } from './write/write-memory.js';
import { type Write, WriteOrder } from './write/write-order.js';
import { Writer } from './write/writer.js';

const EXPIRY_INTERVAL_MS = 600_000;
const IDEMPOTENCY_KEYS_MAX = 1_000_000;
const LINE_KEYS_DEFAULT = 10_000_000;
const LOG_DIR = 'log';
const QUERY_TIMEOUT_MS = 30_000;
/** Time that writes wait for queries that read one version in several rounds. */
const WRITE_DELAY_MS_MAX = 10_000;
/** The memory limit divided by this number is the limit of one query, in addition to the data. */
const QUERY_MEMORY_PART = 16;
const QUERY_BYTES_MIN = 64 * 2 ** 20;
/** The memory limit divided by this number is the limit of the result cache. */
const CACHE_MEMORY_PART = 128;
const CACHE_BYTES_MIN = 4 * 2 ** 20;

export class Engine implements EngineApi {
  readonly statements = new ScriptCache();
  readonly records: Records;
  readonly #options: EngineOptions;
  readonly #workers: WorkerClients;
  readonly #order: WriteOrder;
  readonly #barrier = new WriteBarrier();
  readonly #versions = new DataVersions();
  readonly #queries: Queries;
  readonly #selects: Selects;
  readonly #extractStreams: ExtractStreams;
  readonly #writer: Writer;
  readonly #scripts: ScriptWriter;
  readonly #segments: SegmentWriter;
  readonly #checkpoints: Checkpointer;
  readonly #repair: WorkerRepair;
  readonly #usage = new UsageBook();
  readonly #memory: WriteMemory;
  /** The components that open the store and that the statistics are read from. */
  readonly #parts: OpenStoreDependencies & StatsDependencies;
  #ready = false;
  #closing = false;
  #retention: Retention | null = null;
  #expiryTimer: NodeJS.Timeout | undefined;
  #writesUnderWay = 0;
  #onIdle: (() => void) | null = null;

  private constructor(options: EngineOptions, manifest: Manifest | null) {
    this.#options = options;
    this.#workers = new WorkerClients(
      options,
      manifest?.shardCount ?? options.shardCount ?? options.workerCount,
      (index, cause) => this.#onWorkerDown(index, cause),
      () => this.#closing,
    );
    this.#order = new WriteOrder(
      this.#workers,
      () => this.#repair.underWay,
      (lsn, write) => this.#sent(lsn, write),
      this.#barrier,
    );
    this.records = new Records({
      versions: this.#versions,
      usage: this.#usage,
      order: this.#order,
      clock: options.clock,
    });
    const processBytesMax = options.processBytesMax ?? Number.POSITIVE_INFINITY;
    const processMemory = new ProcessMemory(processBytesMax);
    const garbage = new GarbageCollection(processBytesMax);
    const queryBytesMax =
      options.queryBytesMax ??
      Math.max(QUERY_BYTES_MIN, Math.floor(options.memoryLimitBytes / QUERY_MEMORY_PART));
    const queryDependencies: QueryRunnerDependencies = {
      workers: this.#workers,
      barrier: this.#barrier,
      versions: this.#versions,
      processBytesMax,
      shrinkVersion: (databaseId) => this.#order.visible.databases.get(databaseId)?.shrinkVersion ?? -1,
      limits: {
        timeoutMs: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
        smallBytes: () => processMemory.smallQueryBytes(queryBytesMax),
        enterBytes: () => processMemory.enterQuery(queryBytesMax),
        leaveBytes: (bytes) => processMemory.leaveQuery(bytes),
        collectGarbage: () => garbage.check(),
        lsnSent: () => this.#order.lsnSent,
      },
      writeDelayMsMax: Math.min(WRITE_DELAY_MS_MAX, options.queryTimeoutMs ?? QUERY_TIMEOUT_MS),
      elapsedMs: () => performance.now(),
    };
    const runner = new QueryRunner(queryDependencies);
    const cacheBytesMax = Math.max(CACHE_BYTES_MIN, Math.floor(options.memoryLimitBytes / CACHE_MEMORY_PART));
    this.#queries = new Queries({
      ...queryDependencies,
      runner,
      cacheBytesMax,
      selectWork: (query) => this.#selects.wholeWork(query),
    });
    const logDir = `${options.dir}/${LOG_DIR}`;
    const spoolDir = `${options.dir}/${SPOOL_DIR}`;
    const spools = { fs: options.fs, dir: spoolDir, store: new SpoolStore() };
    const model = (databaseId: number): DatabaseModel | undefined =>
      this.#order.visible.databases.get(databaseId);
    const slices = {
      firstSliceMs: options.firstSliceMs ?? FIRST_SLICE_MS,
      sliceMs: options.sliceMs ?? SLICE_MS,
      partitionGroupsMin: options.partitionGroupsMin ?? PARTITION_GROUPS_MIN,
      exchange: options.exchange ?? 'shared',
      disabledRules: options.disabledRules,
    };
    this.#selects = new Selects({ ...queryDependencies, ...slices, runner, spools, model });
    this.#extractStreams = new ExtractStreams({ runner, spools, selects: this.#selects });
    const deduplication = new DeduplicationTable(options.idempotencyKeysMax ?? IDEMPOTENCY_KEYS_MAX);
    const lineKeys = new LineKeys(options.lineKeysMax ?? LINE_KEYS_DEFAULT);
    const parts = {
      options,
      workers: this.#workers,
      order: this.#order,
      usage: this.#usage,
      deduplication,
      lineKeys,
      storeId: manifest?.storeId ?? randomUUID(),
    };
    this.#checkpoints = new Checkpointer(
      { ...parts, canBegin: () => this.#repair.underWay.size === 0 && !this.#closing },
      manifest,
    );
    this.#repair = new WorkerRepair({
      options,
      workers: this.#workers,
      order: this.#order,
      barrier: this.#barrier,
      checkpoints: this.#checkpoints,
      logDir,
    });
    this.#memory = new WriteMemory(
      this.#workers,
      { deduplication, lineKeys },
      options.memoryLimitBytes,
      processMemory,
    );
    const notes = new RecordNotes(this.#usage, deduplication);
    const writing = { ...parts, notes, memory: this.#memory };
    const checked = { ...writing, checkWritable: () => this.#checkWritable() };
    this.#writer = new Writer(checked);
    this.#segments = new SegmentWriter(checked);
    this.#scripts = new ScriptWriter({
      ...checked,
      select: (plan, format, cancellation) =>
        this.#selects.select([{ plan, explain: 'no', isRestricted: false }], format, {
          cancellation,
          bypassCache: true,
        }),
    });
    this.#parts = {
      ...{ ...writing, logDir, spoolDir, writer: this.#writer },
      ...{ checkpoints: this.#checkpoints, repair: this.#repair, cache: this.#queries.cache },
      archiving: new Archiving(options),
      progress: new ReplayProgress(),
      memoryLimitBytes: options.memoryLimitBytes,
    };
  }

  /** Creates the engine of a data directory and starts its threads. The caller opens the store with `start`. */
  static async create(options: EngineOptions): Promise<Engine> {
    return new Engine(options, await readManifest(options.fs, options.dir));
  }

  /**
   * Opens the store: snapshot, log, and on first start its team, database and keys. Rejects with a CorruptionError
   * that names file and offset, or a NewerFormatError; then nothing on disk was changed.
   */
  async start(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      // The reason why a thread ended is the more useful error.
      await Promise.allSettled(this.#repair.underWay.values());
      this.#closing = true;
      await this.#workers.close();
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
    const writing = { workers: this.#workers, order: this.#order, writer: this.#writer };
    this.#retention = new Retention({ clock, events, ...writing, knownMs });
    // What earlier records changed is not known.
    this.#versions.catalogChanged(this.#order.lsnSent);
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

  addSegmentIds<T>(request: SegmentAddition<T>): Promise<SegmentAnswer<T>> {
    return this.#write(() => this.#segments.add(request));
  }

  removeSegmentIds(request: SegmentRemoval): Promise<number> {
    return this.#write(() => this.#segments.remove(request));
  }

  change<T>(decide: (catalog: Catalog) => Decision<T>): Promise<T> {
    return this.#write(() => this.#writer.change(decide));
  }

  /** Counts the write as running, so that `close` waits for it. */
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
      this.#options.events.warn('expired events are kept for now', { error: String(error) }),
    );
  }

  /** Returns false if no file is prepared or writes are not allowed now. */
  #beginLogFile(): Promise<boolean> {
    if (!this.#ready || this.#closing || this.#repair.underWay.size > 0) return Promise.resolve(false);
    return this.#write(() => this.#order.beginLogFile(this.#options.clock.nowMs()));
  }

  countEntities(plans: readonly CountEntityPlan[], options: QueryOptions): Promise<readonly number[]> {
    return this.#queries.countEntities(plans, options);
  }

  exist(plan: CountEntityPlan, ids: readonly string[], options: QueryOptions): Promise<readonly boolean[]> {
    return this.#queries.exist(plan, ids, options);
  }

  aggregate(plans: readonly AggregatePlan[], options: QueryOptions): Promise<readonly AggregateAnswer[]> {
    return this.#queries.aggregate(plans, options);
  }

  behaviour(plans: readonly BehaviourPlan[], options: QueryOptions): Promise<readonly BehaviourAnswer[]> {
    return this.#queries.behaviour(plans, options);
  }

  extract(plan: ExtractPlan, options: QueryOptions): Promise<readonly ExtractedRow[]> {
    return this.#queries.extract(plan, options);
  }

  atOneVersion<T>(work: (extract: QueryApi['extract']) => Promise<T>): Promise<T> {
    return this.#queries.atOneVersion(work);
  }

  extractStream(plan: ExtractPlan, encoder: StreamEncoder<ExtractedRow>, options: QueryOptions): RowStream {
    return this.#extractStreams.stream(plan, encoder, options);
  }

  select(requests: readonly SelectRequest[], format: RowFormat, options: QueryOptions): RowStream {
    return this.#selects.select(requests, format, options);
  }

  summarizePlan(query: QueryPlan): Promise<readonly string[]> {
    return this.#selects.summarizePlan(query);
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

  noteRequest(databaseId: number, isQuery: boolean): void {
    this.#usage.noteRequest(databaseId, isQuery);
  }

  #checkWritable(): void {
    if (!this.#ready || this.#closing || this.#repair.underWay.size > 0) throw this.#workers.unavailable();
  }

  /** Called after a record was sent to the workers. */
  #sent(lsn: number, write: Write): void {
    const { changes, deletes = false, touches } = write;
    if (touches !== null) this.#versions.rowsChanged(lsn, touches, performance.now());
    if (changes.length > 0) this.#versions.catalogChanged(lsn);
    for (const change of changes) {
      if (change.change === 'database-deleted') this.#versions.forget(change.databaseId);
    }
    this.#checkpoints.note(write);
    const drops = changes.some((change) => change.change.endsWith('-deleted') || dropsRows(change));
    if (deletes || drops) this.#checkpoints.erase();
    // Deleted data leaves the disk only with a checkpoint.
    if (changes.some(({ change }) => change === 'database-deleted')) this.#checkpoints.want();
    if (this.#ready && !this.#closing) this.#checkpoints.runIfDue();
    this.records.sent();
  }

  /** Writes a snapshot of all applied records while writes continue. Joins a running checkpoint. */
  async checkpoint(): Promise<void> {
    if (this.#repair.underWay.size > 0) throw this.#workers.unavailable();
    await this.#checkpoints.run();
  }

  /** Copies a snapshot of all acknowledged data while writes continue. */
  async backup(to: string, signal: AbortSignal | null = null): Promise<Backup> {
    this.#checkWritable();
    const { fs, dir, random64, events } = this.#options;
    const check = (): void => {
      if (this.#closing || signal?.aborted) throw new Error('the server is stopping; the backup was aborted');
    };
    const copy = async (manifest: Manifest): Promise<Backup> => {
      const bytes = await copyStore({ fs, from: dir, to, manifest, random64, check });
      return { lsn: manifest.checkpointLsn, fileCount: manifest.files.length, bytes };
    };
    // `close` waits for a backup as for a write.
    const backup = await this.#write(() => this.#checkpoints.withSnapshot(copy));
    events.info('backup', { to, ...backup });
    return backup;
  }

  #onWorkerDown(index: number, cause: unknown): void {
    // While the engine closes, only writes that may be in the log need the worker: its rebuild provides their answer.
    if (this.#closing && this.#writesUnderWay === 0) return;
    this.#repair.begin(index, cause, this.#ready);
  }

  /** Row counts and memory by purpose of each dimension. Rejects with 9004 while a shard is rebuilt. */
  async describeData(): Promise<readonly DimensionData[]> {
    return sumOfData((await this.#workers.sendAll((worker) => worker.send('describe-data', {}))).flat());
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

  /** Waits for running writes, takes a last checkpoint, makes everything durable and ends the threads. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    clearInterval(this.#expiryTimer);
    this.#parts.archiving.stop();
    if (!this.#ready) {
      await this.#workers.close();
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
    await this.#workers.close();
  }
}
