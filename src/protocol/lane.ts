/**
 * The messages between the main thread and a lane's worker, as closed unions of plain data.
 * Rules: a task carries requests in the order in which they must take effect; the worker answers each at its
 * place; `sequence` counts the tasks of a lane from 0, and a worker refuses to run one out of turn. Requests that
 * take several turns of the worker's event loop (SLOW_OPS) travel alone and may be overtaken. What a request is
 * refused for travels as a WireRefusal; anything else thrown is a bug and ends the worker.
 */

import type { RowFormat } from '../answer/index.js';
import type { DataMemory, DataUse } from '../base/index.js';
import type { CatalogChange } from '../catalog/index.js';
import type { RecordOnce, SnapshotFileEntry } from '../format/index.js';
import type { BatchRange, LineNumbers } from '../ingest/index.js';
import type {
  Condition,
  CountEntityPlan,
  ExtractPlan,
  GroupPartial,
  JoinTable,
  PartitionedTexts,
  RoundPartial,
  RoundPlan,
  SelectPlan,
} from '../ir/index.js';
import type { DatabaseModel } from '../schema/index.js';
import type { WireVector } from '../vector/index.js';
import type { PackedRows } from './packed-rows.js';
import type { WireRefusal } from './refusal.js';
import type { SharedPlace } from './shared-place.js';

/** What a worker is told once, when its thread starts. */
export interface LaneStart {
  readonly laneIndex: number;
  /** The shards that this worker owns. */
  readonly shards: readonly number[];
  readonly shardCount: number;
  readonly storeDir: string;
  /** Bytes of the SIMD kernels; null = run their TypeScript twins. */
  readonly kernels: Uint8Array | null;
  /** One Int32 per slot of QueryBounds: 0, or 1 as soon as nobody waits for that query any more. */
  readonly stopFlags: SharedArrayBuffer;
  /** The common memory of SharedPlace. */
  readonly inserts: SharedArrayBuffer;
}

/** What bounds a query on a lane. */
export interface QueryBounds {
  /** Its place in `stopFlags`; 0 = the query is never stopped. */
  readonly slot: number;
  /** Memory that it may take beside the data, on this lane. */
  readonly bytesMax: number;
}

export interface EventColumnKey {
  readonly databaseId: number;
  readonly dimensionId: number;
  readonly columnId: number;
}

/** The part of one log record that concerns a lane. */
export interface ApplyRecord {
  readonly databaseId: number;
  readonly buffer: SharedPlace;
  /** Only batches of the lane's own shards. */
  readonly batches: readonly Omit<BatchRange, 'dimensionId'>[];
}

/** What an insert or a `set` of an update is parsed with, beside its bytes. */
export interface ParseSettings {
  readonly databaseId: number;
  /** The request's time, milliseconds since 1970-01-01. */
  readonly nowMs: number;
  /** Custom keys may not use auto-create. */
  readonly customKey: boolean;
  /** Columns that may be written; null = all. */
  readonly columnIds: readonly number[] | null;
}

export interface LaneRequests {
  /** From now on inserts of this database are parsed against `model`. */
  model: { readonly model: DatabaseModel };
  /** Changes of models: from now on inserts are parsed against the changed ones. */
  'change-models': { readonly changes: readonly CatalogChange[] };
  /** Parses the first `bodyBytes` of `shared`, whose rest is room for the record. */
  parse: ParseSettings & {
    readonly shared: SharedPlace;
    readonly bodyBytes: number;
    /** The body is lines of entities, so numbered; null = it is one JSON object. */
    readonly lines: LineNumbers | null;
    /** SHA-256 of what names the request (RecordOnce.id); null = it may be applied again. */
    readonly onceId: string | null;
  };
  /** Parses the `set` of an update: `body` is an insert of the one entity that stands for all. */
  'parse-set': ParseSettings & { readonly body: Uint8Array };
  apply: { readonly records: readonly ApplyRecord[] };
  /** Changes (or, with `batch` null, deletes) the entities of the dimension that satisfy the condition. */
  mutate: {
    readonly databaseId: number;
    readonly dimensionId: number;
    readonly condition: Condition;
    /** An encoded batch of one entity, whose sections are applied to each that is changed. */
    readonly batch: Uint8Array | null;
  };
  'drop-dimension': { readonly databaseId: number; readonly dimensionId: number };
  'drop-column': { readonly databaseId: number; readonly dimensionId: number; readonly columnId: number };
  /** Forgets the database, its model included. */
  'drop-database': { readonly databaseId: number };
  /** Takes the events of the column away that are older than `beforeSeconds`. */
  expire: EventColumnKey & { readonly beforeSeconds: number };
  /** The date of the oldest event of each column. */
  'oldest-events': { readonly columns: readonly EventColumnKey[] };
  /** A null condition counts all entities of the dimension. */
  'count-entities': { readonly plans: readonly CountEntityPlan[]; readonly bounds: QueryBounds };
  /** One round of each of several aggregations. */
  aggregate: { readonly rounds: readonly RoundPlan[]; readonly bounds: QueryBounds };
  /** The first rows of the lane's shards, in the plan's order. */
  extract: { readonly plan: ExtractPlan; readonly bounds: QueryBounds };
  /** Begins a SELECT over the lane's shards, whose parts are asked for by 'select-next'. Ends what had the same number. */
  'select-begin': {
    /** Names it on this lane until 'select-end'. */
    readonly selectId: number;
    readonly plan: SelectPlan;
    /** One per join of the plan. */
    readonly tables: readonly JoinTable[];
    /** How rows are wanted; null = as columns. Ungrouped plans without an order only. */
    readonly format: RowFormat | null;
    /** Figures of the operators are wanted. */
    readonly profiled: boolean;
    readonly bounds: QueryBounds;
  };
  /**
   * The next rows, `rowsMax` at most, and fewer when they take about `bytesMax` bytes; of a grouped plan all groups; or nothing
   * yet when the slice is over before. Nothing may be written between the slices and parts of one SELECT.
   */
  'select-next': {
    readonly selectId: number;
    readonly rowsMax: number;
    readonly bytesMax: number;
    /** For how long the lane may work on it before others get their turn; it takes a step at least. */
    readonly sliceMs: number;
    /** Memory for encoded parts, which is the lane's from now on. */
    readonly spare: readonly SharedArrayBuffer[];
  };
  /** Counts the different texts of the partitions [from, to) of lists that lanes gave of this SELECT. */
  'select-count-texts': {
    readonly selectId: number;
    readonly lists: readonly PartitionedTexts[];
    readonly from: number;
    readonly to: number;
  };
  /** How the rows of a dimension that satisfy the condition would be found. */
  'outline-scan': {
    readonly databaseId: number;
    readonly dimensionId: number;
    readonly condition: Condition | null;
    readonly bounds: QueryBounds;
  };
  /** Forgets it; does nothing when it is forgotten. */
  'select-end': { readonly selectId: number };
  /** Entities that do not satisfy the condition are not there. */
  exist: {
    readonly databaseId: number;
    readonly dimensionId: number;
    readonly ids: readonly string[];
    readonly condition: Condition | null;
    readonly bounds: QueryBounds;
  };
  /** Marks the state of this moment as what the checkpoint at `lsn` will hold. */
  'checkpoint-begin': { readonly lsn: number; readonly models: readonly DatabaseModel[] };
  /** Writes snapshot files for some milliseconds; to be repeated until `done`. */
  'checkpoint-step': object;
  /** What the memory of the lane's data is for, piece by piece. */
  'describe-data': object;
  /** Loads snapshot files of the lane's shards. */
  load: { readonly files: readonly SnapshotFileEntry[] };
}

/**
 * What a lane gives of a SELECT. `done`: there is nothing behind it, and the lane has forgotten the SELECT unless it may be asked
 * to count texts of it (countsTexts). `nothing`: the slice is over; what was asked for is to be asked for again.
 */
export type SelectPart = {
  readonly done: boolean;
  readonly figures: readonly OperatorFigures[];
} & (
  | { readonly gives: 'nothing' }
  | { readonly gives: 'groups'; readonly partials: readonly GroupPartial[] }
  /** In the plan's order: the outputs, and the values of the sort keys. */
  | {
      readonly gives: 'columns';
      readonly rowCount: number;
      readonly outputs: readonly WireVector[];
      readonly order: readonly WireVector[];
    }
  /**
   * Parts of rows as RowEncoder.rows writes them, one behind the other, none of them the first; what lies in shared memory has
   * it for itself, and hands it over.
   */
  | { readonly gives: 'bytes'; readonly rowCount: number; readonly parts: readonly Uint8Array[] }
);

/** How a scan of one shard would go. */
export interface ScanOutline {
  readonly shard: number;
  readonly entityCount: number;
  readonly segmentCount: number;
  /** From a sample of segments. */
  readonly estimatedRows: number;
  /** One per test of a column, in the order of the condition. */
  readonly leaves: readonly LeafOutline[];
}

export interface LeafOutline {
  /** None: entity IDs. */
  readonly columnIds: readonly number[];
  readonly over: 'values' | 'events' | 'entity IDs';
  readonly segmentCount: number;
  /** Segments that a zone map leaves out, and those of which it takes all values. */
  readonly skipped: number;
  readonly whole: number;
  /** What looks at the others. */
  readonly kernels: readonly string[];
}

/** What one operator did in one shard since the part before: of EXPLAIN ANALYZE. */
export interface OperatorFigures {
  readonly shard: number;
  readonly operator: string;
  /** Rows that it gave. */
  readonly rows: number;
  readonly milliseconds: number;
  /** What else is to be told: segments skipped, kernels. */
  readonly notes: readonly string[];
}

/** What a lane holds of one dimension. */
export interface DimensionData {
  readonly databaseId: number;
  readonly dimensionId: number;
  readonly entityCount: number;
  /** Of each event column. */
  readonly eventCounts: readonly { readonly columnId: number; readonly count: number }[];
  /** Column 0 = of all of the dimension. */
  readonly memory: readonly { readonly use: DataUse; readonly columnId: number; readonly bytes: number }[];
}

/** An insert as the log and the lanes take it. */
export interface ParsedRecord {
  readonly entityCount: number;
  readonly valueCount: number;
  /** Version of the model that it was parsed against. */
  readonly modelVersion: number;
  /** What auto-create makes. */
  readonly changes: readonly CatalogChange[];
  /** Holds the record; null = the buffer of the request. */
  readonly buffer: SharedArrayBuffer | null;
  readonly recordAt: number;
  readonly recordBytes: number;
  /** As it stands in the record. */
  readonly once: RecordOnce | null;
  /** Dimensions that the batches are for, each once. */
  readonly dimensionIds: readonly number[];
  /** The record's batches, at their places in the buffer. */
  readonly batches: readonly Omit<BatchRange, 'dimensionId'>[];
}

/** The `set` of an update as one encoded batch. */
export interface ParsedSet {
  readonly batch: Uint8Array;
  readonly modelVersion: number;
}

export interface LaneAnswers {
  model: null;
  'change-models': null;
  parse: ParsedRecord;
  'parse-set': ParsedSet;
  apply: null;
  /** Entities changed or deleted. */
  mutate: number;
  'drop-dimension': null;
  'drop-column': null;
  'drop-database': null;
  expire: null;
  /** Seconds since 1970-01-01 per column; Infinity where the lane holds no event. */
  'oldest-events': Float64Array;
  'count-entities': readonly number[];
  /** Per round, a partial of each shard that holds something of the dimension. */
  aggregate: readonly (readonly RoundPartial[])[];
  extract: PackedRows;
  'select-begin': null;
  'select-next': SelectPart;
  /** null: it would take too long. */
  'select-count-texts': number | null;
  'select-end': null;
  /** Of each shard that holds something of the dimension. */
  'outline-scan': readonly ScanOutline[];
  /** 1 where one of the lane's shards holds the entity. */
  exist: Uint8Array;
  'checkpoint-begin': null;
  /** Refused when a file could not be written: the checkpoint is over, and the data as it was. */
  'checkpoint-step': { readonly done: boolean; readonly files: readonly SnapshotFileEntry[] };
  /** Refused when a file could not be read or is damaged: the lane is of no use then. */
  load: { readonly rowCount: number; readonly bytes: number };
  'describe-data': readonly DimensionData[];
}

export type LaneOp = keyof LaneRequests;
export type LaneRequest = { [Op in LaneOp]: { readonly op: Op } & LaneRequests[Op] }[LaneOp];

/** Requests that wait for the disk: each is a task of its own. */
export const SLOW_OPS: ReadonlySet<LaneOp> = new Set<LaneOp>(['checkpoint-step', 'load']);

/** Requests whose answers may be large: each ends its task, so that it is answered and forgotten before the next begins. */
export const LARGE_OPS: ReadonlySet<LaneOp> = new Set<LaneOp>(['aggregate', 'extract', 'select-next']);

export interface LaneTask {
  readonly sequence: number;
  readonly requests: readonly LaneRequest[];
}

export type LaneReply = { readonly value: LaneAnswers[LaneOp] } | { readonly refusal: WireRefusal };

export interface LaneResult {
  readonly replies: readonly LaneReply[];
  /** Memory of the worker's data; null = as it was told last. */
  readonly memory: DataMemory | null;
  /** Strings of the fullest dictionary: it cannot hold 4 GiB. */
  readonly dictionaryBytesMax: number;
}
