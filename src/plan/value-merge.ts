/**
 * Merges several shards' counts of values exactly: one count per distinct pair of group key and value, in slices.
 * The shards' tables are joined and their pairs sorted by hash, so that equal pairs are adjacent; then the first of
 * them takes all counts. Sorting streams through memory, whereas a hash table would miss the cache at every step from
 * slot to value to bytes.
 * Cost  a hash, two passes of a sort and a comparison per value; no object, string or bigint per value. Values
 *       constructed to share one hash are sorted by comparison: n log n in all cases.
 */
import {
  inSlices,
  invariant,
  type MemoryAccount,
  SLICE_ENTRIES,
  SLICE_TEXTS,
  type Task,
} from '../base/index.js';
import type { ValueCounts, ValueList } from '../ir/index.js';
import { type Compare, mergeSort } from './merge-sort.js';
import { type KeyedEntries, sortByKey } from './radix-sort.js';
import { equalityOf, hashValues, orderOf } from './value-hash.js';
import { joinLists, lengthOf } from './value-lists.js';

/** Hash bits by which pairs are sorted; the other bits are compared. */
const SORTED_BITS = 22;
const SORTED_MASK = 2 ** SORTED_BITS - 1;
/** Odd, so that the keys of one value in different groups always differ: equal value and key imply the same pair. */
const GROUP_KEY_FACTOR = 0x9e3779b1;
/**
 * Entries of longer runs of one key are not compared pairwise. Normally only about as many entries as there are shards
 * have one value.
 */
const RUN_MAX = 64;

/**
 * Returns null if no shard has counts. A pair whose count was added to an equal pair remains with count 0. The result
 * may be one of `partials`. Throws 9006.
 */
export function* mergeCounts(
  partials: readonly ValueCounts[],
  budget: MemoryAccount,
): Task<ValueCounts | null> {
  const [first, ...others] = partials.filter(({ counts }) => counts.length > 0);
  if (first === undefined) return null;
  for (const { values, counts, groupKeys } of [first, ...others]) {
    invariant(values.kind === first.values.kind, 'shards return values of one kind');
    invariant(lengthOf(values) === counts.length, 'every value has a count');
    invariant(groupKeys === null || groupKeys.length === counts.length, 'every value has a group key');
  }
  if (others.length === 0) return first;
  const joined = yield* joinCounts([first, ...others], budget);
  const sorted = yield* sortPairs(joined, budget);
  yield* addEqualPairs(joined, sorted, budget);
  return joined;
}

/** The entries with a count, ascending. Throws 9006. */
export function* presentEntries(counts: Float64Array, budget: MemoryAccount): Task<Uint32Array> {
  budget.reserve(counts.length * 4);
  const entries = new Uint32Array(counts.length);
  let count = 0;
  yield* inSlices(counts.length, (from, to) => {
    count = putPresent(counts, from, to, entries, count);
  });
  return entries.subarray(0, count);
}

function putPresent(
  counts: Float64Array,
  from: number,
  to: number,
  entries: Uint32Array,
  entryCount: number,
): number {
  let count = entryCount;
  for (let entry = from; entry < to; entry++) {
    entries[count] = entry;
    if (counts[entry] > 0) count++;
  }
  return count;
}

function* joinCounts(partials: readonly ValueCounts[], budget: MemoryAccount): Task<ValueCounts> {
  const count = partials.reduce((sum, { counts }) => sum + counts.length, 0);
  const hasGroupKeys = partials.some(({ groupKeys }) => groupKeys !== null);
  budget.reserve(count * (hasGroupKeys ? 12 : 8));
  const counts = new Float64Array(count);
  const groupKeys = hasGroupKeys ? new Uint32Array(count) : null;
  let at = 0;
  for (const partial of partials) {
    yield* inSlices(partial.counts.length, (from, to) => {
      counts.set(partial.counts.subarray(from, to), at + from);
      if (partial.groupKeys !== null) groupKeys?.set(partial.groupKeys.subarray(from, to), at + from);
    });
    at += partial.counts.length;
  }
  const values = yield* joinLists(
    partials.map(({ values }) => values),
    budget,
  );
  const restMax = partials.reduce((sum, partial) => sum + partial.restMax, 0);
  return { answers: 'values', values, counts, groupKeys, restMax };
}

/** The entries with the hashes of their pairs, sorted by the lowest hash bits. Throws 9006. */
function* sortPairs(
  { values, counts: { length: count }, groupKeys }: ValueCounts,
  budget: MemoryAccount,
): Task<KeyedEntries> {
  budget.reserve(count * 8);
  const keys = new Uint32Array(count);
  const entries = new Uint32Array(count);
  yield* inSlices(
    count,
    (from, to) => {
      hashValues(values, keys, from, to);
      for (let entry = from; entry < to; entry++) entries[entry] = entry;
      if (groupKeys !== null) addGroupKeys(keys, groupKeys, from, to);
    },
    sliceOf(values),
  );
  return yield* sortByKey({ keys, entries }, SORTED_BITS, budget);
}

function addGroupKeys(keys: Uint32Array, groupKeys: Uint32Array, from: number, to: number): void {
  for (let entry = from; entry < to; entry++) keys[entry] ^= Math.imul(groupKeys[entry], GROUP_KEY_FACTOR);
}

const sliceOf = ({ kind }: ValueList): number => (kind === 'text' ? SLICE_TEXTS : SLICE_ENTRIES);

/** Adds up the counts of equal pairs in place: the first takes all. Throws 9006. */
function* addEqualPairs(
  { values, counts, groupKeys }: ValueCounts,
  { keys, entries }: KeyedEntries,
  budget: MemoryAccount,
): Task<void> {
  const runs: Runs = { keys, entries, counts, isSame: equalityOf(values) };
  const sliceEntries = sliceOf(values);
  const compareValues = orderOf(values);
  const compare: Compare =
    groupKeys === null ? compareValues : (a, b) => groupKeys[a] - groupKeys[b] || compareValues(a, b);
  let scratch: Uint32Array | null = null;
  for (let from = 0, left = sliceEntries; from < keys.length; ) {
    const stop = Math.min(keys.length, from + left);
    let end = addShortRuns(runs, from, stop);
    if (end < stop) {
      const run = entries.subarray(end, endOfRun(keys, end));
      if (scratch === null) {
        budget.reserve(keys.length * 4);
        scratch = new Uint32Array(keys.length);
      }
      const sorted = yield* mergeSort(run, scratch.subarray(0, run.length), compare);
      yield* addNeighbours(counts, sorted, compare);
      end += run.length;
    }
    left -= end - from;
    from = end;
    if (left > 0) continue;
    left = sliceEntries;
    if (from < keys.length) yield;
  }
}

/** Entries sorted by key; a run has the same sorted key bits. */
interface Runs extends KeyedEntries {
  readonly counts: Float64Array;
  readonly isSame: (a: number, b: number) => boolean;
}

function endOfRun(keys: Uint32Array, from: number): number {
  const sorted = keys[from] & SORTED_MASK;
  let to = from + 1;
  while (to < keys.length && (keys[to] & SORTED_MASK) === sorted) to++;
  return to;
}

/** Adds up the runs from `from` on, until a run starts at or after `stop` or is long; returns the start of that run. */
function addShortRuns(runs: Runs, from: number, stop: number): number {
  const { keys } = runs;
  for (let start = from; ; ) {
    if (start >= stop) return start;
    const sorted = keys[start] & SORTED_MASK;
    let to = start + 1;
    const end = Math.min(keys.length, start + RUN_MAX + 1);
    while (to < end && (keys[to] & SORTED_MASK) === sorted) to++;
    if (to - start > RUN_MAX) return start;
    if (to - start > 1) addRun(runs, start, to);
    start = to;
  }
}

/** Compares the entries of the run pairwise. */
function addRun({ keys, entries, counts, isSame }: Runs, from: number, to: number): void {
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

/** Adds up equal neighbors of entries that were sorted by pair. */
function* addNeighbours(counts: Float64Array, sorted: Uint32Array, compare: Compare): Task<void> {
  let entry = sorted[0];
  yield* inSlices(
    sorted.length - 1,
    (from, to) => {
      for (let index = from + 1; index <= to; index++) {
        const other = sorted[index];
        if (compare(entry, other) !== 0) {
          entry = other;
          continue;
        }
        counts[entry] += counts[other];
        counts[other] = 0;
      }
    },
    SLICE_TEXTS,
  );
}
