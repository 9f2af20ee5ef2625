/** Merges the groups of several shards into one numbering: groups with equal keys get one number. In slices. */
import { inSlices, invariant, type MemoryAccount, type Task } from '../../base/index.js';
import type { Grouping, GroupPartial } from '../../ir/index.js';
import { fromWire, type Vector } from '../../vector/index.js';
import { joinColumns } from './columns.js';
import { firstRows } from './row-words.js';

export interface MergedGroups {
  readonly count: number;
  /** One vector per key: group g has row keyRows[g], or row g if that is null. */
  readonly keys: readonly Vector[];
  readonly keyRows: Uint32Array | null;
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
    return { count: 1, keys: [], keyRows: null, numbers: new Uint32Array(rowCount), starts };
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
    return { count: rowCount, keys: joined, keyRows: null, numbers, starts };
  }
  const numbers =
    (yield* denseFirstRows(joined, rowCount, budget)) ?? (yield* firstRows(joined, rowCount, budget));
  const keyRows = yield* numberFirsts(numbers, budget);
  return { count: keyRows.length, keys: joined, keyRows, numbers, starts };
}

/** The largest number of slots per row of a table of first rows. */
const SLOTS_PER_ROW = 8;

/**
 * Like firstRows, but uses a table with a slot for each combination of key values; null if keys are not integers, or
 * span too many slots. Throws 9006.
 */
function* denseFirstRows(
  keys: readonly Vector[],
  rowCount: number,
  budget: MemoryAccount,
): Task<Uint32Array | null> {
  const slots = yield* keySlots(keys, rowCount, budget);
  if (slots === null) return null;
  budget.reserve(slots.count * 4 + rowCount * 4);
  // A row plus 1; 0 = none yet.
  const firsts = new Uint32Array(slots.count);
  const rows = new Uint32Array(rowCount);
  yield* inSlices(rowCount, (from, to) => {
    for (let row = from; row < to; row++) {
      const slot = slots.ofRow[row];
      if (firsts[slot] === 0) firsts[slot] = row + 1;
      rows[row] = firsts[slot] - 1;
    }
  });
  return rows;
}

interface KeySlots {
  readonly count: number;
  readonly ofRow: Uint32Array;
}

/**
 * The slot of each row: the index of the first key, plus the index of the second key times the count of the first key,
 * and so on.
 */
function* keySlots(keys: readonly Vector[], rowCount: number, budget: MemoryAccount): Task<KeySlots | null> {
  const countMax = rowCount * SLOTS_PER_ROW;
  budget.reserve(rowCount * 4);
  const ofRow = new Uint32Array(rowCount);
  let count = 1;
  for (const { kind, valid, ...key } of keys) {
    const numbers = kind === 'exact' ? (key as { numbers: Float64Array | null }).numbers : null;
    if (numbers === null) return null;
    let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    yield* inSlices(rowCount, (from, to) => {
      for (let row = from; row < to; row++) {
        if (valid !== null && valid[row] === 0) continue;
        least = Math.min(least, numbers[row]);
        greatest = Math.max(greatest, numbers[row]);
      }
    });
    // Index 0 is the missing value.
    const indexCount = least > greatest ? 1 : greatest - least + 2;
    if (count * indexCount > countMax) return null;
    const stride = count;
    yield* inSlices(rowCount, (from, to) => {
      for (let row = from; row < to; row++) {
        if (valid === null || valid[row] === 1) ofRow[row] += (numbers[row] - least + 1) * stride;
      }
    });
    count *= indexCount;
  }
  return { count, ofRow };
}

/**
 * Returns the rows that are the first of their group. In `numbers`, replaces each row's first row with its group
 * number. Throws 9006.
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
