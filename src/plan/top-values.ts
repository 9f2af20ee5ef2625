/**
 * The top values of every group of a level: quantity falling, then value rising as text. Counts choose first; texts are
 * compared only where counts tie at the last place, and made into strings only for those chosen.
 */
import { invariant, QuarryError } from '../base/index.js';
import type { TopLevel, ValueCounts, ValueList } from '../ir/index.js';
import { compareText } from '../schema/index.js';
import { FirstByText, nthGreatest } from './bounded-heap.js';
import { cellRuns } from './cell-runs.js';
import type { MemoryBudget } from './memory-budget.js';
import { orderBytes } from './order-bytes.js';
import { gatherValues, textReader } from './value-lists.js';
import { presentEntries } from './value-merge.js';

/** The rows of a level, those of one parent group together: row r is group r of the next level. */
export interface LevelRows {
  /** Ascending. */
  readonly parents: Uint32Array;
  readonly values: ValueList;
  readonly texts: readonly string[];
  readonly quantities: readonly number[];
}

export const NO_ROWS: LevelRows = {
  parents: new Uint32Array(0),
  values: { kind: 'i64', words: new Uint32Array(0) },
  texts: [],
  quantities: [],
};

/** Rows of all levels of an answer, and of its histograms. */
export const ROWS_MAX = 1_000_000;
/** About what a row takes beside its text, until the answer is written. */
const ROW_BYTES = 200;
/** Scratch per value wanted of a group. */
const PLACE_BYTES = 96;

/** What rows with these texts take. */
export function rowBytes(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + ROW_BYTES + 2 * length, 0);
}

/** Throws 9006 when an answer with so many rows is too large. */
export function checkRowCount(rowCount: number): void {
  if (rowCount > ROWS_MAX) throw new QuarryError(9006, `the answer has more than ${ROWS_MAX} rows`);
}

/**
 * The top values of each cell below `groupCount`; `counted` as mergeCounts gives it. `rowsBefore` = rows that the answer
 * has already. Throws 9006.
 */
export function topValues(
  level: TopLevel,
  counted: ValueCounts | null,
  groupCount: number,
  rowsBefore: number,
  budget: MemoryBudget,
): LevelRows {
  if (counted === null) return NO_ROWS;
  const { values, counts, cells } = counted;
  const runs = cellRuns(cells, presentEntries(counts, budget), budget);
  const choice = new Choice(level, counted, budget);
  const parents: number[] = [];
  const rows: Row[] = [];
  runs.cells.forEach((cell, run) => {
    invariant(cell < groupCount, 'a shard counts within the groups that were asked');
    for (const row of choice.of(runs.order, runs.starts[run], runs.starts[run + 1])) {
      parents.push(cell);
      rows.push(row);
    }
    checkRowCount(rowsBefore + rows.length);
  });
  const texts = rows.map(({ text }) => text);
  budget.take(rowBytes(texts));
  return {
    parents: Uint32Array.from(parents),
    values: gatherValues(
      values,
      Uint32Array.from(rows, ({ entry }) => entry),
    ),
    texts,
    quantities: rows.map(({ quantity }) => quantity),
  };
}

interface Row {
  readonly entry: number;
  readonly quantity: number;
  readonly text: string;
}

const byRank = (a: Row, b: Row): number => b.quantity - a.quantity || compareText(a.text, b.text);

class Choice {
  readonly #limit: number;
  readonly #minQuantity: number;
  readonly #counts: Float64Array;
  readonly #textOf: (entry: number) => string;
  readonly #firstByText: FirstByText;
  readonly #heap: Float64Array;

  constructor(level: TopLevel, { values, counts }: ValueCounts, budget: MemoryBudget) {
    this.#limit = Math.min(level.limit, counts.length);
    this.#minQuantity = level.minQuantity;
    this.#counts = counts;
    this.#textOf = textReader(values, level);
    budget.take(this.#limit * PLACE_BYTES);
    this.#heap = new Float64Array(this.#limit);
    this.#firstByText = new FirstByText(orderBytes(values, level, this.#limit + 1));
  }

  /** The top of the entries order[from], ..., order[to - 1], which it puts into another order. */
  of(order: Uint32Array, from: number, to: number): Row[] {
    const counts = this.#counts;
    const least = this.#leastQuantity(order, from, to);
    const rows: Row[] = [];
    const take = (entry: number): void => {
      rows.push({ entry, quantity: counts[entry], text: this.#textOf(entry) });
    };
    let tiesEnd = from;
    for (let index = from; index < to; index++) {
      const entry = order[index];
      if (counts[entry] > least) take(entry);
      else if (counts[entry] === least) order[tiesEnd++] = entry;
    }
    const wanted = this.#limit - rows.length;
    if (tiesEnd - from > wanted) this.#firstByText.choose(order, from, tiesEnd, wanted, take);
    else for (let index = from; index < tiesEnd; index++) take(order[index]);
    return rows.sort(byRank);
  }

  /** The quantity of the last one that may be chosen. */
  #leastQuantity(order: Uint32Array, from: number, to: number): number {
    if (to - from <= this.#limit) return this.#minQuantity;
    const nth = nthGreatest(this.#counts, order, from, to, this.#heap, this.#limit);
    return Math.max(nth, this.#minQuantity);
  }
}
