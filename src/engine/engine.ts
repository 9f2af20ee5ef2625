/**
 * The engine on the main thread: lanes, the log, the catalog, and the order in which all writes take effect.
 * Invariants
 *   A write is answered after its record is durable and every lane applied it; a refused write left nothing.
 *   Records are sent to the lanes in LSN order, each in one turn to all lanes; a query is sent to all lanes in one
 *   turn too, so it reads one LSN everywhere.
 *   Writes are checked against `#head` (all records given to the log), reads see `#visible` (all durable ones).
 *   While a lane is down nothing is appended, so its rebuild meets a log that stands still.
 */
import { randomUUID } from 'node:crypto';
import { invariant, QuarryError } from '../base/index.js';
import {
  applyChanges,
  type Catalog,
  type CatalogChange,
  catalogFromPlain,
  catalogToPlain,
  changeToPlain,
  EMPTY_CATALOG,
} from '../catalog/index.js';
import { encodeRecordPayload, type Manifest } from '../format/index.js';
import type { CountEntityPlan } from '../ir/index.js';
import type { ApplyRecord, ParsedRecord } from '../protocol/index.js';
import { readManifest, removeUnreferenced, swapManifest } from '../recovery/index.js';
import { Log, type LogStats } from '../wal/index.js';
import type { Decision, EngineApi, EngineStats, InsertAnswer, InsertRequest } from './api.js';
import { BufferPool } from './buffer-pool.js';
import { removeOld, takeCheckpoint } from './checkpoint.js';
import { prepareFirstStart } from './first-start.js';
import { Lane, type LaneApi, LaneDownError } from './lane.js';
import type { EngineOptions } from './options.js';
import { repartitionInto } from './repartition.js';
import { applyToLanes, loadLanes, replayLog } from './replay.js';

const CHECKPOINT_LOG_BYTES = 256 * 2 ** 20;
const INTERVAL_MS = 100;
/** What a parsed insert may take in the lanes beside its own bytes: index slots, dictionary entries, growth. */
const MEMORY_PER_BATCH_BYTE = 2;
/** Room for the parts of a record that do not grow with the body. */
const RECORD_ROOM_BYTES = 4_096;
const LANE_DOWN_CODE = 9004;
const LOG_DIR = 'log';

const NO_LOG_STATS: LogStats = {
  lsnAppended: 0,
  lsnDurable: 0,
  fsyncCount: 0,
  fsyncSecondsSum: 0,
  bytesWritten: 0,
  recordCount: 0,
  fileCount: 0,
};

/** What of a record must reach the lanes once it is durable. */
interface Commit {
  readonly lsn: number;
  readonly changes: readonly CatalogChange[];
  /** As of this record. */
  readonly catalog: Catalog;
  readonly record: ApplyRecord | null;
}

export class Engine implements EngineApi {
  readonly #options: EngineOptions;
  #shardCount: number;
  readonly #lanes: LaneApi[] = [];
  readonly #buffers = new BufferPool();
  #openedLog: Log | null = null;
  #manifest: Manifest | null = null;
  #storeId: string = randomUUID();
  #head: Catalog = EMPTY_CATALOG;
  #visible: Catalog = EMPTY_CATALOG;
  #lsnApplied = 0;
  #lsnSent = 0;
  #ready = false;
  #closing = false;
  /** Per lane that is down: settles when it is back. */
  readonly #rebuilds = new Map<number, Promise<void>>();
  #laneRestartCount = 0;
  #checkpoint: Promise<void> | null = null;
  #checkpointCount = 0;
  #logBytesAtCheckpoint = 0;
  #replayedLogBytes = 0;
  #waitingInsertBytes = 0;
  #underWay = 0;
  #onIdle: (() => void) | null = null;
  #nextParser = 0;

  private constructor(options: EngineOptions, manifest: Manifest | null) {
    this.#options = options;
    this.#manifest = manifest;
    this.#shardCount = manifest?.shardCount ?? options.shardCount ?? options.laneCount;
    if (manifest !== null) this.#storeId = manifest.storeId;
    for (let index = 0; index < options.laneCount; index++) this.#lanes.push(this.#startLane(index));
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
      await this.#recover();
    } catch (error) {
      this.#closing = true;
      await this.#closeLanes();
      throw error;
    }
  }

  get #logDir(): string {
    return `${this.#options.dir}/${LOG_DIR}`;
  }

  #startLane(index: number): LaneApi {
    const { laneFile, kernels, laneCount, dir, makeLane } = this.#options;
    const shards = Array.from({ length: this.#shardCount }, (_, shard) => shard).filter(
      (shard) => shard % laneCount === index,
    );
    const start = { laneIndex: index, shards, shardCount: this.#shardCount, storeDir: dir, kernels };
    const onDown = (cause: unknown): void => this.#onLaneDown(index, cause);
    return makeLane === undefined ? new Lane(laneFile, start, onDown) : makeLane(start, onDown);
  }

  async #recover(): Promise<void> {
    const { fs, dir, events, clock } = this.#options;
    const started = clock.nowMs();
    await fs.makeDir(this.#logDir);
    if (this.#manifest !== null) {
      this.#head = catalogFromPlain(this.#manifest.catalog);
      const loaded = await loadLanes(this.#lanes, this.#manifest);
      events.info('snapshot loaded', {
        ...loaded,
        lsn: this.#manifest.checkpointLsn,
        ms: clock.nowMs() - started,
      });
    }
    const replayed = await replayLog(fs, this.#logDir, this.#checkpointLsn + 1, this.#head, this.#lanes);
    const { nextLsn, tornTail } = await replayed.replay.repair();
    if (tornTail !== null) events.warn('unfinished last write cut off', { ...tornTail });
    if (this.#manifest !== null) {
      // A kill may have come between the manifest's rename and its sync: nothing of the old one goes before that.
      await fs.syncDir(dir);
      await removeUnreferenced(fs, dir, this.#manifest);
    }
    events.info('log replayed', {
      records: replayed.recordCount,
      bytes: replayed.logBytes,
      ms: clock.nowMs() - started,
    });
    this.#replayedLogBytes = replayed.logBytes;
    this.#head = replayed.catalog;
    this.#visible = replayed.catalog;
    this.#lsnApplied = nextLsn - 1;
    this.#lsnSent = nextLsn - 1;
    await this.#openLog(nextLsn);
    this.#sendModels();
    if (this.#head.databases.size === 0) await this.#firstStart();
    const wanted = this.#options.shardCount;
    if (wanted !== null && wanted !== this.#shardCount) await this.#repartition(wanted);
    this.#ready = true;
  }

  async #openLog(nextLsn: number): Promise<void> {
    const { fs, durability, random64, events, logFileBytes } = this.#options;
    this.#openedLog = await Log.open({
      fs,
      dir: this.#logDir,
      durability,
      intervalMs: INTERVAL_MS,
      nextLsn,
      random64,
      monotonicMs: () => performance.now(),
      onFatal: (error) => events.fatal(error),
      ...(logFileBytes === undefined ? {} : { logFileBytes }),
    });
  }

  #sendModels(): void {
    for (const model of this.#head.databases.values())
      this.#sendToAll((lane) => lane.send('model', { model }));
  }

  /** Splits all data anew: from a snapshot by the old shards into one by the new ones, swapped like any other. */
  async #repartition(shardCount: number): Promise<void> {
    const { fs, dir, events, clock } = this.#options;
    const started = clock.nowMs();
    await this.checkpoint();
    await this.#closeLanes();
    const before = this.#shardCount;
    this.#shardCount = shardCount;
    this.#lanes.splice(0, this.#lanes.length, ...this.#lanes.map(({ index }) => this.#startLane(index)));
    this.#sendModels();
    if (this.#manifest !== null) await repartitionInto(this.#lanes, { fs, dir }, this.#manifest, shardCount);
    await this.#takeCheckpoint(true);
    events.info('re-partitioned', { from: before, to: shardCount, ms: clock.nowMs() - started });
  }

  async #firstStart(): Promise<void> {
    const { fs, dir, randomBytes, clock } = this.#options;
    // The shard count is fixed before the first record that depends on it.
    this.#manifest = {
      storeId: this.#storeId,
      checkpointLsn: 0,
      shardCount: this.#shardCount,
      createdMs: clock.nowMs(),
      catalog: catalogToPlain(EMPTY_CATALOG),
      files: [],
    };
    await swapManifest(fs, dir, this.#manifest);
    const changes = await prepareFirstStart(fs, dir, randomBytes);
    await this.#write(() => ({ changes, answer: null }));
  }

  get #checkpointLsn(): number {
    return this.#manifest?.checkpointLsn ?? 0;
  }

  get #log(): Log {
    invariant(this.#openedLog !== null, 'the log is opened before anything is written');
    return this.#openedLog;
  }

  get ready(): boolean {
    return this.#ready && !this.#closing;
  }

  catalog(): Catalog {
    return this.#visible;
  }

  async insert(request: InsertRequest): Promise<InsertAnswer> {
    const { byteLength } = request.body;
    this.#checkWritable();
    this.#checkMemory(byteLength * MEMORY_PER_BATCH_BYTE);
    const shared = this.#buffers.acquire(byteLength * 2 + RECORD_ROOM_BYTES);
    new Uint8Array(shared).set(request.body);
    this.#waitingInsertBytes += shared.byteLength;
    this.#begin();
    try {
      const answer = await this.#insert(request, shared, byteLength);
      this.#buffers.release(shared);
      return answer;
    } catch (error) {
      // After a refusal no thread looks at the buffer any more; after anything else one may.
      if (error instanceof QuarryError && error.code !== LANE_DOWN_CODE) this.#buffers.release(shared);
      throw error;
    } finally {
      this.#waitingInsertBytes -= shared.byteLength;
      this.#end();
    }
  }

  async #insert(
    { databaseId, customKey }: InsertRequest,
    shared: SharedArrayBuffer,
    bodyBytes: number,
  ): Promise<InsertAnswer> {
    const nowMs = this.#options.clock.nowMs();
    for (;;) {
      const lane = this.#lanes[this.#nextParser++ % this.#lanes.length];
      const parsed = await this.#ask(lane.send('parse', { databaseId, shared, bodyBytes, nowMs, customKey }));
      const answer = { entityCount: parsed.entityCount, valueCount: parsed.valueCount };
      if (parsed.entityCount === 0) return answer;
      await this.#roomFor(parsed.recordBytes);
      this.#checkWritable();
      this.#checkMemory(parsed.recordBytes * MEMORY_PER_BATCH_BYTE);
      if (this.#isStale(databaseId, parsed)) continue;
      const buffer = parsed.buffer ?? shared;
      const { changes, batches } = parsed;
      const payload = new Uint8Array(buffer, parsed.recordAt, parsed.recordBytes);
      await this.#append(payload, { changes, record: { databaseId, buffer, batches } });
      return answer;
    }
  }

  /** Whether the parse must be repeated against the newest model. */
  #isStale(databaseId: number, { modelVersion, changes }: ParsedRecord): boolean {
    const model = this.#head.databases.get(databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    return modelVersion < model.shrinkVersion || (changes.length > 0 && modelVersion !== model.version);
  }

  async change<T>(decide: (catalog: Catalog) => Decision<T>): Promise<T> {
    this.#checkWritable();
    this.#begin();
    try {
      return await this.#write(decide);
    } finally {
      this.#end();
    }
  }

  async #write<T>(decide: (catalog: Catalog) => Decision<T>): Promise<T> {
    for (;;) {
      const { changes, answer } = decide(this.#head);
      if (changes.length === 0) return answer;
      const timeMs = this.#options.clock.nowMs();
      const payload = encodeRecordPayload({ type: 'catalog', timeMs, changes: changes.map(changeToPlain) });
      if (this.#log.hasRoom(payload.length)) {
        await this.#append(payload, { changes, record: null });
        return answer;
      }
      // Another change may come in between: decide again.
      await this.#log.room(payload.length);
      if (this.#ready) this.#checkWritable();
    }
  }

  /** Waits until the log has room; throws QuarryError 9002 when the disk is full. */
  async #roomFor(payloadBytes: number): Promise<void> {
    while (!this.#log.hasRoom(payloadBytes)) await this.#log.room(payloadBytes);
  }

  /** Appends in this turn; resolves when the record is durable and applied by all lanes. */
  async #append(payload: Uint8Array, record: Omit<Commit, 'lsn' | 'catalog'>): Promise<void> {
    const { lsn, written } = this.#log.append(payload);
    const catalog = this.#setHead(record.changes);
    await written;
    await this.#commit({ ...record, catalog, lsn });
    this.#lsnApplied = Math.max(this.#lsnApplied, lsn);
  }

  #setHead(changes: readonly CatalogChange[]): Catalog {
    if (changes.length === 0) return this.#head;
    const before = this.#head;
    this.#head = applyChanges(before, changes);
    for (const model of this.#head.databases.values()) {
      if (before.databases.get(model.id) !== model) this.#sendToAll((lane) => lane.send('model', { model }));
    }
    return this.#head;
  }

  /** Sends a durable record to the lanes. Called in LSN order: `written` of records settle so. */
  #commit({ lsn, changes, catalog, record }: Commit): Promise<unknown> {
    invariant(lsn === this.#lsnSent + 1, `record ${lsn} became durable out of turn`);
    this.#lsnSent = lsn;
    this.#visible = catalog;
    const waiting = changes.flatMap((change) => applyToLanes(this.#lanes, change));
    if (record !== null) {
      for (const lane of this.#lanes) {
        const batches = record.batches.filter(({ shard }) => lane.shards.includes(shard));
        if (batches.length > 0) waiting.push(lane.send('apply', { records: [{ ...record, batches }] }));
      }
    }
    this.#checkpointIfDue();
    return Promise.all(waiting.map((sent) => this.#appliedOrRebuilt(sent)));
  }

  /** A record whose lane died on the way is in the log, and the lane comes back with it. */
  async #appliedOrRebuilt(sent: Promise<unknown>): Promise<void> {
    try {
      await sent;
    } catch (error) {
      if (!(error instanceof LaneDownError)) throw error;
      await Promise.all(this.#rebuilds.values());
    }
  }

  async countEntities(plans: readonly CountEntityPlan[]): Promise<readonly number[]> {
    const counts = await this.#askAll((lane) => lane.send('count-entities', { plans }));
    return plans.map((_, index) => counts.reduce((sum, one) => sum + one[index], 0));
  }

  async countAll(databaseId: number, dimensionIds: readonly number[]): Promise<number> {
    const counts = await this.#askAll((lane) => lane.send('count-all', { databaseId, dimensionIds }));
    return counts.reduce((sum, one) => sum + one, 0);
  }

  async exist(databaseId: number, dimensionId: number, ids: readonly string[]): Promise<readonly boolean[]> {
    const found = await this.#askAll((lane) => lane.send('exist', { databaseId, dimensionId, ids }));
    return ids.map((_, index) => found.some((one) => one[index] === 1));
  }

  #sendToAll(send: (lane: LaneApi) => Promise<unknown>): void {
    // A lane that is down gets the newest models when it is rebuilt.
    for (const lane of this.#lanes) send(lane).catch(() => {});
  }

  /** One request to every lane in this turn: all of them answer at the same LSN. */
  async #askAll<T>(send: (lane: LaneApi) => Promise<T>): Promise<T[]> {
    return this.#ask(Promise.all(this.#lanes.map(send)));
  }

  async #ask<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof LaneDownError) throw this.#unavailable();
      throw error;
    }
  }

  #unavailable(): QuarryError {
    return new QuarryError(
      9004,
      this.#closing ? 'the server is stopping' : 'data is being loaded; try again',
    );
  }

  #checkWritable(): void {
    if (!this.#ready || this.#closing || this.#rebuilds.size > 0) throw this.#unavailable();
  }

  get #memoryBytes(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.memoryBytes, 0) + this.#waitingInsertBytes;
  }

  #checkMemory(moreBytes: number): void {
    if (this.#memoryBytes + moreBytes > this.#options.memoryLimitBytes) {
      throw new QuarryError(9003, 'memory limit reached: writes are refused until memory is freed');
    }
  }

  #checkpointIfDue(): void {
    const limit = this.#options.checkpointLogBytes ?? CHECKPOINT_LOG_BYTES;
    const since = this.#log.stats().bytesWritten - this.#logBytesAtCheckpoint + this.#replayedLogBytes;
    if (since >= limit && this.#checkpoint === null && !this.#closing) {
      this.checkpoint().catch((error) => this.#checkpointFailed(error));
    }
  }

  #checkpointFailed(error: unknown): void {
    // Nothing is lost: the old manifest and the whole log stand. Try again after as much log again.
    this.#options.events.warn('checkpoint failed', { error: String(error) });
  }

  /** Writes a snapshot of everything applied so far, beside running writes. Joins one that is under way. */
  checkpoint(): Promise<void> {
    this.#checkpoint ??= this.#takeCheckpoint(false).finally(() => {
      this.#checkpoint = null;
    });
    return this.#checkpoint;
  }

  /** `anew`: also when nothing was applied since the last one. */
  async #takeCheckpoint(anew: boolean): Promise<void> {
    const { fs, dir, clock, events } = this.#options;
    if (this.#rebuilds.size > 0) throw this.#unavailable();
    // A checkpoint that fails is tried again only after as much log again.
    this.#logBytesAtCheckpoint = this.#log.stats().bytesWritten;
    this.#replayedLogBytes = 0;
    const lsn = this.#lsnSent;
    if (lsn === this.#checkpointLsn && !anew) return;
    const started = clock.nowMs();
    const context = {
      fs,
      dir,
      log: this.#log,
      lanes: [...this.#lanes],
      storeId: this.#storeId,
      shardCount: this.#shardCount,
      nowMs: started,
    };
    this.#manifest = await takeCheckpoint(context, lsn, this.#visible);
    await removeOld(fs, dir, this.#log, this.#manifest);
    this.#checkpointCount++;
    events.info('checkpoint', { lsn, files: this.#manifest.files.length, ms: clock.nowMs() - started });
  }

  #onLaneDown(index: number, cause: unknown): void {
    // A thread that ends while it is rebuilt lets the rebuild fail, which is fatal.
    if (this.#closing || this.#rebuilds.has(index)) return;
    const { events } = this.#options;
    events.warn('a worker thread ended and is rebuilt', { lane: index, cause: String(cause) });
    if (!this.#ready) {
      const text = `worker thread ${index} ended while the store was opened: ${String(cause)}`;
      events.fatal(new Error(text, { cause }));
      return;
    }
    const rebuild = this.#rebuild(index).then(
      () => {
        this.#rebuilds.delete(index);
      },
      (error) => events.fatal(error as Error),
    );
    this.#rebuilds.set(index, rebuild);
  }

  /** A new thread with the lane's shards as of the last record. Nothing is appended meanwhile. */
  async #rebuild(index: number): Promise<void> {
    const { fs } = this.#options;
    await this.#checkpoint?.catch(() => {});
    await this.#log.sync();
    const lane = this.#startLane(index);
    if (this.#manifest !== null) await loadLanes([lane], this.#manifest);
    const from = this.#manifest === null ? EMPTY_CATALOG : catalogFromPlain(this.#manifest.catalog);
    await replayLog(fs, this.#logDir, this.#checkpointLsn + 1, from, [lane]);
    for (const model of this.#head.databases.values()) await lane.send('model', { model });
    this.#lanes[index] = lane;
    this.#laneRestartCount++;
  }

  stats(): EngineStats {
    const log = this.#openedLog?.stats() ?? NO_LOG_STATS;
    return {
      lsnAppended: log.lsnAppended,
      lsnDurable: log.lsnDurable,
      lsnApplied: this.#lsnApplied,
      lsnCheckpoint: this.#checkpointLsn,
      logFsyncCount: log.fsyncCount,
      logFsyncSecondsSum: log.fsyncSecondsSum,
      logBytesWritten: log.bytesWritten,
      logRecordCount: log.recordCount,
      checkpointCount: this.#checkpointCount,
      memoryUsedBytes: this.#memoryBytes,
      memoryLimitBytes: this.#options.memoryLimitBytes,
      laneCount: this.#lanes.length,
      shardCount: this.#shardCount,
      lanesDown: this.#rebuilds.size,
      laneRestartCount: this.#laneRestartCount,
    };
  }

  #begin(): void {
    this.#underWay++;
  }

  #end(): void {
    if (--this.#underWay === 0) this.#onIdle?.();
  }

  /** Waits for running writes, takes a last checkpoint, makes everything durable, ends the threads. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    if (!this.#ready) {
      await this.#closeLanes();
      return;
    }
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await Promise.all(this.#rebuilds.values());
    await this.#checkpoint?.catch((error) => this.#checkpointFailed(error));
    await this.checkpoint().catch((error) => this.#checkpointFailed(error));
    await this.#log.close();
    await this.#closeLanes();
  }

  async #closeLanes(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }
}
