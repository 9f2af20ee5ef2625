/**
 * Determines whether the most frequent groups of every shard suffice to find the exact first ones.
 * A shard's result then omits groups whose count there is at most restMax. A group's total is therefore at least its
 * counted sum, and at most that sum plus the restMax of each shard that does not name it. The first groups are certain
 * if no incompletely counted group, and no group that no shard names, can be as frequent as the last one chosen.
 * Source  the threshold of Fagin, Lotem and Naor, "Optimal aggregation algorithms for middleware", JCSS 2003.
 */
import { inSlices, invariant, type MemoryAccount, type Task } from '../../base/index.js';
import type { GroupPartial, SelectPlan } from '../../ir/index.js';
import type { MergedGroups } from './group-merge.js';

/** The minimum number of groups requested from a shard, and the number per requested group. */
const BEST_MIN = 1_024;
const BEST_PER_GROUP = 4;
/** For more groups, most shards return all of theirs anyway. */
const WANTED_MAX = 4_096;

/** The number of groups to request from each shard; null = all, because the plan is not led by the counts of one key. */
export function bestOf(plan: SelectPlan): number | null {
  const { grouping, events, filter, joins, having, distinct, order, offset, limit, items = [] } = plan;
  if (grouping === null || grouping.perEntity || grouping.keys.length !== 1) return null;
  if (events !== null || filter !== null || joins.length > 0 || items.length > 0) return null;
  if (having !== null || distinct || limit === null || limit < 1 || order.length === 0) return null;
  const [first] = order;
  const { aggregates } = grouping;
  if (aggregates.length !== 1 || aggregates[0].function !== 'count' || aggregates[0].of !== null) return null;
  if (!first.descending || first.of.op !== 'input' || first.of.input !== 1) return null;
  const wanted = offset + limit;
  return wanted > WANTED_MAX ? null : Math.max(BEST_MIN, wanted * BEST_PER_GROUP);
}

/** Whether the first of the merged groups are those of all groups, with exact counts. Throws 9006. */
export function* areCertain(
  { offset, limit }: SelectPlan,
  partials: readonly GroupPartial[],
  { count, numbers, starts }: MergedGroups,
  budget: MemoryAccount,
): Task<boolean> {
  const rest = partials.reduce((sum, { restMax = 0 }) => sum + restMax, 0);
  if (rest === 0) return true;
  invariant(limit !== null, 'the first groups are requested');
  budget.reserve(count * 16);
  const totals = new Float64Array(count);
  // By group: the sum of restMax over the shards that do not name it.
  const unknown = new Float64Array(count).fill(rest);
  for (const [partial, { states, restMax = 0 }] of partials.entries()) {
    const [state] = states;
    invariant(state.holds === 'count', 'groups are counted');
    for (let group = 0; group < state.counts.length; group++) {
      const number = numbers[starts[partial] + group];
      totals[number] += state.counts[group];
      unknown[number] -= restMax;
    }
  }
  const wanted = offset + limit;
  if (count < wanted) return false;
  const bound = totals.slice().sort()[count - wanted];
  if (rest >= bound) return false;
  let certain = true;
  yield* inSlices(count, (from, to) => {
    for (let group = from; group < to; group++) {
      if (unknown[group] > 0 && totals[group] + unknown[group] >= bound) certain = false;
    }
  });
  return certain;
}
