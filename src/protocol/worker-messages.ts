/**
 * The messages between the main thread and a worker, as closed unions of plain data.
 * Rules: a task carries requests in the order in which they must take effect; the worker returns each response at the request's
 * index. `sequence` counts the tasks of a worker from 0, and a worker refuses to run one out of turn. Requests that take several
 * turns of the worker's event loop (SLOW_OPS) are sent separately and may be overtaken. A refusal travels as a WireRefusal; any
 * other error is a bug and ends the worker.
 */

import type { RowFormat } from '../answer/index.js';
import type { DataMemory, DataUse } from '../base/index.js';
import type { CatalogChange } from '../catalog/index.js';
import type { RecordIdempotency, SnapshotFileEntry } from '../format/index.js';
import type {
  BatchRange,
  LineKeySettings,
  LineNumbers,
  Quarantined,
  QuarantineSettings,
  RecordMapping,
} from '../ingest/index.js';
import type {
  BehaviourGroups,
  BehaviourPartial,
  BehaviourPlan,
  BehaviourRanking,
  Condition,
  CountEntityPlan,
  MergeShare,
  PartitionedPart,
  SelectPlan,
  Stage,
} from '../ir/index.js';
import type { DatabaseModel } from '../schema/index.js';
import type { Field } from '../vector/index.js';
import type { Exchange, SentGroups, SentSelectPart, SentTable, SentTexts } from './exchange/sent-part.js';
import type { WireRefusal } from './refusal.js';
import type { SentPart } from './select-part.js';
import type { SharedBytes } from './shared-bytes.js';
import type { SpillLimits } from './spill-space.js';

/** The data that a worker receives when its thread starts. */
export interface WorkerStart {
  readonly workerIndex: number;
  /** The shards that this worker owns. */
  readonly shards: readonly number[];
  readonly shardCount: number;
  readonly storeDir: string;
  /** Bytes of the SIMD kernels; null = run their TypeScript twins. */
  readonly kernels: Uint8Array | null;
  /** How rows and groups reach other threads, and those of other threads this one. */
  readonly exchange: Exchange;
  /** Where the worker learns that a query was stopped. */
  readonly stops: StopSignals;
  /** The common memory of SharedBytes. */
  readonly inserts: SharedArrayBuffer;
  readonly spill: WorkerSpill;
  /** See EngineOptions. */
  readonly processBytesMax: number;
}

/** Where and how much queries may spill. */
export interface WorkerSpill extends SpillLimits {
  /** The folder of the files. */
  readonly dir: string;
  /** The memory of a SpillSpace; null = the worker has a space of its own with these limits. */
  readonly space: SharedArrayBuffer | null;
  /** The workers and the main thread. */
  readonly threadCount: number;
  /** See EngineOptions. */
  readonly shareBytesMax?: number | undefined;
}

/**
 * One Int32 per query in shared memory: 0, or 1 once the query is stopped; or the name of a BroadcastChannel of StopMessages.
 */
export type StopSignals = SharedArrayBuffer | string;

/** The query with this number was stopped, or has ended and will not be named again. */
export interface StopMessage {
  readonly query: number;
  readonly is: 'stopped' | 'ended';
}

/** The limits of a query on a worker. */
export interface WorkerQueryLimits {
  /** The number of the query in the StopSignals; 0 = the query is never stopped. */
  readonly slot: number;
  /** The memory that it may use besides the data, on this worker. */
  readonly bytesMax: number;
}

export interface EventColumnKey {
  readonly databaseId: number;
  readonly dimensionId: number;
  readonly columnId: number;
}

/** The part of one log record that concerns a worker. */
export interface ApplyRecord {
  readonly databaseId: number;
  readonly buffer: SharedBytes;
  /** Only batches of the worker's own shards. */
  readonly batches: readonly Omit<BatchRange, 'dimensionId'>[];
}

/** The settings for parsing an insert or the `set` of an update. */
export interface ParseSettings {
  readonly databaseId: number;
  /** The request's timestamp, milliseconds since 1970-01-01. */
  readonly nowMs: number;
  /** Custom keys may not use auto-create. */
  readonly customKey: boolean;
  /** Columns that may be written; null = all. */
  readonly columnIds: readonly number[] | null;
}

export interface WorkerRequests {
  /** From now on, inserts of this database are parsed against `model`. */
  model: { readonly model: DatabaseModel };
  /** Changes of models: from now on, inserts are parsed against the changed models. */
  'change-models': { readonly changes: readonly CatalogChange[] };
  /** Parses the first `bodyBytes` of `shared`; the rest is capacity for the record. */
  parse: ParseSettings & {
    readonly shared: SharedBytes;
    readonly bodyBytes: number;
    /** Changes of the newest model that the record makes before its rows; absent = none. */
    readonly changes?: readonly CatalogChange[];
    /** The numbers of the lines if the body is lines of entities; null = it is one JSON object. */
    readonly lines: LineNumbers | null;
    /** Lines that are refused are kept; absent or null = they refuse the body. */
    readonly quarantine?: QuarantineSettings | null;
    /** The keys of lines; absent or null = no line has one, unless `records` names their field. */
    readonly lineKeys?: LineKeySettings | null;
    /** How lines that are flat records become entities; absent or null = lines are entities. */
    readonly records?: RecordMapping | null;
    /** SHA-256 that identifies the request (RecordOnce.id); null = it may be applied again. */
    readonly idempotencyId: string | null;
  };
  /** Parses the `set` of an update: `body` is an insert of one entity that represents all. */
  'parse-set': ParseSettings & {
    readonly body: Uint8Array;
    /** As in `parse`. */
    readonly changes?: readonly CatalogChange[];
  };
  apply: { readonly records: readonly ApplyRecord[] };
  /** Changes (or, with `batch` null, deletes) the entities of the dimension that satisfy the condition. */
  mutate: {
    readonly databaseId: number;
    readonly dimensionId: number;
    readonly condition: Condition;
    /** An encoded batch of one entity, whose sections are applied to each changed entity. */
    readonly batch: Uint8Array | null;
  };
  'drop-dimension': { readonly databaseId: number; readonly dimensionId: number };
  'drop-column': { readonly databaseId: number; readonly dimensionId: number; readonly columnId: number };
  /** Drops the database, including its model. */
  'drop-database': { readonly databaseId: number };
  /** Removes the column's events that are older than `beforeSeconds`. */
  expire: EventColumnKey & { readonly beforeSeconds: number };
  /** The date of the oldest event of each column. */
  'oldest-events': { readonly columns: readonly EventColumnKey[] };
  /** A null condition counts all entities of the dimension. */
  'count-entities': { readonly plans: readonly CountEntityPlan[]; readonly bounds: WorkerQueryLimits };
  /** Statistics for the planner about the worker's part of each dimension. */
  'describe-columns': {
    readonly dimensions: readonly { readonly databaseId: number; readonly dimensionId: number }[];
  };
  /** The groups of a SELECT that consists of totals of columns (columnTotalsOf), by shard. */
  totals: {
    readonly plan: SelectPlan & { readonly dimensionId: number };
    readonly bounds: WorkerQueryLimits;
  };
  /** A question about behaviour; `chosen`: the values of its breakdown that have a group of their own. */
  behaviour: {
    readonly plan: BehaviourPlan;
    readonly chosen: BehaviourGroups | null;
    readonly bounds: WorkerQueryLimits;
  };
  /** How often the values of the plan's breakdown occur. */
  'behaviour-values': { readonly plan: BehaviourPlan; readonly bounds: WorkerQueryLimits };
  /** Starts a SELECT over the worker's shards; 'select-next' requests its parts. Ends an earlier SELECT with the same number. */
  'select-begin': {
    /** Identifies the SELECT on this worker until 'select-end'. */
    readonly selectId: number;
    readonly plan: SelectPlan;
    /** One per join of the plan. */
    readonly tables: readonly SentTable[];
    /** The row encoding; null = columns. Only for ungrouped plans without an order. */
    readonly format: RowFormat | null;
    /** Whether the worker returns statistics of the operators. */
    readonly profiled: boolean;
    /** About this many groups of each shard, those with the greatest counts, probably include the first ones; null = all. */
    readonly best: number | null;
    /** Groups from this number on are returned in partitions; null = never. */
    readonly partitionGroupsMin: number | null;
    readonly bounds: WorkerQueryLimits;
  };
  /**
   * Merges partitions of the groups of all workers, after a part that `gives` partitions: 'select-next' then requests the
   * groups as ordered rows. Only in shared memory.
   */
  'select-merge': {
    readonly selectId: number;
    readonly partials: readonly PartitionedPart[];
    readonly share: MergeShare;
  };
  /** Requests groups of partitions [from, to) as bytes, after a part that `gives` exchanged-groups. Changes nothing. */
  'select-partitions': {
    readonly selectId: number;
    readonly from: number;
    readonly to: number;
    /** The response has as many whole partitions as fit in about this number, and at least one. */
    readonly bytesMax: number;
  };
  /** Adds groups of any worker, as bytes, to those that the next 'select-merge-step' merges. */
  'select-groups': { readonly selectId: number; readonly groups: readonly Uint8Array<ArrayBuffer>[] };
  /**
   * Merges the added groups, which are all groups of some partitions, and keeps the first `wanted` of all steps; the response
   * says whether that is done, and otherwise the request must be repeated. After the last step, 'select-next' requests the
   * groups as ordered rows.
   */
  'select-merge-step': { readonly selectId: number; readonly wanted: number; readonly sliceMs: number };
  /** Adds rows of a stage to those that later stages of the query read on this worker. */
  'stage-rows': {
    /** Identifies the query on this worker until 'stage-rows-end'. */
    readonly queryId: number;
    readonly stage: number;
    readonly parts: readonly SentPart[];
    readonly bounds: WorkerQueryLimits;
  };
  /** Starts a stage of a query; 'select-next' requests its parts, as those of a SELECT. It reads no data yet. */
  'stage-begin': {
    readonly queryId: number;
    /** Identifies the stage until 'select-end', among the SELECTs of this worker. */
    readonly selectId: number;
    readonly stage: WorkerStage;
    /** The encoding of rows; null = columns. Only for stages without groups. */
    readonly encoding: RowEncoding | null;
    /** Whether the worker returns statistics of the operators. */
    readonly profiled: boolean;
    /** Groups from this number on are returned in partitions; null = never. */
    readonly partitionGroupsMin: number | null;
    readonly bounds: WorkerQueryLimits;
  };
  /** Releases the rows of these stages, because no later stage reads them; null = of all stages of the query. */
  'stage-rows-end': { readonly queryId: number; readonly stages: readonly number[] | null };
  /**
   * Requests the next rows, at most `rowsMax`, and fewer if they take about `bytesMax` bytes; all groups of a grouped plan; or
   * nothing yet if the slice ends first. Nothing may be written between the slices and parts of one SELECT.
   */
  'select-next': {
    readonly selectId: number;
    readonly rowsMax: number;
    readonly bytesMax: number;
    /** How long the worker may run before other requests get their turn; it always makes some progress. */
    readonly sliceMs: number;
    /** Memory for encoded parts; the worker owns it from now on. */
    readonly spare: readonly SharedArrayBuffer[];
    /** Whether the response is probably small; absent = no. */
    readonly isSmall?: boolean;
  };
  /** Counts the distinct texts of the partitions [from, to) of the lists that workers returned for this SELECT. */
  'select-count-texts': {
    readonly selectId: number;
    readonly lists: readonly SentTexts[];
    readonly from: number;
    readonly to: number;
  };
  /** Describes how the rows of a dimension that satisfy the condition would be found. */
  'outline-scan': {
    readonly databaseId: number;
    readonly dimensionId: number;
    readonly condition: Condition | null;
    readonly bounds: WorkerQueryLimits;
  };
  /** Ends the SELECT; does nothing if it has ended. */
  'select-end': { readonly selectId: number };
  /** Entities that do not satisfy the condition do not count as existing. */
  exist: {
    readonly databaseId: number;
    readonly dimensionId: number;
    readonly ids: readonly string[];
    readonly condition: Condition | null;
    readonly bounds: WorkerQueryLimits;
  };
  /** Fixes the present state as the contents of the checkpoint at `lsn`. */
  'checkpoint-begin': { readonly lsn: number; readonly models: readonly DatabaseModel[] };
  /** Writes snapshot files for some milliseconds; repeat until `done`. */
  'checkpoint-step': object;
  /** Reports the uses of the memory of the worker's data, piece by piece. */
  'describe-data': object;
  /** Loads snapshot files of the worker's shards. */
  load: { readonly files: readonly SnapshotFileEntry[] };
}

export interface DimensionStatistics {
  readonly entityCount: number;
  /** The latest-value columns that have values. */
  readonly columns: readonly ColumnStatistics[];
}

export interface ColumnStatistics {
  readonly columnId: number;
  readonly valueCount: number;
  /** Bounds of all values in stored form, as the nearest doubles; of codes for texts. */
  readonly min: number;
  readonly max: number;
  /** The number of different texts; null for other types. */
  readonly textCount: number | null;
}

/** A stage that workers run. */
export type WorkerStage = Extract<Stage, { readonly runs: 'operators' | 'groups' }>;

export interface RowEncoding {
  readonly format: RowFormat;
  /** One per column. */
  readonly fields: readonly Field[];
}

/** How one shard would be scanned. */
export interface ScanSummary {
  readonly shard: number;
  readonly entityCount: number;
  readonly segmentCount: number;
  /** Estimated from a sample of segments. */
  readonly estimatedRows: number;
  /** One per test of a column, in the order of the condition. */
  readonly leaves: readonly LeafSummary[];
}

export interface LeafSummary {
  /** Empty: entity IDs. */
  readonly columnIds: readonly number[];
  readonly over: 'values' | 'events' | 'entity IDs';
  readonly segmentCount: number;
  /** Segments that the zone map excludes, and those that it includes completely. */
  readonly skipped: number;
  readonly whole: number;
  /** The kernels that scan the other segments. */
  readonly kernels: readonly string[];
}

/** A worker's data of one dimension. */
export interface DimensionData {
  readonly databaseId: number;
  readonly dimensionId: number;
  readonly entityCount: number;
  /** Per event column. */
  readonly eventCounts: readonly { readonly columnId: number; readonly count: number }[];
  /** Column 0 = the whole dimension. */
  readonly memory: readonly { readonly use: DataUse; readonly columnId: number; readonly bytes: number }[];
}

/** An insert as the log and the workers receive it. */
export interface ParsedRecord {
  readonly entityCount: number;
  readonly valueCount: number;
  /** The lines that the record keeps in quarantines, which the counts omit; null = none. */
  readonly quarantined: Quarantined | null;
  /** The version of the model that it was parsed against. */
  readonly modelVersion: number;
  /** The objects that auto-create creates. */
  readonly changes: readonly CatalogChange[];
  /** The buffer with the record; null = the buffer of the request. */
  readonly buffer: SharedArrayBuffer | null;
  readonly recordAt: number;
  readonly recordBytes: number;
  /** As in the record. */
  readonly idempotency: RecordIdempotency | null;
  /** A key per line, zero for lines without one and lines that were left out; null = the lines have no keys. */
  readonly lineKeys: Uint8Array | null;
  /** The indexes of lines that were left out. */
  readonly omittedLines: readonly number[];
  /** The dimensions of the batches, without duplicates. */
  readonly dimensionIds: readonly number[];
  /** The record's batches with their offsets in the buffer. */
  readonly batches: readonly Omit<BatchRange, 'dimensionId'>[];
}

/** The `set` of an update as one encoded batch. */
export interface ParsedSet {
  readonly batch: Uint8Array;
  readonly modelVersion: number;
}

export interface WorkerResponses {
  model: null;
  'change-models': null;
  parse: ParsedRecord;
  'parse-set': ParsedSet;
  apply: null;
  /** The number of entities changed or deleted. */
  mutate: number;
  'drop-dimension': null;
  'drop-column': null;
  'drop-database': null;
  expire: null;
  /** Seconds since 1970-01-01 per column; Infinity if the worker has no event. */
  'oldest-events': Float64Array;
  'count-entities': readonly number[];
  'describe-columns': readonly DimensionStatistics[];
  /** The groups of each shard that has entities of the dimension. */
  totals: readonly SentGroups[];
  behaviour: BehaviourPartial;
  'behaviour-values': BehaviourRanking;
  'select-begin': null;
  'select-merge': null;
  /** Those of partitions [from, to) with `to` at most the requested one. */
  'select-partitions': { readonly to: number; readonly groups: readonly Uint8Array<ArrayBuffer>[] };
  'select-groups': null;
  'select-merge-step': boolean;
  'stage-rows': null;
  'stage-begin': null;
  'stage-rows-end': null;
  'select-next': SentSelectPart;
  /** null: counting would take too long. */
  'select-count-texts': number | null;
  'select-end': null;
  /** One entry per shard that has data of the dimension. */
  'outline-scan': readonly ScanSummary[];
  /** 1 if one of the worker's shards has the entity. */
  exist: Uint8Array;
  'checkpoint-begin': null;
  /** Refused if a file could not be written: the checkpoint has failed, and the data is unchanged. */
  'checkpoint-step': { readonly done: boolean; readonly files: readonly SnapshotFileEntry[] };
  /** Refused if a file could not be read or is damaged: the worker is then unusable. */
  load: { readonly rowCount: number; readonly bytes: number };
  'describe-data': readonly DimensionData[];
}

export type WorkerOp = keyof WorkerRequests;
export type WorkerRequest = { [Op in WorkerOp]: { readonly op: Op } & WorkerRequests[Op] }[WorkerOp];

/** Requests that wait for the disk: each is a task of its own. */
export const SLOW_OPS: ReadonlySet<WorkerOp> = new Set<WorkerOp>(['checkpoint-step', 'load']);

/** Requests with large responses: each ends its task, so that its response is sent and freed before the next one starts. */
export const LARGE_OPS: ReadonlySet<WorkerOp> = new Set<WorkerOp>([
  'behaviour',
  'behaviour-values',
  'select-next',
  'select-partitions',
]);

/** Whether the response may be large. */
export const isLarge = ({ op, isSmall }: { readonly op: WorkerOp; readonly isSmall?: boolean }): boolean =>
  LARGE_OPS.has(op) && isSmall !== true;

export interface WorkerTask {
  readonly sequence: number;
  readonly requests: readonly WorkerRequest[];
}

export type WorkerReply = { readonly value: WorkerResponses[WorkerOp] } | { readonly refusal: WireRefusal };

export interface WorkerResult {
  readonly replies: readonly WorkerReply[];
  /** Memory of the worker's data; null = unchanged since the last report. */
  readonly memory: DataMemory | null;
  /** String bytes of the fullest dictionary, which is limited to 4 GiB. */
  readonly dictionaryBytesMax: number;
}
