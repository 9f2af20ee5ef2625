/**
 * Combines values that shards return sorted by group, or as bitmaps: percentiles and numbers of distinct values. In
 * slices.
 */
import { inSlices, type MemoryAccount, SLICE_TEXTS, type Task } from '../../base/index.js';
import type { AggregateState } from '../../ir/index.js';
import { popcount32 } from '../../kernels/index.js';
import {
  exactVector,
  exactVector64,
  integersOfOrdered,
  orderedOfNumbers,
  type Vector,
} from '../../vector/index.js';
import type { MergedGroups } from './group-merge.js';
import type { ValuesState } from './value-states.js';

export type RunsState = Extract<AggregateState, { holds: 'runs' }>;
export type BitsState = Extract<AggregateState, { holds: 'bits' }>;

/** A part of one shard's values, ascending: values[from, to). */
export interface Run {
  readonly values: Float64Array;
  readonly from: number;
  readonly to: number;
}

/**
 * Calls `work` with the runs of each group; the runs are null for a group without values in any partial. Throws 9006.
 */
export function* eachGroup(
  states: readonly RunsState[],
  { count, numbers, starts }: MergedGroups,
  budget: MemoryAccount,
  work: (group: number, runs: readonly Run[]) => void,
): Task<void> {
  // By state and merged group: the shard's group plus 1; 0 = none.
  budget.reserve(count * 4 * states.length);
  const groupsOf = states.map((state, partial) => {
    const groups = new Uint32Array(count);
    for (let group = 0; group + 1 < state.starts.length; group++)
      groups[numbers[starts[partial] + group]] = group + 1;
    return groups;
  });
  let left = VALUES_PER_SLICE;
  for (let group = 0; group < count; group++) {
    const runs: Run[] = [];
    for (const [partial, state] of states.entries()) {
      const own = groupsOf[partial][group];
      if (own === 0 || state.starts[own - 1] === state.starts[own]) continue;
      runs.push({ values: state.values, from: state.starts[own - 1], to: state.starts[own] });
    }
    work(group, runs);
    for (const { from, to } of runs) left -= to - from;
    left -= SLICE_TEXTS;
    if (left > 0) continue;
    left = VALUES_PER_SLICE;
    yield;
  }
}

const VALUES_PER_SLICE = 1 << 20;

/** The states with their values in one form, so that equal values are equal numbers. Throws 9006. */
export function comparableRuns(states: readonly RunsState[], budget: MemoryAccount): readonly RunsState[] {
  if (states.every(({ areOrdered }) => areOrdered === states[0].areOrdered)) return states;
  return states.map((state) => {
    if (state.areOrdered) return state;
    budget.reserve(state.values.byteLength);
    return { ...state, values: orderedOfNumbers(state.values), areOrdered: true };
  });
}

/** The number of distinct values of the runs. */
export function distinctCount(runs: readonly Run[]): number {
  const at = runs.map(({ from }) => from);
  let distinct = 0;
  for (;;) {
    let least = Number.POSITIVE_INFINITY;
    for (let run = 0; run < runs.length; run++) {
      if (at[run] < runs[run].to) least = Math.min(least, runs[run].values[at[run]]);
    }
    if (least === Number.POSITIVE_INFINITY) return distinct;
    distinct++;
    for (let run = 0; run < runs.length; run++) {
      const { values, to } = runs[run];
      while (at[run] < to && values[at[run]] === least) at[run]++;
    }
  }
}

/** Windows with at most this many values in total are merged. */
const MERGED_MAX = 32;

/**
 * The value at `rank`, from 0, of all runs together. Each step takes the middle of the longest window as a pivot and
 * discards the values on the other side, so that a value costs O(runs * log^2 values).
 */
export function valueAtRank(runs: readonly Run[], rank: number): number {
  const windows = runs.map(({ values, from, to }) => ({ values, from, to }));
  let before = 0;
  for (;;) {
    let total = 0;
    let longest = windows[0];
    for (const window of windows) {
      total += window.to - window.from;
      if (window.to - window.from > longest.to - longest.from) longest = window;
    }
    if (total <= MERGED_MAX) break;
    const pivot = longest.values[(longest.from + longest.to) >>> 1];
    const lower = windows.map((window) => lowerBound(window, pivot));
    const upper = windows.map((window) => upperBound(window, pivot));
    const below = windows.reduce((sum, { from }, run) => sum + lower[run] - from, before);
    const notAbove = windows.reduce((sum, { from }, run) => sum + upper[run] - from, before);
    if (rank < below) for (const [run, window] of windows.entries()) window.to = lower[run];
    else if (rank < notAbove) return pivot;
    else {
      for (const [run, window] of windows.entries()) window.from = upper[run];
      before = notAbove;
    }
  }
  const rest = windows.flatMap(({ values, from, to }) => [...values.subarray(from, to)]);
  return rest.sort((a, b) => a - b)[rank - before];
}

/** The first position whose value is not below `value`. */
function lowerBound({ values, from, to }: Run, value: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first position whose value is above `value`. */
function upperBound({ values, from, to }: Run, value: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of bits set in any of the bitmaps. */
export function* distinctBits(states: readonly BitsState[]): Task<number> {
  let distinct = 0;
  const [first, ...others] = states;
  if (first === undefined) return 0;
  const least = Math.min(...states.map((state) => state.least));
  const end = Math.max(...states.map((state) => state.least + state.words.length * 32));
  const spans = [first, ...others].map(({ least: from, words }) => ({ words, at: (from - least) / 32 }));
  yield* inSlices((end - least) / 32, (from, to) => {
    for (let word = from; word < to; word++) {
      let bits = 0;
      for (const { words, at } of spans) bits |= words[word - at] ?? 0;
      distinct += popcount32(bits);
    }
  });
  return distinct;
}

/** The values of the runs as a list, for a merge with the lists of other shards. Throws 9006. */
export function* listOfRuns(
  { starts, values, areOrdered }: RunsState,
  budget: MemoryAccount,
): Task<ValuesState> {
  budget.reserve(values.length * 20);
  const groups = new Uint32Array(values.length);
  const counts = new Float64Array(values.length);
  const numbers = new Float64Array(values.length);
  let found = 0;
  for (let group = 0; group + 1 < starts.length; group++) {
    for (let value = starts[group]; value < starts[group + 1]; ) {
      const from = value;
      while (value < starts[group + 1] && values[value] === values[from]) value++;
      groups[found] = group;
      counts[found] = value - from;
      numbers[found++] = values[from];
    }
    if (group % SLICE_TEXTS === SLICE_TEXTS - 1) yield;
  }
  const own = numbers.slice(0, found);
  const exact: Vector = areOrdered
    ? exactVector64(null, integersOfOrdered(own))
    : { kind: 'exact', count: found, valid: null, numbers: own, wide: null };
  return {
    holds: 'values',
    groups: groups.slice(0, found),
    counts: counts.slice(0, found),
    values: exact,
  };
}

/** The values of the bitmap as a list, for a merge with the lists of other shards. Throws 9006. */
export function* listOfBits({ least, words }: BitsState, budget: MemoryAccount): Task<ValuesState> {
  const found: number[] = [];
  yield* inSlices(words.length, (from, to) => {
    for (let word = from; word < to; word++) {
      for (let bits = words[word]; bits !== 0; bits &= bits - 1) {
        found.push(least + word * 32 + 31 - Math.clz32(bits & -bits));
      }
    }
  });
  budget.reserve(found.length * 16);
  const numbers = Float64Array.from(found);
  const values: Vector =
    found.length === 0
      ? exactVector(null, [])
      : { kind: 'exact', count: found.length, valid: null, numbers, wide: null };
  return { holds: 'values', groups: null, counts: null, values };
}
