/**
 * The rows of a level, which are the groups of the next one: selected from the merged groups of a round, in slices.
 */
import { inSlices, invariant, type MemoryAccount, QuarryError, type Task } from '../../base/index.js';
import type { TopLevel } from '../../ir/index.js';
import { textOfInteger, type ValueForm } from '../../schema/index.js';
import { type Value, type Vector, valueAt } from '../../vector/index.js';
import type { Table } from '../select/table.js';

/** Row r is group r of the next level. */
export interface LevelRows {
  /** The groups of the level above. */
  readonly parents: readonly number[];
  readonly texts: readonly string[];
  readonly quantities: readonly number[];
  /** The different values of the rows. */
  readonly values: readonly Value[];
  /** The index of a value in `values`. */
  readonly numbers: ReadonlyMap<Value, number>;
  /** By parent x number of values + index of the value: the row. */
  readonly rows: ReadonlyMap<number, number>;
}

/** The largest number of rows of all levels of a result and its histograms. */
export const RESULT_ROWS_MAX = 1_000_000;
/** Approximate bytes of a row besides its text, until the result is written. */
const ROW_BYTES = 400;

/** Throws 9006 if a result with `rowCount` rows is too large. */
export function checkRowCount(rowCount: number): void {
  if (rowCount > RESULT_ROWS_MAX)
    throw new QuarryError(9006, `the answer has more than ${RESULT_ROWS_MAX} rows`);
}

/** The group of each row of a table of the next round, or -1 if its values were not decided. */
export function groupReader(
  levels: readonly LevelRows[],
  columns: readonly Vector[],
): (row: number) => number {
  const numbers = levels.map((level, depth) => numberReader(level, columns[depth]));
  return (row) => {
    let group = 0;
    for (let depth = 0; depth < levels.length && group >= 0; depth++) {
      const { rows, values } = levels[depth];
      const number = numbers[depth](row);
      group = number < 0 ? -1 : (rows.get(group * values.length + number) ?? -1);
    }
    return group;
  };
}

/** The index of a row's value among the values of a level, or -1. Each text is looked up once. */
function numberReader({ numbers }: LevelRows, column: Vector): (row: number) => number {
  if (column.kind !== 'text' || column.codes === null) {
    return (row) => numbers.get(valueAt(column, row)) ?? -1;
  }
  const { codes, texts } = column;
  // The index plus 2; 0 = not looked up yet.
  const known = new Int32Array(texts.size);
  return (row) => {
    const code = codes[row];
    if (known[code] === 0) known[code] = (numbers.get(texts.text(code)) ?? -1) + 2;
    return known[code] - 2;
  };
}

/**
 * The first rows of each group below `groupCount` in the order of the table (see levelPlan), as many as the level's
 * limit. `above`: the decided levels; `rowsBefore`: number of rows already in the result. Throws 9006.
 */
export function* levelRows(
  level: TopLevel,
  { columns, rowCount }: Table,
  above: readonly LevelRows[],
  groupCount: number,
  rowsBefore: number,
  budget: MemoryAccount,
): Task<LevelRows> {
  const groupOf = groupReader(above, columns);
  const value = columns[above.length];
  const counts = columns[above.length + 1];
  invariant(counts.kind === 'exact' && counts.numbers !== null, 'counts are safe integers');
  const { numbers: quantities } = counts;
  const chosen = new ChosenRows();
  const left = new Uint32Array(groupCount).fill(level.limit);
  yield* inSlices(rowCount, (from, to) => {
    for (let row = from; row < to; row++) {
      const group = groupOf(row);
      if (group < 0 || left[group] === 0 || quantities[row] < level.minQuantity) continue;
      left[group]--;
      const found = valueAt(value, row);
      const text = textOf(level, found);
      chosen.add(group, found, text, quantities[row]);
      budget.reserve(ROW_BYTES + 2 * text.length);
    }
    checkRowCount(rowsBefore + chosen.texts.length);
  });
  return chosen.finish();
}

/** The text of a value in an answer. */
function textOf(form: ValueForm, value: Value): string {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'bigint' ? textOfInteger(form, value) : String(value);
}

class ChosenRows {
  readonly #parents: number[] = [];
  readonly texts: string[] = [];
  readonly #quantities: number[] = [];
  readonly #values: Value[] = [];
  readonly #numbers = new Map<Value, number>();
  /** By row: the index of its value. */
  readonly #numberOfRow: number[] = [];

  add(parent: number, value: Value, text: string, quantity: number): void {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.#values.push(value) - 1;
      this.#numbers.set(value, number);
    }
    this.#parents.push(parent);
    this.texts.push(text);
    this.#quantities.push(quantity);
    this.#numberOfRow.push(number);
  }

  finish(): LevelRows {
    const rows = new Map<number, number>();
    for (const [row, parent] of this.#parents.entries()) {
      rows.set(parent * this.#values.length + this.#numberOfRow[row], row);
    }
    return {
      ...{ parents: this.#parents, texts: this.texts, quantities: this.#quantities },
      ...{ values: this.#values, numbers: this.#numbers, rows },
    };
  }
}
