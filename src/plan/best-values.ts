/**
 * Determines whether the most frequent values of every shard suffice to find the exact top values.
 * A shard's result with `best` omits values whose count there is at most restMax. A value's total is therefore at
 * least its counted sum, and at most that sum plus the restMax of each shard that does not name it. The top is
 * certain if no incompletely counted value, and no value that no shard names, can be as frequent as the last one
 * chosen.
 * Source  the threshold of Fagin, Lotem and Naor, "Optimal aggregation algorithms for middleware", JCSS 2003.
 */
import { inSlices, type MemoryAccount, type Task } from '../base/index.js';
import type { TopLevel, ValueCounts } from '../ir/index.js';
import type { LevelRows } from './top-values.js';
import { mergeCounts } from './value-merge.js';

/** The minimum number of values requested from a shard, and the number per requested value. */
const BEST_MIN = 1_024;
const BEST_PER_VALUE = 4;
/**
 * Less than any count: represents the restMax 0 of a shard that omitted nothing, so that it still exceeds the count 0
 * of merged pairs.
 */
const NEXT_TO_NOTHING = 2 ** -30;

/** The number of values to request from each shard, for a level in one group. */
export const bestOf = ({ limit }: TopLevel): number => Math.max(BEST_MIN, limit * BEST_PER_VALUE);

/**
 * Whether `rows`, the top of `counted` (the merge of `partials`), are the top of all values with exact totals. Throws
 * 9006.
 */
export function* isCertain(
  { limit, minQuantity }: TopLevel,
  partials: readonly ValueCounts[],
  counted: ValueCounts | null,
  { quantities }: LevelRows,
  budget: MemoryAccount,
): Task<boolean> {
  const rest = partials.reduce((sum, { restMax }) => sum + restMax, 0);
  if (rest === 0) return true;
  const bound = quantities.length === limit ? quantities[limit - 1] : minQuantity;
  if (counted === null || rest >= bound) return false;
  if (partials.length === 1) return true;
  const named = yield* restOfNamers(partials, budget);
  const { counts } = counted;
  let certain = true;
  yield* inSlices(counts.length, (from, to) => {
    certain &&= noneReaches(bound, counts, named, rest, from, to);
  });
  return certain;
}

/** Whether no value of entries [from, to) can be as frequent as `bound`, except completely counted values. */
function noneReaches(
  bound: number,
  counts: Float64Array,
  named: Float64Array,
  rest: number,
  from: number,
  to: number,
): boolean {
  for (let entry = from; entry < to; entry++) {
    const unknown = Math.round(rest - named[entry]);
    // Pairs merged into another one have count 0 and are skipped.
    if (unknown > 0 && counts[entry] > 0 && counts[entry] + unknown >= bound) return false;
  }
  return true;
}

/** By entry of the merge: the sum of restMax over the shards that name its value. */
function* restOfNamers(partials: readonly ValueCounts[], budget: MemoryAccount): Task<Float64Array> {
  const weighed = partials.map((partial) => ({
    ...partial,
    counts: new Float64Array(partial.counts.length).fill(partial.restMax || NEXT_TO_NOTHING),
  }));
  const merged = yield* mergeCounts(weighed, budget);
  return merged?.counts ?? new Float64Array(0);
}
