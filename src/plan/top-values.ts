/**
 * Selects the top values of every group of a level, in slices: by descending quantity, then ascending text. Counts
 * are compared first; texts only for ties at the last rank, and strings are created only for selected values.
 */
import {
  inSlices,
  invariant,
  type MemoryAccount,
  QuarryError,
  SLICE_ENTRIES,
  SLICE_TEXTS,
  type Task,
} from '../base/index.js';
import type { TopLevel, ValueCounts, ValueList } from '../ir/index.js';
import { compareText } from '../schema/index.js';
import { FirstByText, NthGreatest } from './bounded-heap.js';
import { groupRuns } from './group-runs.js';
import { orderBytes } from './order-bytes.js';
import { gatherValues, textReader } from './value-lists.js';
import { presentEntries } from './value-merge.js';

/** The rows of a level, grouped by parent: row r is group r of the next level. */
export interface LevelRows {
  /** Ascending. */
  readonly parents: Uint32Array;
  readonly values: ValueList;
  readonly texts: readonly string[];
  readonly quantities: readonly number[];
}

const NO_ROWS: LevelRows = {
  parents: new Uint32Array(0),
  values: { kind: 'i64', words: new Uint32Array(0) },
  texts: [],
  quantities: [],
};

/** The largest number of rows of all levels of a result and its histograms. */
export const RESULT_ROWS_MAX = 1_000_000;
/** Approximate bytes of a row besides its text, until the result is written. */
const ROW_BYTES = 200;
/** Temporary bytes per requested value of a group. */
const ENTRY_BYTES = 96;

/** The bytes of rows with these texts. */
export function rowBytes(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + ROW_BYTES + 2 * length, 0);
}

/** Throws 9006 if a result with `rowCount` rows is too large. */
export function checkRowCount(rowCount: number): void {
  if (rowCount > RESULT_ROWS_MAX)
    throw new QuarryError(9006, `the answer has more than ${RESULT_ROWS_MAX} rows`);
}

/**
 * The top values of each group below `groupCount`; `counted` is a result of mergeCounts. `rowsBefore`: number of rows
 * already in the result. Throws 9006.
 */
export function* topValues(
  level: TopLevel,
  counted: ValueCounts | null,
  groupCount: number,
  rowsBefore: number,
  budget: MemoryAccount,
): Task<LevelRows> {
  if (counted === null) return NO_ROWS;
  const { values, counts, groupKeys } = counted;
  const runs = yield* groupRuns(groupKeys, yield* presentEntries(counts, budget), budget);
  const choice = new Choice(level, counted, budget);
  const parents: number[] = [];
  const rows: Row[] = [];
  for (let run = 0, left = SLICE_TEXTS; run < runs.groupKeys.length; run++) {
    const groupKey = runs.groupKeys[run];
    invariant(groupKey < groupCount, 'a shard counts only requested groups');
    const [from, to] = [runs.starts[run], runs.starts[run + 1]];
    for (const row of yield* choice.of(runs.order, from, to)) {
      parents.push(groupKey);
      rows.push(row);
    }
    checkRowCount(rowsBefore + rows.length);
    left -= to - from;
    if (left > 0) continue;
    left = SLICE_TEXTS;
    yield;
  }
  return yield* levelRows(Uint32Array.from(parents), rows, values, budget);
}

interface Row {
  readonly entry: number;
  readonly quantity: number;
  readonly text: string;
}

function* levelRows(
  parents: Uint32Array,
  rows: readonly Row[],
  list: ValueList,
  budget: MemoryAccount,
): Task<LevelRows> {
  const entries = new Uint32Array(rows.length);
  const texts: string[] = [];
  const quantities: number[] = [];
  yield* inSlices(rows.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const { entry, text, quantity } = rows[row];
      entries[row] = entry;
      texts.push(text);
      quantities.push(quantity);
    }
  });
  budget.reserve(rowBytes(texts));
  return { parents, values: yield* gatherValues(list, entries), texts, quantities };
}

const byRank = (a: Row, b: Row): number => b.quantity - a.quantity || compareText(a.text, b.text);

class Choice {
  readonly #limit: number;
  readonly #minQuantity: number;
  readonly #counts: Float64Array;
  readonly #textOf: (entry: number) => string;
  readonly #firstByText: FirstByText;
  readonly #nth: NthGreatest;

  constructor(level: TopLevel, { values, counts }: ValueCounts, budget: MemoryAccount) {
    this.#limit = Math.min(level.limit, counts.length);
    this.#minQuantity = level.minQuantity;
    this.#counts = counts;
    this.#textOf = textReader(values, level);
    budget.reserve(this.#limit * ENTRY_BYTES);
    this.#nth = new NthGreatest(this.#limit);
    this.#firstByText = new FirstByText(orderBytes(values, level, this.#limit + 1));
  }

  /** The top of the entries order[from], ..., order[to - 1], which are reordered. */
  *of(order: Uint32Array, from: number, to: number): Task<Row[]> {
    const least = to - from <= this.#limit ? this.#minQuantity : yield* this.#leastQuantity(order, from, to);
    const rows: Row[] = [];
    let tiesEnd = from;
    for (let start = from; start < to; start += SLICE_ENTRIES) {
      if (start > from) yield;
      tiesEnd = this.#divide(order, start, Math.min(to, start + SLICE_ENTRIES), least, rows, tiesEnd);
    }
    const wanted = this.#limit - rows.length;
    if (tiesEnd - from > wanted) yield* this.#takeFirst(order, from, tiesEnd, wanted, rows);
    else for (let index = from; index < tiesEnd; index++) this.#take(order[index], rows);
    return rows.sort(byRank);
  }

  #take(entry: number, rows: Row[]): void {
    rows.push({ entry, quantity: this.#counts[entry], text: this.#textOf(entry) });
  }

  /** The quantity of the last selected entry, if there are more entries than the limit. */
  *#leastQuantity(order: Uint32Array, from: number, to: number): Task<number> {
    const [counts, limit, nth] = [this.#counts, this.#limit, this.#nth];
    nth.start(counts, order, from, limit);
    const others = from + limit;
    yield* inSlices(to - others, (first, end) => nth.offer(counts, order, others + first, others + end));
    return Math.max(nth.value, this.#minQuantity);
  }

  /** Adds the entries above `least` to `rows` and moves ties with it to order[tiesEnd] and after; returns their end. */
  #divide(order: Uint32Array, from: number, to: number, least: number, rows: Row[], tiesEnd: number): number {
    const counts = this.#counts;
    let end = tiesEnd;
    for (let index = from; index < to; index++) {
      const entry = order[index];
      if (counts[entry] > least) this.#take(entry, rows);
      else if (counts[entry] === least) order[end++] = entry;
    }
    return end;
  }

  /** Adds the `wanted` entries that are first in text order. */
  *#takeFirst(order: Uint32Array, from: number, to: number, wanted: number, rows: Row[]): Task<void> {
    const first = this.#firstByText;
    first.start(order, from, wanted);
    const others = from + wanted;
    yield* inSlices(
      to - others,
      (start, end) => first.offer(order, others + start, others + end),
      SLICE_TEXTS,
    );
    first.each((entry) => this.#take(entry, rows));
  }
}
