/** Entries of an answer put together by their cells. */
import type { MemoryBudget } from './memory-budget.js';
import { sortByKey } from './radix-sort.js';

/** Run r, of cell cells[r], is the entries order[starts[r]], ..., order[starts[r + 1] - 1]; no run is empty. */
export interface CellRuns {
  /** Ascending. */
  readonly cells: Uint32Array;
  readonly starts: Uint32Array;
  /** Entries of one cell stand in the order in which they were given. */
  readonly order: Uint32Array;
}

/** The runs of `entries`, entry i being of cell cells[i] (null: all are of cell 0). Throws 9006. */
export function cellRuns(cells: Uint32Array | null, entries: Uint32Array, budget: MemoryBudget): CellRuns {
  const count = entries.length;
  if (cells === null || count === 0) {
    const starts = count === 0 ? [0] : [0, count];
    return { cells: new Uint32Array(starts.length - 1), starts: Uint32Array.from(starts), order: entries };
  }
  budget.take(count * 8);
  const keys = new Uint32Array(count);
  let greatest = 0;
  for (let index = 0; index < count; index++) {
    keys[index] = cells[entries[index]];
    if (keys[index] > greatest) greatest = keys[index];
  }
  const bitCount = 32 - Math.clz32(greatest);
  const sorted = sortByKey({ keys, entries: entries.slice() }, bitCount, budget);
  return runsOf(sorted.keys, sorted.entries, budget);
}

function runsOf(cells: Uint32Array, order: Uint32Array, budget: MemoryBudget): CellRuns {
  let runCount = 1;
  for (let index = 1; index < cells.length; index++) {
    if (cells[index] !== cells[index - 1]) runCount++;
  }
  budget.take(runCount * 8);
  const starts = new Uint32Array(runCount + 1);
  const runCells = new Uint32Array(runCount);
  for (let index = 0, run = 0; index < cells.length; index++) {
    if (index > 0 && cells[index] === cells[index - 1]) continue;
    starts[run] = index;
    runCells[run++] = cells[index];
  }
  starts[runCount] = cells.length;
  return { cells: runCells, starts, order };
}
