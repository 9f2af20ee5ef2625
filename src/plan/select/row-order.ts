/**
 * Compares and sorts rows by several columns; missing values are last in both directions. In slices.
 * Cost  a few of many rows are selected by a heap. Otherwise rows are sorted by 32 order-preserving bits of the first
 *       column, then each run of ties by more bits of that column or by the next, and very short runs by comparison.
 *       Rows with common prefixes need no n log n comparisons.
 */
import { inSlices, type MemoryAccount, runToEnd, SLICE_TEXTS, type Task } from '../../base/index.js';
import { compareRows, type Vector } from '../../vector/index.js';
import { type Compare, mergeSort } from '../merge-sort.js';
import { sortByKey } from '../radix-sort.js';
import { type OrderColumn, putSortKeys, type SortKeys } from './sort-keys.js';

/** At most this many rows are sorted by comparison. */
const COMPARED_MAX = 8;
/** At most this many keys are sorted by comparison, because a radix sort has a fixed cost of 2,048 counters. */
const COMPARED_KEYS_MAX = 1_024;
/** The heap is used if it holds at most 1 / HEAP_PART of the rows, and at most this many. */
const HEAP_PART = 8;
const HEAP_MAX = 8_192;

/** Compares rows by their numbers; 0 if all columns are equal. */
export function comparatorOf(columns: readonly OrderColumn[]): Compare {
  const compares = columns.map(columnOrder);
  if (compares.length === 1) return compares[0];
  return (a, b) => {
    for (const compare of compares) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function columnOrder({ vector, descending }: OrderColumn): Compare {
  const { valid } = vector;
  const present = presentOrder(vector, descending);
  if (valid === null) return present;
  return (a, b) => {
    if (valid[a] !== valid[b]) return valid[b] - valid[a];
    return valid[a] === 0 ? 0 : present(a, b);
  };
}

function presentOrder(vector: Vector, descending: boolean): Compare {
  if ((vector.kind === 'exact' || vector.kind === 'float') && vector.numbers !== null) {
    const { numbers } = vector;
    return descending ? (a, b) => numbers[b] - numbers[a] : (a, b) => numbers[a] - numbers[b];
  }
  return descending
    ? (a, b) => compareRows(vector, b, vector, a)
    : (a, b) => compareRows(vector, a, vector, b);
}

/** The first `wanted` of `count` rows in order; ties keep their order. Throws 9006. */
export function* sortedRows(
  columns: readonly OrderColumn[],
  count: number,
  wanted: number,
  budget: MemoryAccount,
): Task<Uint32Array> {
  budget.reserve(Math.min(count, wanted) * 4);
  const scratch = budget.remainder();
  if (wanted === 0) return new Uint32Array(0);
  if (columns.length > 0 && wanted <= Math.min(count / HEAP_PART, HEAP_MAX)) {
    const chosen = yield* chooseRows(comparatorOf(columns), count, wanted, scratch);
    return yield* mergeSort(chosen, new Uint32Array(wanted), comparatorOf(columns));
  }
  scratch.reserve(count * 8);
  const rows = new Uint32Array(count);
  yield* inSlices(count, (from, to) => {
    for (let row = from; row < to; row++) rows[row] = row;
  });
  if (columns.length > 0) yield* sortRun(rows, new Uint32Array(count), columns, scratch);
  return wanted < count ? rows.slice(0, wanted) : rows;
}

/** The first `wanted` rows, ascending. */
function* chooseRows(
  compare: Compare,
  count: number,
  wanted: number,
  budget: MemoryAccount,
): Task<Uint32Array> {
  budget.reserve(wanted * 8);
  // The last of the selected rows is at the top.
  const heap = new Uint32Array(wanted);
  const stable: Compare = (a, b) => compare(a, b) || a - b;
  yield* inSlices(
    count,
    (from, to) => {
      for (let row = from; row < to; row++) {
        if (row < wanted) raise(heap, row, row, stable);
        else if (compare(row, heap[0]) < 0) sink(heap, row, stable);
      }
    },
    SLICE_TEXTS,
  );
  return heap.sort();
}

/** Adds a row at the end of the heap, which has `size` rows. */
function raise(heap: Uint32Array, size: number, row: number, compare: Compare): void {
  let at = size;
  while (at > 0) {
    const parent = (at - 1) >>> 1;
    if (compare(heap[parent], row) >= 0) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = row;
}

/** Replaces the top row. */
function sink(heap: Uint32Array, row: number, compare: Compare): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && compare(heap[child + 1], heap[child]) > 0) child++;
    if (compare(heap[child], row) <= 0) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = row;
}

/** Sorts `rows` in place; `scratch` has the same length. */
function* sortRun(
  rows: Uint32Array,
  scratch: Uint32Array,
  columns: readonly OrderColumn[],
  budget: MemoryAccount,
): Task<void> {
  // Sorts by the first column that distinguishes some rows.
  for (let first = 0; first < columns.length; first++) {
    const rest = columns.slice(first);
    if (rows.length <= COMPARED_MAX) {
      sortFew(rows, comparatorOf(rest));
      return;
    }
    budget.reserve(rows.length * 4);
    const { keys, greatest, exact } = yield* sortByColumn(rows, rest[0], budget.remainder());
    if (greatest === 0 && exact) continue;
    if (greatest === 0) rows.set(yield* mergeSort(rows, scratch, comparatorOf(rest)));
    else yield* sortRuns(rows, keys, scratch, exact ? columns.slice(first + 1) : rest, budget.remainder());
    return;
  }
}

interface SortedKeys extends SortKeys {
  /** keys[i] is the key of rows[i]. */
  readonly keys: Uint32Array;
}

/** Sorts in place by the column's keys of these rows. */
function* sortByColumn(rows: Uint32Array, column: OrderColumn, budget: MemoryAccount): Task<SortedKeys> {
  budget.reserve(rows.length * 4);
  const keys = new Uint32Array(rows.length);
  const { greatest, exact } = yield* putSortKeys(column, rows, keys);
  if (greatest === 0) return { keys, greatest, exact };
  if (rows.length <= COMPARED_KEYS_MAX) return { keys: sortByFewKeys(rows, keys), greatest, exact };
  const pairs = { keys, entries: rows.slice() };
  const sorted = yield* sortByKey(pairs, 32 - Math.clz32(greatest), budget);
  rows.set(sorted.entries);
  return { keys: sorted.keys, greatest, exact };
}

/** Returns the keys in the new order of the rows. */
function sortByFewKeys(rows: Uint32Array, keys: Uint32Array): Uint32Array {
  const { length } = rows;
  const positions = new Uint32Array(length);
  for (let index = 0; index < length; index++) positions[index] = index;
  const sorted = runToEnd(mergeSort(positions, new Uint32Array(length), (a, b) => keys[a] - keys[b]));
  rows.set(sorted.map((index) => rows[index]));
  return sorted.map((index) => keys[index]);
}

/** Sorts the rows of every run of equal keys. */
function* sortRuns(
  rows: Uint32Array,
  keys: Uint32Array,
  scratch: Uint32Array,
  columns: readonly OrderColumn[],
  budget: MemoryAccount,
): Task<void> {
  if (columns.length === 0) return;
  const compare = comparatorOf(columns);
  let left = SLICE_TEXTS;
  for (let from = 0, to = 0; from < rows.length; from = to) {
    to = from + 1;
    while (to < rows.length && keys[to] === keys[from]) to++;
    const run = rows.subarray(from, to);
    if (to - from > COMPARED_MAX) yield* sortRun(run, scratch.subarray(from, to), columns, budget);
    else if (to - from > 1) sortFew(run, compare);
    left -= to - from;
    if (left > 0) continue;
    left = SLICE_TEXTS;
    yield;
  }
}

function sortFew(rows: Uint32Array, compare: Compare): void {
  for (let index = 1; index < rows.length; index++) {
    const row = rows[index];
    let at = index;
    for (; at > 0 && compare(rows[at - 1], row) > 0; at--) rows[at] = rows[at - 1];
    rows[at] = row;
  }
}
