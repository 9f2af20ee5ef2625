/** Merges the groups of several shards into one numbering: groups with equal keys get one number. In slices. */
import { inSlices, invariant, type MemoryAccount, type Task } from '../../base/index.js';
import type { Grouping, GroupPartial } from '../../ir/index.js';
import { fromWire, type Vector } from '../../vector/index.js';
import { gatherRows, joinColumns } from './columns.js';
import { firstRows } from './row-words.js';

export interface MergedGroups {
  readonly count: number;
  /** One vector per key, with one row per group. */
  readonly keys: readonly Vector[];
  /** Group g of partial p has number numbers[starts[p] + g]. */
  readonly numbers: Uint32Array;
  readonly starts: readonly number[];
}

/** Without keys there is exactly one group, even without partials, unless groups are entities. Throws 9006. */
export function* mergeGroups(
  { keys, perEntity }: Grouping,
  partials: readonly GroupPartial[],
  budget: MemoryAccount,
): Task<MergedGroups> {
  const starts: number[] = [];
  let rowCount = 0;
  for (const partial of partials) {
    invariant(partial.keys.length === keys.length, 'groups have a value of each key');
    starts.push(rowCount);
    rowCount += partial.groupCount;
  }
  budget.reserve(rowCount * 4);
  if (keys.length === 0 && !perEntity) {
    invariant(
      partials.every(({ groupCount }) => groupCount <= 1),
      'without keys there is one group',
    );
    return { count: 1, keys: [], numbers: new Uint32Array(rowCount), starts };
  }
  const joined: Vector[] = [];
  for (const [index, { type }] of keys.entries()) {
    const parts = partials.map((partial) => fromWire(partial.keys[index]));
    joined.push(yield* joinColumns(parts, type, budget));
  }
  // Groups of one shard are distinct, and every entity is on one shard.
  if (perEntity || partials.filter(({ groupCount }) => groupCount > 0).length < 2) {
    const numbers = new Uint32Array(rowCount);
    yield* inSlices(rowCount, (from, to) => {
      for (let row = from; row < to; row++) numbers[row] = row;
    });
    return { count: rowCount, keys: joined, numbers, starts };
  }
  const numbers = yield* firstRows(joined, rowCount, budget);
  const firsts = yield* numberFirsts(numbers, budget);
  const merged: Vector[] = [];
  for (const key of joined) merged.push(yield* gatherRows(key, firsts, budget));
  return { count: firsts.length, keys: merged, numbers, starts };
}

/**
 * Returns the rows that are the first of their group; replaces each row's first row with its group number. Throws
 * 9006.
 */
function* numberFirsts(numbers: Uint32Array, budget: MemoryAccount): Task<Uint32Array> {
  budget.reserve(numbers.length * 4);
  const firsts = new Uint32Array(numbers.length);
  let count = 0;
  yield* inSlices(numbers.length, (from, to) => {
    for (let row = from; row < to; row++) {
      if (numbers[row] === row) {
        firsts[count] = row;
        numbers[row] = count++;
      } else numbers[row] = numbers[numbers[row]];
    }
  });
  return firsts.subarray(0, count);
}
