/**
 * The messages between the main thread and a lane's worker, as closed unions of plain data.
 * Rules: a task carries requests in the order in which they must take effect; the worker answers each at its
 * place; `sequence` counts the tasks of a lane from 0, and a worker refuses to run one out of turn. Requests that
 * take several turns of the worker's event loop (SLOW_OPS) travel alone and may be overtaken. An expected refusal
 * travels as a WireError, a bad file as a WireCorruption; anything else thrown is a bug and ends the worker.
 */
import type { WireCorruption, WireError } from '../base/index.js';
import type { CatalogChange } from '../catalog/index.js';
import type { SnapshotFileEntry } from '../format/index.js';
import type { BatchPlace } from '../ingest/index.js';
import type { CountEntityPlan } from '../ir/index.js';
import type { DatabaseModel } from '../schema/index.js';

/** What a worker is told once, when its thread starts. */
export interface LaneStart {
  readonly laneIndex: number;
  /** The shards that this worker owns. */
  readonly shards: readonly number[];
  readonly shardCount: number;
  readonly storeDir: string;
  /** Bytes of the SIMD kernels; null = run their TypeScript twins. */
  readonly kernels: Uint8Array | null;
}

/** The part of one log record that concerns a lane. */
export interface ApplyRecord {
  readonly databaseId: number;
  readonly buffer: ArrayBufferLike;
  /** Only batches of the lane's own shards. */
  readonly batches: readonly Omit<BatchPlace, 'dimensionId'>[];
}

export interface LaneRequests {
  /** From now on inserts of this database are parsed against `model`. */
  model: { readonly model: DatabaseModel };
  /** Parses the first `bodyBytes` of `shared`, whose rest is room for the record. */
  parse: {
    readonly databaseId: number;
    readonly shared: SharedArrayBuffer;
    readonly bodyBytes: number;
    readonly nowMs: number;
    readonly customKey: boolean;
  };
  apply: { readonly records: readonly ApplyRecord[] };
  'drop-dimension': { readonly databaseId: number; readonly dimensionId: number };
  'count-entities': { readonly plans: readonly CountEntityPlan[] };
  'count-all': { readonly databaseId: number; readonly dimensionIds: readonly number[] };
  exist: { readonly databaseId: number; readonly dimensionId: number; readonly ids: readonly string[] };
  /** Marks the state of this moment as what the checkpoint at `lsn` will hold. */
  'checkpoint-begin': { readonly lsn: number; readonly models: readonly DatabaseModel[] };
  /** Writes snapshot files for some milliseconds; to be repeated until `done`. */
  'checkpoint-step': object;
  /** Loads snapshot files of the lane's shards. */
  load: { readonly files: readonly SnapshotFileEntry[] };
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
  /** The record's batches, at their places in the buffer. */
  readonly batches: readonly Omit<BatchPlace, 'dimensionId'>[];
}

export interface LaneAnswers {
  model: null;
  parse: ParsedRecord;
  apply: null;
  'drop-dimension': null;
  'count-entities': readonly number[];
  'count-all': number;
  /** 1 where one of the lane's shards holds the entity. */
  exist: Uint8Array;
  'checkpoint-begin': null;
  'checkpoint-step': { readonly done: boolean; readonly files: readonly SnapshotFileEntry[] };
  load: { readonly rowCount: number; readonly bytes: number };
}

export type LaneOp = keyof LaneRequests;
export type LaneRequest = { [Op in LaneOp]: { readonly op: Op } & LaneRequests[Op] }[LaneOp];

/** Requests that wait for the disk: each is a task of its own. */
export const SLOW_OPS: ReadonlySet<LaneOp> = new Set<LaneOp>(['checkpoint-step', 'load']);

export interface LaneTask {
  readonly sequence: number;
  readonly requests: readonly LaneRequest[];
}

export type LaneReply =
  | { readonly value: LaneAnswers[LaneOp] }
  | { readonly error: WireError }
  | { readonly corruption: WireCorruption };

export interface LaneResult {
  readonly replies: readonly LaneReply[];
  /** Memory of the worker's arenas, indexes and dictionaries. */
  readonly memoryBytes: number;
}
