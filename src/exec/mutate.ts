/** Updates or deletes the entities that satisfy a condition. */
import type { Batch } from '../column/index.js';
import type { Condition } from '../ir/index.js';
import type { Arena, DimensionKey, Shard } from '../storage/index.js';
import { ShardCondition } from './condition/condition.js';
import { UNBOUNDED } from './query-run.js';

/** The entities of one dimension to update or delete. */
export interface MutatePlan extends DimensionKey {
  readonly condition: Condition;
}

/**
 * Selects the entities of the plan's dimension in `shard` for which its condition is true, before any of them is
 * changed. Then applies the sections of `set` (a batch of one entity) to each of them or, with `set` null, deletes
 * them. Returns their number. Does not fail: the plan is already in the log.
 */
export function mutateEntities(shard: Shard, plan: MutatePlan, set: Batch | null, scratch: Arena): number {
  const dimension = shard.find(plan);
  if (dimension === undefined) return 0;
  const condition = new ShardCondition(dimension, plan.condition, scratch, UNBOUNDED);
  let rows: Uint32Array;
  try {
    rows = condition.rows();
  } finally {
    condition.release();
  }
  if (set === null) dimension.delete(rows);
  else dimension.update(rows, set);
  return rows.length;
}
