/**
 * The exact sum of several shards' counts of values: one count per distinct pair of cell and value.
 * The shards' tables are joined and their pairs sorted by hash, so that equal ones lie side by side; then one of them
 * takes the counts of all. Sorting streams through memory, where a hash table misses the cache with every step from
 * slot to value to its bytes.
 * Cost  a hash, two passes of a sort and a comparison per value; no object, string or bigint per value.
 */
import { invariant } from '../base/index.js';
import type { ValueCounts } from '../ir/index.js';
import type { MemoryBudget } from './memory-budget.js';
import { sortByKey } from './radix-sort.js';
import { equalityOf, hashValues } from './value-hash.js';
import { joinLists, lengthOf } from './value-lists.js';

/** Bits of a hash that pairs are sorted by; the others are compared. */
const SORTED_BITS = 22;
const SORTED_MASK = 2 ** SORTED_BITS - 1;
/** Odd, so that the keys of one value in different cells always differ: same value and same key is the same pair. */
const CELL_FACTOR = 0x9e3779b1;

/**
 * null when no shard counts anything. A pair whose count was added to that of an equal one stays, with count 0. What it
 * gives may be one of `partials`. Throws 9006.
 */
export function mergeCounts(partials: readonly ValueCounts[], budget: MemoryBudget): ValueCounts | null {
  const [first, ...others] = partials.filter(({ counts }) => counts.length > 0);
  if (first === undefined) return null;
  for (const { values, counts, cells } of [first, ...others]) {
    invariant(values.kind === first.values.kind, 'shards answer values of one kind');
    invariant(lengthOf(values) === counts.length, 'there is a count per value');
    invariant(cells === null || cells.length === counts.length, 'there is a cell per value');
  }
  if (others.length === 0) return first;
  const joined = joinCounts([first, ...others], budget);
  addEqualPairs(joined, budget);
  return joined;
}

/** The entries that stand for a pair, ascending. Throws 9006. */
export function presentEntries(counts: Float64Array, budget: MemoryBudget): Uint32Array {
  budget.take(counts.length * 4);
  const entries = new Uint32Array(counts.length);
  let count = 0;
  for (let entry = 0; entry < counts.length; entry++) {
    entries[count] = entry;
    if (counts[entry] > 0) count++;
  }
  return entries.subarray(0, count);
}

function joinCounts(partials: readonly ValueCounts[], budget: MemoryBudget): ValueCounts {
  const count = partials.reduce((sum, { counts }) => sum + counts.length, 0);
  const hasCells = partials.some(({ cells }) => cells !== null);
  budget.take(count * (hasCells ? 12 : 8));
  const counts = new Float64Array(count);
  const cells = hasCells ? new Uint32Array(count) : null;
  let at = 0;
  for (const partial of partials) {
    counts.set(partial.counts, at);
    if (partial.cells !== null) cells?.set(partial.cells, at);
    at += partial.counts.length;
  }
  const values = joinLists(
    partials.map(({ values }) => values),
    budget,
  );
  const restMax = partials.reduce((sum, partial) => sum + partial.restMax, 0);
  return { answers: 'values', values, counts, cells, restMax };
}

/** Adds the counts of equal pairs up, in place. */
function addEqualPairs({ values, counts, cells }: ValueCounts, budget: MemoryBudget): void {
  const count = counts.length;
  budget.take(count * 8);
  const hashes = new Uint32Array(count);
  hashValues(values, hashes);
  const unsorted = new Uint32Array(count);
  for (let entry = 0; entry < count; entry++) {
    unsorted[entry] = entry;
    if (cells !== null) hashes[entry] ^= Math.imul(cells[entry], CELL_FACTOR);
  }
  const { keys, entries } = sortByKey({ keys: hashes, entries: unsorted }, SORTED_BITS, budget);
  const isSame = equalityOf(values);
  for (let from = 0, to = 0; from < count; from = to) {
    const sorted = keys[from] & SORTED_MASK;
    for (to = from + 1; to < count && (keys[to] & SORTED_MASK) === sorted; ) to++;
    for (let at = from; at < to - 1; at++) {
      const entry = entries[at];
      if (counts[entry] === 0) continue;
      for (let next = at + 1; next < to; next++) {
        const other = entries[next];
        if (keys[next] !== keys[at] || counts[other] === 0) continue;
        if (!isSame(entry, other)) continue;
        counts[entry] += counts[other];
        counts[other] = 0;
      }
    }
  }
}
