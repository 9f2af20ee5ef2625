/**
 * What the server's front end may ask of the engine. One engine serves all databases of a data directory.
 * Every method rejects with a QuarryError for faults of the request or of the moment (disk full, memory full,
 * shard being rebuilt) and never after a write was acknowledged.
 */
import type { RowFormat, RowStream, StreamEncoder } from '../answer/index.js';
import type { Cancellation, HistogramStats, QuarryError } from '../base/index.js';
import type { Catalog, CatalogChange } from '../catalog/index.js';
import type { RecordOnce } from '../format/index.js';
import type { LineNumbers } from '../ingest/index.js';
import type {
  AggregateAnswer,
  AggregatePlan,
  Condition,
  CountEntityPlan,
  ExtractedRow,
  ExtractPlan,
  SelectPlan,
} from '../ir/index.js';
import type { DimensionData } from '../protocol/index.js';
import type { DatabaseModel } from '../schema/index.js';
import type { ScriptCache } from '../sql/index.js';
import type { UsedMemory } from './write/write-memory.js';

/** What every write of rows carries. */
export interface WriteRequest {
  readonly databaseId: number;
  /** Made by a custom key. */
  readonly customKey: boolean;
  /** Columns that may be written; null = all. */
  readonly columnIds: readonly number[] | null;
  /** Called with the number of entities that are about to be written, before anything is logged; throws to refuse. */
  readonly charge: (entityCount: number) => void;
}

export interface InsertRequest extends WriteRequest {
  /** The whole body; copied before `insert` returns, so its memory may be used again at once. */
  readonly body: Uint8Array;
  /** The body is lines of JSON, an entity each, so numbered; left out or null = it is one JSON object. */
  readonly lines?: LineNumbers | null;
  /** What names the request among those that take effect once (RecordOnce.id); null = it may be repeated. */
  readonly onceId: string | null;
  /** Called when they are durable, with the changes that auto-create made, if any. Left out: nobody wants to know. */
  readonly created?: (changes: readonly CatalogChange[]) => void;
}

export interface InsertAnswer {
  readonly entityCount: number;
  readonly valueCount: number;
}

/** Which entities an update or a delete concerns, and what is set. */
export interface Mutation {
  readonly dimensionId: number;
  readonly condition: Condition;
  /** JSON text of an object column api-name -> value, as in an insert; null = the entities are deleted. */
  readonly set: string | null;
}

export interface MutationRequest extends WriteRequest {
  /** Binds the request against the newest model; it must do nothing else, for it runs again when the model shrank. */
  readonly bind: (model: DatabaseModel) => Mutation;
  /** The request's time, milliseconds since 1970-01-01. */
  readonly nowMs: number;
  readonly once: RecordOnce | null;
}

/** One of several writes that take effect together. */
export type ScriptWrite =
  | {
      readonly write: 'insert';
      readonly rowCount: number;
      /** The insert body of the first `rows` rows. */
      readonly body: (rows: number) => Uint8Array;
    }
  | ({ readonly write: 'change' } & Mutation);

export interface ScriptRequest extends Omit<WriteRequest, 'charge'> {
  /** Binds the request against the newest model; it must do nothing else, for it runs again when the model shrank. */
  readonly bind: (model: DatabaseModel) => readonly ScriptWrite[];
  /** The request's time, milliseconds since 1970-01-01. */
  readonly nowMs: number;
  readonly once: RecordOnce | null;
  /** Called before anything is logged, with the entities that are about to be written; throws to refuse. */
  readonly charge: (insertedCount: number, updatedCount: number) => void;
}

/** One write of a script that broke a rule: nothing of the script was written. */
export class StepRefused extends Error {
  override name = 'StepRefused';
  /** Which write of the script. */
  readonly step: number;
  /** Which row of an insert; null of a change. */
  readonly row: number | null;
  readonly refusal: QuarryError;

  constructor(step: number, row: number | null, refusal: QuarryError) {
    super(refusal.message);
    this.step = step;
    this.row = row;
    this.refusal = refusal;
  }
}

/** What a change of the catalog decides against the newest version: the changes to log, and the caller's answer. */
export interface Decision<T> {
  readonly changes: readonly CatalogChange[];
  readonly answer: T;
}

/** What one database has been asked and given since it was made. */
export interface DatabaseUsage {
  /** Requests that its keys were let in with, and those among them that ask. Exact up to the last checkpoint. */
  readonly requestCount: number;
  readonly queryCount: number;
  /** Entities and single values inserted, entities updated: exact. */
  readonly insertedEntityCount: number;
  readonly insertedValueCount: number;
  readonly updatedEntityCount: number;
  /** Entities inserted or updated in the UTC day `day` (days since 1970-01-01). */
  readonly day: number;
  readonly dayWriteCount: number;
}

/** Of a database that was never asked and never given anything. */
export const NO_USAGE: DatabaseUsage = {
  requestCount: 0,
  queryCount: 0,
  insertedEntityCount: 0,
  insertedValueCount: 0,
  updatedEntityCount: 0,
  day: 0,
  dayWriteCount: 0,
};

/** A backup that was made. */
export interface Backup {
  /** Everything up to this record is in it, and nothing behind. */
  readonly lsn: number;
  readonly fileCount: number;
  readonly bytes: number;
}

export interface EngineStats {
  readonly lsnAppended: number;
  readonly lsnDurable: number;
  readonly lsnApplied: number;
  readonly lsnCheckpoint: number;
  readonly logFsyncCount: number;
  /** Of each sync, and the records that it made durable. */
  readonly logFsyncSeconds: HistogramStats;
  readonly logGroupRecords: HistogramStats;
  /** What a start would have to read back. */
  readonly logBytesSinceCheckpoint: number;
  readonly logBytesWritten: number;
  readonly logRecordCount: number;
  readonly checkpointCount: number;
  /** Of the checkpoints finished since the start; attempts that failed; age of the newest one, also of an earlier process. */
  readonly checkpointSeconds: HistogramStats;
  readonly checkpointFailureCount: number;
  readonly checkpointAgeSeconds: number;
  /** Of the log that the start reads back, and how much of it went to the lanes so far. */
  readonly replayBytes: number;
  readonly replayBytesDone: number;
  readonly replayRecordCount: number;
  readonly memoryUsedBytes: number;
  /** The same by what it is for. */
  readonly memory: UsedMemory;
  readonly memoryLimitBytes: number;
  readonly laneCount: number;
  readonly shardCount: number;
  readonly lanesDown: number;
  readonly laneRestartCount: number;
  /** Log files copied to the archive, waiting to be, and attempts that failed, since the start. */
  readonly archivedFileCount: number;
  readonly archiveWaitingCount: number;
  readonly archiveFailureCount: number;
  /** Idempotency-Keys kept. */
  readonly onceCount: number;
  /** 1 = expired events stay, because the clock jumped. */
  readonly retentionSuspended: number;
  /** Of remembered answers. */
  readonly cacheBytes: number;
  readonly cacheHitCount: number;
  readonly cacheMissCount: number;
}

/** One SELECT, or what is to be told of how it is run: without running it (`plan`), or of a run (`analyze`). */
export interface SelectRequest {
  readonly plan: SelectPlan;
  readonly explain: 'no' | 'plan' | 'analyze';
  /** The caller does not see all columns and rows: EXPLAIN tells nothing of those. Left out: it sees all. */
  readonly isRestricted?: boolean;
}

/** What a query asks of the engine. */
export type AskedPlan =
  | { readonly asks: 'count' | 'exist'; readonly plan: CountEntityPlan }
  | { readonly asks: 'aggregate'; readonly plan: AggregatePlan }
  | { readonly asks: 'extract'; readonly plan: ExtractPlan }
  | { readonly asks: 'select'; readonly plan: SelectPlan };

/** How a query is asked. */
export interface Asking {
  /** Who waits for the answer; null = somebody always does. */
  readonly cancellation: Cancellation | null;
  /** The answer is worked out anew, whatever is remembered. */
  readonly bypassCache: boolean;
}

/**
 * Queries. Plans bound in the turn of the call see the model that they were bound to, or are refused with 9004 when it
 * shrank while they waited; all plans of a call read the same LSN on all shards. Each rejects with 9004 while a shard is
 * rebuilt, 9005 when the query's time is over, 9006 when it
 * needs more memory than queries have.
 */
export interface QueryApi {
  /** One exact count per plan. */
  countEntities(plans: readonly CountEntityPlan[], asking: Asking): Promise<readonly number[]>;
  /** For each ID (lower-cased by the caller), whether the dimension holds such an entity that satisfies the condition. */
  exist(plan: CountEntityPlan, ids: readonly string[], asking: Asking): Promise<readonly boolean[]>;
  /** One exact answer per plan. */
  aggregate(plans: readonly AggregatePlan[], asking: Asking): Promise<readonly AggregateAnswer[]>;
  /** The first plan.limit rows in the plan's order. */
  extract(plan: ExtractPlan, asking: Asking): Promise<readonly ExtractedRow[]>;
  /**
   * Runs `ask`; all that it extracts by what it is given, one after the other, reads the same LSN. Writes wait meanwhile,
   * so it asks nothing else.
   */
  atOneVersion<T>(ask: (extract: QueryApi['extract']) => Promise<T>): Promise<T>;
  /**
   * The same rows as those of `extract`, however many, as bytes. Begins in this turn; what is thrown meets whoever reads
   * the stream.
   */
  extractStream(plan: ExtractPlan, encoder: StreamEncoder<ExtractedRow>, asking: Asking): RowStream;
  /**
   * The rows of one SELECT in that format, or in JSON those of several: a list of `{result, count, took}`, all of one
   * version. Begins in this turn; what is thrown meets whoever reads the stream.
   */
  select(requests: readonly SelectRequest[], format: RowFormat, asking: Asking): RowStream;
  /** How a query would be run now, a line per operator, as EXPLAIN has them: for the log, so nothing is left out. */
  outline(asked: AskedPlan): Promise<readonly string[]>;
  /**
   * The text that `compute` gives, or the one that it gave for the same `key` at most `seconds` ago, if nothing of the
   * database (rows or model) has changed since `compute` was called. `key` says all that the text depends on.
   */
  remembered(
    databaseId: number,
    key: string,
    seconds: number,
    compute: () => Promise<string>,
  ): Promise<string>;
}

/** Disk full; memory limit reached; a shard is being rebuilt. */
export type DegradedCode = 9002 | 9003 | 9004;

export interface EngineApi extends QueryApi {
  /** False until replay is done and while the engine closes. */
  readonly ready: boolean;
  /** Codes of the errors that some requests get now although the engine is ready: 9002, 9003 and 9004. */
  readonly degraded: readonly DegradedCode[];
  /** Statements of SQL that were read before. */
  readonly statements: ScriptCache;
  /** The newest catalog whose changes are durable. */
  catalog(): Catalog;
  /**
   * Parses, logs and applies one insert; resolves when it is durable and visible. Whole or not at all. With an
   * `onceId` that is kept, the answer is the first one's. Rejects with 9001 when that had another body, with 9003
   * when nothing more can be kept.
   */
  insert(request: InsertRequest): Promise<InsertAnswer>;
  /** Updates or deletes by a condition; resolves with the number of entities when durable and visible. */
  mutate(request: MutationRequest): Promise<number>;
  /**
   * Several writes, one behind the other: all take effect or none, as one record. Resolves, when they are durable and
   * visible, with the numbers of their answers in a row: entities and values of an insert, entities of a change. Rejects
   * with StepRefused for a write that breaks a rule of inserts and updates.
   */
  script(request: ScriptRequest): Promise<readonly number[]>;
  /**
   * Changes the catalog: `decide` sees the newest version and may throw a QuarryError. It must do nothing else, for it
   * runs again when it had to wait; the last run counts.
   */
  change<T>(decide: (catalog: Catalog) => Decision<T>): Promise<T>;
  usage(databaseId: number): DatabaseUsage;
  /** Notes one request that was let in, for the database's usage. */
  noteRequest(databaseId: number, asks: boolean): void;
  /**
   * Copies everything acknowledged by now into `to` (absolute; absent or empty, on any disk), beside reads and writes:
   * a store of its own that `quarry verify` checks and `quarry restore` or a server opens. Rejects with an Error when
   * `to` holds something, with 9004 while a shard is rebuilt, with a CorruptionError when a snapshot file is damaged,
   * and with the system's error; then nothing is left in `to`. `giveUp` ends it early.
   */
  backup(to: string, giveUp?: AbortSignal): Promise<Backup>;
  stats(): EngineStats;
  /**
   * Counts what another part of the server takes against the memory limit until what it gives is called, once; null = there
   * is no room for it.
   */
  holdMemory(bytes: number): (() => void) | null;
  /** What each dimension holds, and what its memory is for. Rejects with 9004 while a shard is rebuilt. */
  describeData(): Promise<readonly DimensionData[]>;
  /** Drains, makes everything durable, stops the lanes. */
  close(): Promise<void>;
}
