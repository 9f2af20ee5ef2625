/** The interface of accumulators: per-group states of one aggregate within a shard, updated batch by batch. */
import type { AggregateState } from '../../../ir/index.js';
import type { Vector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';

/** The group of each row of a batch. */
export interface BatchGroups {
  readonly count: number;
  /** By row: the group number, from 1; 0 = the row belongs to no group. */
  readonly groups: Uint32Array;
  /** Whether every row belongs to group 1. */
  readonly isOne: boolean;
  /** Exclusive upper limit of the group numbers. */
  readonly groupEnd: number;
}

export interface GroupAccumulator {
  /** Adds one value per row; `vector` is null for an aggregate without an operand, COUNT(*). Throws 9006. */
  add(vector: Vector | null, batch: BatchGroups): void;
  /**
   * The states of groups 1, ..., groupCount; groups that were never passed to `add` are empty. Their memory is reserved
   * in the run. May be called only once. Throws 9006.
   */
  state(groupCount: number, run: QueryRun): AggregateState;
}

/** Whether the vector has no missing value. */
export const isFullyPresent = (vector: Vector | null): boolean => vector === null || vector.valid === null;

/**
 * The groups of the batch, with 0 for rows whose value is missing. The result is in `out` if the vector has missing
 * values.
 */
export function presentGroups(
  vector: Vector | null,
  { groups, count }: BatchGroups,
  out: Uint32Array,
): Uint32Array {
  if (vector === null || vector.valid === null) return groups;
  const { valid } = vector;
  for (let row = 0; row < count; row++) out[row] = valid[row] === 0 ? 0 : groups[row];
  return out;
}
