/** Groups the entries of a partial result by group key, in slices. */
import { inSlices, type MemoryAccount, type Task } from '../base/index.js';
import { sortByKey } from './radix-sort.js';

/** Run r, of the group groupKeys[r], is the entries order[starts[r]], ..., order[starts[r + 1] - 1]; no run is empty. */
export interface GroupRuns {
  /** Ascending. */
  readonly groupKeys: Uint32Array;
  readonly starts: Uint32Array;
  /** Entries of one group keep their original order. */
  readonly order: Uint32Array;
}

/** The runs of `entries`, where entry i has groupKeys[i] (null: all have 0). Throws 9006. */
export function* groupRuns(
  groupKeys: Uint32Array | null,
  entries: Uint32Array,
  budget: MemoryAccount,
): Task<GroupRuns> {
  const count = entries.length;
  if (groupKeys === null || count === 0) {
    const starts = count === 0 ? [0] : [0, count];
    return {
      groupKeys: new Uint32Array(starts.length - 1),
      starts: Uint32Array.from(starts),
      order: entries,
    };
  }
  budget.reserve(count * 8);
  const keys = new Uint32Array(count);
  const order = new Uint32Array(count);
  let greatest = 0;
  yield* inSlices(count, (from, to) => {
    order.set(entries.subarray(from, to), from);
    greatest = Math.max(greatest, gatherGroupKeys(groupKeys, entries, keys, from, to));
  });
  const bitCount = 32 - Math.clz32(greatest);
  const sorted = yield* sortByKey({ keys, entries: order }, bitCount, budget);
  return yield* runsOf(sorted.keys, sorted.entries, budget);
}

/** Returns the greatest group key. */
function gatherGroupKeys(
  groupKeys: Uint32Array,
  entries: Uint32Array,
  gathered: Uint32Array,
  from: number,
  to: number,
): number {
  let greatest = 0;
  for (let index = from; index < to; index++) {
    const groupKey = groupKeys[entries[index]];
    gathered[index] = groupKey;
    if (groupKey > greatest) greatest = groupKey;
  }
  return greatest;
}

function* runsOf(groupKeys: Uint32Array, order: Uint32Array, budget: MemoryAccount): Task<GroupRuns> {
  let runCount = 0;
  yield* inSlices(groupKeys.length, (from, to) => {
    runCount += countStarts(groupKeys, from, to);
  });
  budget.reserve(runCount * 8);
  const starts = new Uint32Array(runCount + 1);
  const runKeys = new Uint32Array(runCount);
  let run = 0;
  yield* inSlices(groupKeys.length, (from, to) => {
    run = putStarts(groupKeys, from, to, starts, runKeys, run);
  });
  starts[runCount] = groupKeys.length;
  return { groupKeys: runKeys, starts, order };
}

function countStarts(groupKeys: Uint32Array, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index++) {
    if (index === 0 || groupKeys[index] !== groupKeys[index - 1]) count++;
  }
  return count;
}

/** Writes the starts of the runs that begin in [from, to); returns the number of runs so far. */
function putStarts(
  groupKeys: Uint32Array,
  from: number,
  to: number,
  starts: Uint32Array,
  runKeys: Uint32Array,
  runCount: number,
): number {
  let run = runCount;
  for (let index = from; index < to; index++) {
    if (index > 0 && groupKeys[index] === groupKeys[index - 1]) continue;
    starts[run] = index;
    runKeys[run++] = groupKeys[index];
  }
  return run;
}
