/** Merges the moments of several shards: one set of moments per nonempty cell. */
import { inSlices, type MemoryAccount, SLICE_TEXTS, type Task } from '../base/index.js';
import type { SlotStatistics } from '../ir/index.js';
import { type CellRuns, cellRuns } from './cell-runs.js';

/** The moments of a cell's values; 0 where the requested moment does not include a field. */
export interface Moments {
  readonly count: number;
  readonly sum: bigint;
  readonly squares: bigint;
  readonly least: bigint;
  readonly greatest: bigint;
}

/** Approximate bytes of a cell's moments, including the numbers that they contain. */
const MOMENTS_BYTES = 250;

/** Calls `visit` for every nonempty cell, ascending, in slices. Throws 9006. */
export function* eachMoments(
  partials: readonly SlotStatistics[],
  budget: MemoryAccount,
  visit: (cell: number, moments: Moments) => void,
): Task<void> {
  const entryCount = partials.reduce((sum, { counts }) => sum + counts.length, 0);
  budget.reserve(entryCount * (MOMENTS_BYTES + 12));
  const entries: Moments[] = [];
  const cells = new Uint32Array(entryCount);
  const positions = new Uint32Array(entryCount);
  for (const partial of partials) {
    yield* inSlices(partial.counts.length, (from, to) => {
      for (let index = from; index < to; index++) {
        if (partial.counts[index] === 0) continue;
        positions[entries.length] = entries.length;
        cells[entries.length] = partial.cells === null ? 0 : partial.cells[index];
        entries.push(momentsAt(partial, index));
      }
    });
  }
  const runs = yield* cellRuns(cells, positions.subarray(0, entries.length), budget);
  // A run has at most one entry per shard.
  yield* inSlices(
    runs.cells.length,
    (from, to) => {
      for (let run = from; run < to; run++) visit(runs.cells[run], momentsOfRun(entries, runs, run));
    },
    SLICE_TEXTS,
  );
}

function momentsOfRun(entries: readonly Moments[], { starts, order }: CellRuns, run: number): Moments {
  let moments = entries[order[starts[run]]];
  for (let at = starts[run] + 1; at < starts[run + 1]; at++) moments = added(moments, entries[order[at]]);
  return moments;
}

function momentsAt({ counts, sums, squares, least, greatest }: SlotStatistics, index: number): Moments {
  return {
    count: counts[index],
    sum: sums === null ? 0n : sums[index],
    squares: squares === null ? 0n : squares[index],
    least: least === null ? 0n : least[index],
    greatest: greatest === null ? 0n : greatest[index],
  };
}

function added(a: Moments, b: Moments): Moments {
  return {
    count: a.count + b.count,
    sum: a.sum + b.sum,
    squares: a.squares + b.squares,
    ...extremesOf(a, b),
  };
}

/** Math.min and Math.max do not accept bigints. */
function extremesOf(a: Moments, b: Moments): Pick<Moments, 'least' | 'greatest'> {
  let { least, greatest } = a;
  if (b.least < least) least = b.least;
  if (b.greatest > greatest) greatest = b.greatest;
  return { least, greatest };
}
