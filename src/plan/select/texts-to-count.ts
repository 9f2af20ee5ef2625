/** Which aggregates of a plan wait for texts to be counted that lanes have put together by their hashes. */
import type { AggregateState, GroupPartial, PartitionedTexts } from '../../ir/index.js';

/**
 * By number of the aggregate, the lists of texts of which the different ones are to be counted; where one list is all there is,
 * and where a shard gives its values in another way, there is nothing to be gained.
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
