/**
 * The order of rows by several columns, missing values last whichever way a column runs, and the sorting of rows by it, in
 * slices.
 * Cost  A few of many rows are chosen by a heap. All of them are sorted by 32 bits of the first column that keep its order,
 *       then each run of rows that these leave equal in the same way, by more of that column or by the next; very
 *       short runs by comparison. Texts, numbers and combinations that share a beginning thus cost no n log n comparisons.
 */
import { inSlices, type MemoryAccount, runToEnd, SLICE_TEXTS, type Task } from '../../base/index.js';
import { compareRows, type Vector } from '../../vector/index.js';
import { type Compare, mergeSort } from '../merge-sort.js';
import { sortByKey } from '../radix-sort.js';
import { type OrderColumn, putSortKeys, type SortKeys } from './sort-keys.js';

/** So few rows are sorted by comparing them. */
const COMPARED_MAX = 8;
/** So few keys are sorted by comparing them: a radix sort has 2,048 places to look after. */
const COMPARED_KEYS_MAX = 1_024;
/** Rows are chosen by a heap when it holds at most this part of them, and so many. */
const HEAP_PART = 8;
const HEAP_MAX = 8_192;

/** Compares rows, by their numbers: 0 where all columns are equal. */
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

/** The first `wanted` of `count` rows, or all, in the order; rows that are equal keep theirs. Throws 9006. */
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

/** The first `wanted` rows, rising. */
function* chooseRows(
  compare: Compare,
  count: number,
  wanted: number,
  budget: MemoryAccount,
): Task<Uint32Array> {
  budget.reserve(wanted * 8);
  // The last of those chosen is at the top.
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

/** Puts a row in at the end of the heap, which has `size` rows before. */
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

/** Puts a row in the place of the top one. */
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

/** Sorts `rows` in place; `scratch` is as long. */
function* sortRun(
  rows: Uint32Array,
  scratch: Uint32Array,
  columns: readonly OrderColumn[],
  budget: MemoryAccount,
): Task<void> {
  // By the first column that tells some of them apart.
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
  /** keys[i] is that of rows[i]. */
  readonly keys: Uint32Array;
}

/** Sorts by the column's keys for these rows, in place. */
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

/** Gives the keys as the rows stand then. */
function sortByFewKeys(rows: Uint32Array, keys: Uint32Array): Uint32Array {
  const { length } = rows;
  const places = new Uint32Array(length);
  for (let place = 0; place < length; place++) places[place] = place;
  const sorted = runToEnd(mergeSort(places, new Uint32Array(length), (a, b) => keys[a] - keys[b]));
  rows.set(sorted.map((place) => rows[place]));
  return sorted.map((place) => keys[place]);
}

/** Sorts the rows of every run of one key. */
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
