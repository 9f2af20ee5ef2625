/** Merges the moments of several shards: one set of moments per nonempty group. */
import { inSlices, type MemoryAccount, SLICE_TEXTS, type Task } from '../base/index.js';
import type { SlotStatistics } from '../ir/index.js';
import { type GroupRuns, groupRuns } from './group-runs.js';

/** The moments of a group's values; 0 where the requested moment does not include a field. */
export interface Moments {
  readonly count: number;
  readonly sum: bigint;
  readonly squares: bigint;
  readonly least: bigint;
  readonly greatest: bigint;
}

/** Approximate bytes of a group's moments, including the numbers that they contain. */
const MOMENTS_BYTES = 250;

/** Calls `visit` for every nonempty group, ascending by key, in slices. Throws 9006. */
export function* eachMoments(
  partials: readonly SlotStatistics[],
  budget: MemoryAccount,
  visit: (groupKey: number, moments: Moments) => void,
): Task<void> {
  const entryCount = partials.reduce((sum, { counts }) => sum + counts.length, 0);
  budget.reserve(entryCount * (MOMENTS_BYTES + 12));
  const entries: Moments[] = [];
  const groupKeys = new Uint32Array(entryCount);
  const positions = new Uint32Array(entryCount);
  for (const partial of partials) {
    yield* inSlices(partial.counts.length, (from, to) => {
      for (let index = from; index < to; index++) {
        if (partial.counts[index] === 0) continue;
        positions[entries.length] = entries.length;
        groupKeys[entries.length] = partial.groupKeys === null ? 0 : partial.groupKeys[index];
        entries.push(momentsAt(partial, index));
      }
    });
  }
  const runs = yield* groupRuns(groupKeys, positions.subarray(0, entries.length), budget);
  // A run has at most one entry per shard.
  yield* inSlices(
    runs.groupKeys.length,
    (from, to) => {
      for (let run = from; run < to; run++) visit(runs.groupKeys[run], momentsOfRun(entries, runs, run));
    },
    SLICE_TEXTS,
  );
}

function momentsOfRun(entries: readonly Moments[], { starts, order }: GroupRuns, run: number): Moments {
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
