/**
 * The engine's interface to the front ends of the server. One engine serves all databases of a data directory.
 * Every method rejects with a QuarryError for errors in the request and for temporary conditions (disk full, memory full,
 * shard being rebuilt), and never after a write was acknowledged.
 */
import type { RowFormat, RowStream, StreamEncoder } from '../answer/index.js';
import type { Cancellation, HistogramStats, QuarryError } from '../base/index.js';
import type { Catalog, CatalogChange } from '../catalog/index.js';
import type { Batch } from '../column/index.js';
import type { RecordIdempotency } from '../format/index.js';
import type { LineNumbers, Quarantined, QuarantineSettings, RecordMapping } from '../ingest/index.js';
import type {
  AggregateAnswer,
  AggregatePlan,
  BehaviourAnswer,
  BehaviourPlan,
  Condition,
  CountEntityPlan,
  ExtractedRow,
  ExtractPlan,
  ReadPlan,
} from '../ir/index.js';
import type { DimensionData } from '../protocol/index.js';
import type { DatabaseModel } from '../schema/index.js';
import type { ScriptCache } from '../sql/index.js';
import type { DatabaseUsage } from './database-usage.js';
import type { Records } from './records.js';
import type { UsedMemory } from './write/write-memory.js';

/** The fields that every write of rows has. */
export interface WriteRequest {
  readonly databaseId: number;
  /** The write is made by a custom key. */
  readonly customKey: boolean;
  /** Columns that may be written; null = all. */
  readonly columnIds: readonly number[] | null;
  /** Called with the number of entities that are about to be written, before anything is logged; throws to refuse. */
  readonly charge: (entityCount: number) => void;
}

export interface InsertRequest extends WriteRequest {
  /** The whole body. `insert` copies it before it returns, so the caller may reuse its memory. */
  readonly body: Uint8Array;
  /** The line numbers of a body of JSON lines with one entity each; absent or null = the body is one JSON object. */
  readonly lines?: LineNumbers | null;
  /** What happens to lines that are refused; absent or null = they refuse the request. */
  readonly quarantine?: QuarantineRequest | null;
  /** How the lines of a body become entities, if they are flat records; absent or null = they are entities. */
  readonly records?: RecordMapping | null;
  /**
   * One key of LINE_KEY_BYTES per line of a body of lines, blank lines included, the head not counted; 0 = the line has none. A
   * line whose key was inserted within 24 hours is left out. Absent or null = `records` may name the field of the keys.
   */
  readonly lineKeys?: Uint8Array | null;
  /** Identifies a request that takes effect once (RecordIdempotency.id); null = a repeated request takes effect again. */
  readonly idempotencyId: string | null;
  /** Called with the changes that auto-create made, if any, when they are durable. */
  readonly created?: (changes: readonly CatalogChange[]) => void;
}

/** Refused lines are kept in the quarantine of their dimension, by the same record as the others. */
export interface QuarantineRequest extends QuarantineSettings {
  /** Whether these dimensions, which may not exist yet, have capacity for more lines. */
  readonly hasCapacity: (dimensions: readonly string[]) => Promise<boolean>;
  /** Called with the lines that are kept, when they are durable. */
  readonly onQuarantined: (quarantined: Quarantined) => void;
}

export interface InsertAnswer {
  readonly entityCount: number;
  readonly valueCount: number;
  /** Lines that are kept in quarantines. Absent = none. */
  readonly quarantinedCount?: number;
  /** Lines that were left out, because they were inserted before. Absent = none. */
  readonly duplicateCount?: number;
}

/** The entities that an update or a delete applies to, and the values to set. */
export interface Mutation {
  readonly dimensionId: number;
  readonly condition: Condition;
  /** JSON text of an object column api-name -> value, as in an insert; null = the entities are deleted. */
  readonly set: string | null;
}

export interface MutationRequest extends WriteRequest {
  /**
   * Binds the request against the newest model. Must have no other effect, because it runs again if the model shrank.
   */
  readonly bind: (model: DatabaseModel) => Mutation;
  /** The request's time, milliseconds since 1970-01-01. */
  readonly nowMs: number;
  readonly idempotency: RecordIdempotency | null;
}

/** The form of a body of lines. */
export interface ScriptLines {
  readonly numbers: LineNumbers;
  /** How flat records become entities; null = the lines are entities. */
  readonly records: RecordMapping | null;
  /** The date of events that have none, milliseconds since 1970-01-01. */
  readonly receivedMs: number;
}

/** One of several writes that take effect together. Consecutive inserts of one statement have one answer. */
export type ScriptWrite = {
  /** The index of the statement in the request. */
  readonly statement: number;
} & (
  | {
      readonly write: 'insert';
      readonly rowCount: number;
      /** The insert body of the first `rows` rows. */
      readonly body: (rows: number) => Uint8Array;
      /** The entities exist and are updated, which the usage and the answer say. Absent = false. */
      readonly updates?: boolean;
      /** The body is lines, of entities or of records. Absent = it is one JSON object. */
      readonly lines?: ScriptLines;
    }
  | ({ readonly write: 'change' } & Mutation)
);

export type ScriptInsert = Extract<ScriptWrite, { readonly write: 'insert' }>;

/**
 * What a script reads before it writes. All reads and the write see one version of the data: if a record changes a dimension
 * that was read before the script's record is appended, everything is read again. `plan` is called in the turn in which its
 * query begins, with the newest model. Everything that one script reads has at most 50,000 rows per query and 16 MiB in all.
 */
export interface ScriptReader {
  /** The rows as JSON objects, one per line. Rejects with 6000 and the errors of queries. */
  lines(plan: (model: DatabaseModel) => ReadPlan): Promise<readonly string[]>;
  /** The rows in a format, as the answer of a SELECT. */
  answer(plan: (model: DatabaseModel) => ReadPlan, format: RowFormat): Promise<readonly Uint8Array[]>;
  /** The rows of an insert as they will be stored. Rejects with StepRefused. */
  stored(write: ScriptInsert): Promise<readonly Batch[]>;
}

export interface ScriptRequest extends Omit<WriteRequest, 'charge'> {
  /**
   * Binds the request against the newest model, and the one before the changes of the script. Must have no other effect, because
   * it runs again if the model shrank.
   */
  readonly bind: (model: DatabaseModel, before: DatabaseModel) => readonly ScriptWrite[];
  /**
   * Reads what the writes need and returns the function that takes the place of `bind`. It must have no other effect, because it
   * runs again if the data changed. Absent or null = nothing is read.
   */
  readonly prepare?: ((reader: ScriptReader) => Promise<ScriptRequest['bind']>) | null;
  /**
   * The changes of the catalog that the script makes before its writes, which are bound to the changed model. It gets the newest
   * model and catalog and must have no other effect. Absent = none.
   */
  readonly creates?: (model: DatabaseModel, catalog: Catalog) => readonly CatalogChange[];
  /** Cancels the queries of `prepare`. */
  readonly cancellation?: Cancellation | null;
  /** The request's time, milliseconds since 1970-01-01. */
  readonly nowMs: number;
  readonly idempotency: RecordIdempotency | null;
  /** Called before anything is logged, with the entities that are about to be written; throws to refuse. */
  readonly charge: (insertedCount: number, updatedCount: number) => void;
}

/** Thrown when one write of a script violates a rule. Nothing of the script is written. */
export class StepRefused extends Error {
  override name = 'StepRefused';
  /** ScriptWrite.statement of the write. */
  readonly statement: number;
  /** Index of the row among those that the statement inserts; null for an update or delete. */
  readonly row: number | null;
  readonly refusal: QuarryError;

  constructor(statement: number, row: number | null, refusal: QuarryError) {
    super(refusal.message);
    this.statement = statement;
    this.row = row;
    this.refusal = refusal;
  }
}

/** The result of a catalog change, computed from the newest version: the changes to log, and the answer to the caller. */
export interface Decision<T> {
  readonly changes: readonly CatalogChange[];
  readonly answer: T;
}

/** IDs of a static segment. */
export interface SegmentTarget {
  /** The dimension of the entities, and the id under which the IDs are stored. */
  readonly dimensionId: number;
  readonly segmentId: number;
  /** In stored form, each once. */
  readonly ids: readonly string[];
}

/**
 * IDs to add to a static segment, and the changes that make it, if it is new. `decide` gets the newest catalog and may throw a
 * QuarryError. It must have no side effects: it runs again after a wait, and only the last run counts.
 */
export interface SegmentAddition<T> {
  readonly databaseId: number;
  readonly decide: (catalog: Catalog) => Decision<T> & { readonly added: SegmentTarget };
  /** Called with the number of IDs, before anything is logged; throws to refuse. */
  readonly charge: (idCount: number) => void;
}

/** IDs to remove from a static segment; `decide` as in SegmentAddition. */
export interface SegmentRemoval {
  readonly databaseId: number;
  readonly decide: (catalog: Catalog) => SegmentTarget;
}

export interface SegmentAnswer<T> {
  readonly answer: T;
  readonly count: number;
}

/** A finished backup. */
export interface Backup {
  /** The LSN of the last record that the backup contains. */
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
  /** Duration of each sync, and the number of records that it made durable. */
  readonly logFsyncSeconds: HistogramStats;
  readonly logGroupRecords: HistogramStats;
  /** Bytes of the log that a restart would replay. */
  readonly logBytesSinceCheckpoint: number;
  readonly logBytesWritten: number;
  readonly logRecordCount: number;
  readonly checkpointCount: number;
  /** Duration of the checkpoints since the start, failed attempts, and the age of the newest checkpoint of any process. */
  readonly checkpointSeconds: HistogramStats;
  readonly checkpointFailureCount: number;
  readonly checkpointAgeSeconds: number;
  /** Bytes of the log that the start replays, and the bytes sent to the workers so far. */
  readonly replayBytes: number;
  readonly replayBytesDone: number;
  readonly replayRecordCount: number;
  readonly memoryUsedBytes: number;
  /** The used memory by purpose. */
  readonly memory: UsedMemory;
  readonly memoryLimitBytes: number;
  readonly workerCount: number;
  readonly shardCount: number;
  readonly workersDown: number;
  readonly workerRestartCount: number;
  /** Log files copied to the archive, log files that wait to be copied, and failed attempts, since the start. */
  readonly archivedFileCount: number;
  readonly archiveWaitingCount: number;
  readonly archiveFailureCount: number;
  /** Number of stored Idempotency-Keys. */
  readonly idempotencyKeyCount: number;
  readonly lineKeyCount: number;
  /** Lines that were left out since the start, because their keys were known. */
  readonly duplicateLineCount: number;
  /** 1 = expired events are not deleted because the clock jumped. */
  readonly retentionSuspended: number;
  /** The result cache. */
  readonly cacheBytes: number;
  readonly cacheHitCount: number;
  readonly cacheMissCount: number;
  /** Disk space of the rows that running queries spilled, and the bytes that all queries have spilled. */
  readonly querySpillBytes: number;
  readonly querySpilledBytes: number;
}

/** One SELECT, or an EXPLAIN of it: without a run (`plan`) or with measurements of a run (`analyze`). */
export interface SelectRequest {
  readonly plan: ReadPlan;
  readonly explain: 'no' | 'plan' | 'analyze';
  /** The caller may not read all columns and rows, so EXPLAIN reports nothing about the hidden ones. Default: false. */
  readonly isRestricted?: boolean;
}

/** The plan of a query of any kind. */
export type QueryPlan =
  | { readonly kind: 'count' | 'exist'; readonly plan: CountEntityPlan }
  | { readonly kind: 'aggregate'; readonly plan: AggregatePlan }
  | { readonly kind: 'behaviour'; readonly plan: BehaviourPlan }
  | { readonly kind: 'extract'; readonly plan: ExtractPlan }
  | { readonly kind: 'select'; readonly plan: ReadPlan };

/** Options of one query. */
export interface QueryOptions {
  /** Cancels the query when the client disconnects; null = the query is never cancelled. */
  readonly cancellation: Cancellation | null;
  /** Computes the answer without reading the result cache. */
  readonly bypassCache: boolean;
  /** Called at the beginning of the query with a function that says what the query does; it is valid until `onEnd`. */
  readonly onBegin?: (progress: () => QueryProgress) => void;
  /** Called at the end of the query. */
  readonly onEnd?: (facts: QueryFacts) => void;
}

/** What a running query does. */
export interface QueryProgress {
  /** What it waits for: memory or a slot that other queries have, or records, so that it reads one version; null = it runs. */
  readonly waitsFor: 'memory' | 'slot' | 'version' | null;
  /** Memory that is reserved for it, in bytes; 0 = it needs no reservation, or waits for it. */
  readonly reservedBytes: number;
}

/** What a query waited for, in milliseconds, and the bytes that it wrote to disk because it had too little memory. */
export interface QueryFacts {
  /** For memory that other queries had reserved. */
  readonly memoryWaitMs: number;
  /** For one of the slots of concurrent queries. */
  readonly slotWaitMs: number;
  /** For records, so that it reads one version of the data. */
  readonly versionWaitMs: number;
  readonly spilledBytes: number;
  /** The last record that the query has seen; null = it read no rows. */
  readonly lsn: number | null;
}

/**
 * Queries. A plan must be bound in the same turn of the event loop as the call. It runs against the model that it was bound
 * to; if that model loses a column or dimension while the query waits, the query rejects with 9004. All plans of one call
 * read the same LSN on all shards. Every method rejects with 9004 while a shard is rebuilt, with 9005 after the query's time
 * limit, and with 9006 if the query exceeds its memory limit.
 */
export interface QueryApi {
  /** One exact count per plan. */
  countEntities(plans: readonly CountEntityPlan[], options: QueryOptions): Promise<readonly number[]>;
  /** For each ID, in its stored form, whether the dimension contains that entity and it satisfies the condition. */
  exist(plan: CountEntityPlan, ids: readonly string[], options: QueryOptions): Promise<readonly boolean[]>;
  /** One exact answer per plan. */
  aggregate(plans: readonly AggregatePlan[], options: QueryOptions): Promise<readonly AggregateAnswer[]>;
  /** One exact answer per question about behaviour. */
  behaviour(plans: readonly BehaviourPlan[], options: QueryOptions): Promise<readonly BehaviourAnswer[]>;
  /** The first plan.limit rows in the plan's order. */
  extract(plan: ExtractPlan, options: QueryOptions): Promise<readonly ExtractedRow[]>;
  /**
   * Runs `work` with a function for extractions that all read the same LSN. They must run one after the other. Writes wait
   * until `work` settles, so it must send no other request to the engine.
   */
  atOneVersion<T>(work: (extract: QueryApi['extract']) => Promise<T>): Promise<T>;
  /**
   * Streams all rows of `extract` as bytes. The extraction starts in this turn of the event loop; its errors reject the
   * reads of the stream.
   */
  extractStream(plan: ExtractPlan, encoder: StreamEncoder<ExtractedRow>, options: QueryOptions): RowStream;
  /**
   * Streams the rows of one SELECT in `format`, or the rows of several SELECTs in JSON: a list of `{result, count, took}`
   * that all read the same LSN. The SELECT starts in this turn of the event loop; its errors reject the reads of the stream.
   */
  select(requests: readonly SelectRequest[], format: RowFormat, options: QueryOptions): RowStream;
  /** The query's execution plan, one line per operator as in EXPLAIN. It is for the log and hides nothing from the reader. */
  summarizePlan(query: QueryPlan): Promise<readonly string[]>;
  /**
   * Returns the text of `compute`, or the cached text of a call with the same `key` at most `seconds` ago if the database
   * (rows and model) has not changed since. `key` must contain everything that the text depends on.
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
  /** Error codes that some requests get now although the engine is ready: 9002, 9003 and 9004. */
  readonly degraded: readonly DegradedCode[];
  /** Cache of parsed SQL statements. */
  readonly statements: ScriptCache;
  /** The records that queries see. */
  readonly records: Pick<Records, keyof Records>;
  /** The newest catalog whose changes are durable. */
  catalog(): Catalog;
  /**
   * Parses, logs and applies one insert as a whole or not at all; resolves when it is durable and visible. For an `idempotencyId`
   * that is stored already, returns the answer of the first request. Rejects with 9001 if the first request had another
   * body, and with 9003 if no further ID can be stored.
   */
  insert(request: InsertRequest): Promise<InsertAnswer>;
  /** Updates or deletes entities by a condition; resolves with their number when the change is durable and visible. */
  mutate(request: MutationRequest): Promise<number>;
  /**
   * Runs several writes one after the other as one record: all take effect or none. When they are durable and visible,
   * resolves with the concatenated counts of their answers: entities and values of an insert, entities of a change. Rejects
   * with StepRefused for a write that violates a rule of inserts and updates.
   */
  script(request: ScriptRequest): Promise<readonly number[]>;
  /**
   * Changes the catalog. `decide` gets the newest version and may throw a QuarryError. It must have no side effects: it runs
   * again after a wait, and only the last run counts.
   */
  change<T>(decide: (catalog: Catalog) => Decision<T>): Promise<T>;
  /** Adds IDs to a static segment by one record; resolves when they are durable and visible. */
  addSegmentIds<T>(request: SegmentAddition<T>): Promise<SegmentAnswer<T>>;
  /** Removes IDs from a static segment by one record; resolves with the number of those that it had. */
  removeSegmentIds(request: SegmentRemoval): Promise<number>;
  usage(databaseId: number): DatabaseUsage;
  /** Counts one authorized request in the database's usage. */
  noteRequest(databaseId: number, isQuery: boolean): void;
  /**
   * Copies all acknowledged data into `to` (an absolute path of an absent or empty folder on any disk) while reads and writes
   * continue. The copy is a complete store: `quarry verify` checks it, and `quarry restore` or a server opens it. Rejects
   * with an Error if `to` is not empty, with 9004 while a shard is rebuilt, with a CorruptionError if a snapshot file is
   * damaged, and with errors of the file system; then it removes its files from `to`. `giveUp` aborts the backup.
   */
  backup(to: string, signal?: AbortSignal): Promise<Backup>;
  stats(): EngineStats;
  /**
   * Reserves memory for another part of the server. Returns a function that releases it and must be called once; null = the
   * memory limit does not allow the reservation.
   */
  holdMemory(bytes: number): (() => void) | null;
  /** Row counts and memory by purpose of each dimension. Rejects with 9004 while a shard is rebuilt. */
  describeData(): Promise<readonly DimensionData[]>;
  /** Waits for running writes, makes everything durable and stops the workers. */
  close(): Promise<void>;
}
