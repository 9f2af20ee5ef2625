/** The results of SELECTs and stages that workers return part by part. */
import type { GroupPartial, PartitionedPart } from '../ir/index.js';
import type { WireVector } from '../vector/index.js';

/**
 * A worker's part of a SELECT's result. `done`: nothing follows, and the worker has ended the SELECT unless it may still be
 * requested to count texts (countsTexts), or other workers may still read its rows (SpilledGroups). `nothing`: the slice is
 * over; the request must be repeated.
 */
export type SelectPart = {
  readonly done: boolean;
  readonly operatorStats: readonly OperatorStats[];
} & (
  | { readonly gives: 'nothing' }
  | { readonly gives: 'groups'; readonly partials: readonly GroupPartial[] }
  /**
   * All data was read, and there are at least `partitionGroupsMin` groups: the next part has them in partitions, or as groups
   * if there is no memory for another copy.
   */
  | { readonly gives: 'group-count'; readonly groupCount: number }
  /** The SELECT continues with 'select-merge'. */
  | { readonly gives: 'partitions'; readonly partials: readonly PartitionedPart[] }
  /** The groups are in partitions and stay on the worker: 'select-partitions' requests them. */
  | { readonly gives: 'exchanged-groups'; readonly groupCount: number }
  /** In the plan's order: the outputs, and the values of the sort keys. */
  | {
      readonly gives: 'columns';
      readonly rowCount: number;
      readonly outputs: readonly WireVector[];
      readonly order: readonly WireVector[];
    }
  /**
   * Row parts as written by RowEncoder.rows, concatenated, none of them the first. A part in shared memory has its buffer
   * exclusively and hands it over.
   */
  | { readonly gives: 'bytes'; readonly rowCount: number; readonly parts: readonly Uint8Array[] }
);

/** Statistics of one operator in one shard since the previous part, for EXPLAIN ANALYZE. */
export interface OperatorStats {
  /** null = over all shards of the worker. */
  readonly shard: number | null;
  /** The number of a relational operator in its stage, in an order in which inputs come first; absent for other operators. */
  readonly node?: number;
  readonly operator: string;
  /** The number of rows that it produced. */
  readonly rows: number;
  readonly milliseconds: number;
  /** Further notes: segments skipped, kernels. */
  readonly notes: readonly string[];
  /** Absent or null = none. */
  readonly spilled?: SpilledRows | null;
}

/** Rows that an operator wrote to disk because it had too little memory. */
export interface SpilledRows {
  readonly bytes: number;
  /** The partitions by hash, and the sorted runs, in which they are. */
  readonly partitionCount: number;
  readonly runCount: number;
}

/** Some rows of a stage; column i is column i of the stage. */
export interface RowsPart {
  readonly count: number;
  /** Empty if the rows are in a file. */
  readonly columns: readonly WireVector[];
  /** null = the rows are in memory. */
  readonly page: RowsPage | null;
}

/** Rows in a file of the process that is open while they are read. */
export interface RowsPage {
  /** The handle and the two words of the ID of the file. */
  readonly file: { readonly handle: number; readonly id: Uint32Array };
  readonly position: number;
  readonly byteCount: number;
  readonly rowCount: number;
}

/** Rows as a message has them; bytes are those of `bytesOfRows`. */
export type SentPart = RowsPart | Uint8Array<ArrayBuffer>;
