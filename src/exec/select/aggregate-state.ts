/** What an aggregate keeps of each group of a shard while rows are added, batch by batch. */
import type { AggregateState } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';

/** The group of each row of a batch. */
export interface BatchGroups {
  readonly count: number;
  /** Groups run from 1; 0 = the row counts for none. */
  readonly groups: Uint32Array;
  /** Every row is of group 1. */
  readonly isOne: boolean;
  /** All groups lie below it. */
  readonly groupEnd: number;
}

export interface Aggregation {
  /** Adds a value per row; `vector` is null where no value is asked for (COUNT(*)). Throws 9006. */
  add(vector: Vector | null, batch: BatchGroups): void;
  /**
   * What was added up of groups 1, ..., groupCount, which `add` need not have met all. The memory that it takes is the
   * run's. To be called once. Throws 9006.
   */
  state(groupCount: number, run: QueryRun): AggregateState;
}

/** Whether no value of the vector is missing. */
export const isWhole = (vector: Vector | null): boolean => vector === null || vector.valid === null;

/** The groups, with 0 where a value is missing; in `out`, unless none is. */
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
