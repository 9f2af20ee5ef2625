/** One round of an aggregation over one shard. */
import type { RoundPartial, RoundPlan } from '../../ir/index.js';
import type { Arena, Shard } from '../../storage/index.js';
import { EntitySelection } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import type { GroupsOfRows } from './group-rows.js';
import { groupsOf } from './groups.js';
import { momentsOf } from './moments.js';
import { countValues } from './value-counts.js';

/** The partial result of the shard; null if the shard has no data of the dimension. Throws 9005 and 9006. */
export function runRound(shard: Shard, plan: RoundPlan, scratch: Arena, run: QueryRun): RoundPartial | null {
  const dimension = shard.find(plan);
  if (dimension === undefined) return null;
  const selection = new EntitySelection(dimension, plan.entities, scratch, run);
  let groups: GroupsOfRows | null = null;
  try {
    if (plan.decided.length > 0) groups = groupsOf(dimension, selection, plan.decided, run);
    return plan.request.kind === 'values'
      ? countValues(dimension, selection, groups, plan.request.level, plan.request.best, run)
      : momentsOf(dimension, selection, groups, plan.request, run);
  } finally {
    groups?.release();
    selection.release();
  }
}
