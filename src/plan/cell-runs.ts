/** Groups the entries of a partial result by cell, in slices. */
import { inSlices, type MemoryAccount, type Task } from '../base/index.js';
import { sortByKey } from './radix-sort.js';

/** Run r, of cell cells[r], is the entries order[starts[r]], ..., order[starts[r + 1] - 1]; no run is empty. */
export interface CellRuns {
  /** Ascending. */
  readonly cells: Uint32Array;
  readonly starts: Uint32Array;
  /** Entries of one cell keep their original order. */
  readonly order: Uint32Array;
}

/** The runs of `entries`, where entry i is in cell cells[i] (null: all are in cell 0). Throws 9006. */
export function* cellRuns(
  cells: Uint32Array | null,
  entries: Uint32Array,
  budget: MemoryAccount,
): Task<CellRuns> {
  const count = entries.length;
  if (cells === null || count === 0) {
    const starts = count === 0 ? [0] : [0, count];
    return { cells: new Uint32Array(starts.length - 1), starts: Uint32Array.from(starts), order: entries };
  }
  budget.reserve(count * 8);
  const keys = new Uint32Array(count);
  const order = new Uint32Array(count);
  let greatest = 0;
  yield* inSlices(count, (from, to) => {
    order.set(entries.subarray(from, to), from);
    greatest = Math.max(greatest, gatherCells(cells, entries, keys, from, to));
  });
  const bitCount = 32 - Math.clz32(greatest);
  const sorted = yield* sortByKey({ keys, entries: order }, bitCount, budget);
  return yield* runsOf(sorted.keys, sorted.entries, budget);
}

/** Returns the greatest cell. */
function gatherCells(
  cells: Uint32Array,
  entries: Uint32Array,
  gathered: Uint32Array,
  from: number,
  to: number,
): number {
  let greatest = 0;
  for (let index = from; index < to; index++) {
    const cell = cells[entries[index]];
    gathered[index] = cell;
    if (cell > greatest) greatest = cell;
  }
  return greatest;
}

function* runsOf(cells: Uint32Array, order: Uint32Array, budget: MemoryAccount): Task<CellRuns> {
  let runCount = 0;
  yield* inSlices(cells.length, (from, to) => {
    runCount += countStarts(cells, from, to);
  });
  budget.reserve(runCount * 8);
  const starts = new Uint32Array(runCount + 1);
  const runCells = new Uint32Array(runCount);
  let run = 0;
  yield* inSlices(cells.length, (from, to) => {
    run = putStarts(cells, from, to, starts, runCells, run);
  });
  starts[runCount] = cells.length;
  return { cells: runCells, starts, order };
}

function countStarts(cells: Uint32Array, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index++) {
    if (index === 0 || cells[index] !== cells[index - 1]) count++;
  }
  return count;
}

/** Writes the starts of the runs that begin in [from, to); returns the number of runs so far. */
function putStarts(
  cells: Uint32Array,
  from: number,
  to: number,
  starts: Uint32Array,
  runCells: Uint32Array,
  runCount: number,
): number {
  let run = runCount;
  for (let index = from; index < to; index++) {
    if (index > 0 && cells[index] === cells[index - 1]) continue;
    starts[run] = index;
    runCells[run++] = cells[index];
  }
  return run;
}
