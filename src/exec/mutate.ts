/** Changes and deletions of the entities that satisfy a condition. */
import type { Batch } from '../column/index.js';
import type { Condition } from '../ir/index.js';
import type { Arena, DimensionKey, Shard } from '../storage/index.js';
import { ShardCondition } from './condition/condition.js';
import { UNBOUNDED } from './query-run.js';

/** Entities of one dimension that are to be changed or deleted. */
export interface MutatePlan extends DimensionKey {
  readonly condition: Condition;
}

/**
 * Selects the entities of the plan's dimension in `shard` for which its condition is true, all of them before the
 * first is touched; then applies the sections of `set` (a batch of one entity, which stands for each of them) or,
 * with `set` null, deletes them. Returns their number. Refuses nothing: the plan stands in the log.
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
