/** Counts over the shards of one worker. */
import type { CountEntityPlan } from '../ir/index.js';
import type { Arena, Shard } from '../storage/index.js';
import { ShardCondition } from './condition/condition.js';
import type { QueryRun } from './query-run.js';

/** The number of entities of the plan's dimension in `shard` for which its condition is true. */
export function countEntities(shard: Shard, plan: CountEntityPlan, scratch: Arena, run: QueryRun): number {
  const dimension = shard.find(plan);
  if (dimension === undefined) return 0;
  if (plan.condition === null) return dimension.entityCount;
  const condition = new ShardCondition(dimension, plan.condition, scratch, run);
  try {
    return condition.count();
  } finally {
    condition.release();
  }
}
