/** Finds the aggregates of a plan whose distinct texts workers still have to count, in lists partitioned by hash. */
import type { AggregateState, GroupPartial, PartitionedTexts } from '../../ir/index.js';

/**
 * By aggregate number: the lists whose distinct texts must be counted. Omits aggregates with a single list, or for
 * which a shard returned another kind of state, because distributing the count would not help.
 */
export function textsToCount(
  partials: readonly GroupPartial[],
): ReadonlyMap<number, readonly PartitionedTexts[]> {
  const lists = new Map<number, readonly PartitionedTexts[]>();
  if (partials.length === 0) return lists;
  for (let aggregate = 0; aggregate < partials[0].states.length; aggregate++) {
    const texts = partials.map(({ states }) => textsOf(states[aggregate])).filter((text) => text !== 'none');
    const known = texts.filter((text) => text !== 'other');
    if (known.length > 1 && known.length === texts.length) lists.set(aggregate, known);
  }
  return lists;
}

function textsOf(state: AggregateState): PartitionedTexts | 'none' | 'other' {
  if (state.holds === 'texts') return state.texts;
  return state.holds === 'values' && state.values.count === 0 ? 'none' : 'other';
}
