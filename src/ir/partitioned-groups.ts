/**
 * The groups of one shard in shared memory, in the order of partitions: groups of any shard with equal keys are in the
 * same partition. Each worker can therefore merge some of the partitions.
 */
import type { SharedColumn } from '../vector/index.js';
import type { PartitionedRows } from './partitioned-rows.js';

/** A power of two. */
export const GROUP_PARTITIONS = 256;

export interface PartitionedGroups {
  readonly groupCount: number;
  /** Groups of partition p are [starts[p], starts[p + 1]). */
  readonly starts: Uint32Array;
  /** One per key. */
  readonly keys: readonly SharedColumn[];
  /** One per aggregate. */
  readonly states: readonly PartitionedState[];
}

/** Rows of one worker that are grouped when their partition is merged, because the groups take too much memory at once. */
export interface SpilledGroups {
  /** The number of rows: there are at most so many groups. */
  readonly groupCount: number;
  readonly rows: PartitionedRows;
}

/** The groups of a shard or worker, to be merged partition by partition. */
export type PartitionedPart = PartitionedGroups | SpilledGroups;

/** How several workers share the partitions that they merge. */
export interface MergeSteps {
  /** Partitions per step. */
  readonly step: number;
  /** The number of groups that are requested. */
  readonly wanted: number;
}

/** In shared memory, workers take the next partitions themselves. */
export interface MergeShare extends MergeSteps {
  /** A counter of the partitions that were taken. */
  readonly taken: Int32Array<SharedArrayBuffer>;
}

/** As in AggregateState, in the order of the partitions. */
export type PartitionedState =
  | { readonly holds: 'count'; readonly counts: Float64Array }
  | { readonly holds: 'sum'; readonly counts: Float64Array; readonly sums: SharedColumn }
  | {
      readonly holds: 'squares';
      readonly counts: Float64Array;
      readonly sums: SharedColumn;
      readonly squares: SharedColumn;
    }
  | { readonly holds: 'extreme'; readonly values: SharedColumn }
  /** The values of partition p are [starts[p], starts[p + 1]). */
  | {
      readonly holds: 'values';
      readonly starts: Uint32Array;
      readonly groups: Uint32Array;
      readonly counts: Float64Array | null;
      readonly values: SharedColumn;
    }
  | {
      readonly holds: 'runs';
      readonly starts: Uint32Array;
      readonly values: Float64Array;
      /** Whether the values are integers as putOrdered writes them, of which only the number may be asked. */
      readonly areOrdered: boolean;
    };
