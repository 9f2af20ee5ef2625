/**
 * Whether the values that every shard counts most are enough to tell the top of all, and exactly.
 * A shard's answer with `best` leaves out values that count at most restMax there. So a value's whole quantity is what
 * was counted of it, and at most the restMax of each shard that does not name it. The top is certain when no value that
 * is not wholly counted, nor any that no shard names, could be as frequent as the last one chosen.
 * Source  the threshold of Fagin, Lotem and Naor, "Optimal aggregation algorithms for middleware", JCSS 2003.
 */
import { inSlices, type MemoryAccount, type Task } from '../base/index.js';
import type { TopLevel, ValueCounts } from '../ir/index.js';
import type { LevelRows } from './top-values.js';
import { mergeCounts } from './value-merge.js';

/** Values that a shard is asked for at least, and per value wanted. */
const BEST_MIN = 1_024;
const BEST_PER_VALUE = 4;
/** Less than any count: a shard that left nothing out must not weigh, but a pair of count 0 is one that was merged. */
const NEXT_TO_NOTHING = 2 ** -30;

/** How many values of each shard to ask for, for a level in one group. */
export const bestOf = ({ limit }: TopLevel): number => Math.max(BEST_MIN, limit * BEST_PER_VALUE);

/**
 * Whether `rows`, the top of `counted`, which `partials` were merged to, are the top of all values with their exact
 * quantities. Throws 9006.
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

/** Whether no value of entries [from, to) can be as frequent as `bound`, but for those whose whole quantity is known. */
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
    // Pairs that were merged into another have count 0, and pass.
    if (unknown > 0 && counts[entry] > 0 && counts[entry] + unknown >= bound) return false;
  }
  return true;
}

/** By entry of the merge: the restMax of the shards that name its value, together. */
function* restOfNamers(partials: readonly ValueCounts[], budget: MemoryAccount): Task<Float64Array> {
  const weighed = partials.map((partial) => ({
    ...partial,
    counts: new Float64Array(partial.counts.length).fill(partial.restMax || NEXT_TO_NOTHING),
  }));
  const merged = yield* mergeCounts(weighed, budget);
  return merged?.counts ?? new Float64Array(0);
}
