/**
 * Tables of rows by key, for joins and set operations. Rows with equal keys have equal codes: the number of the first
 * such row, plus 1; 0 = the key equals nothing, because a value is missing.
 */
import { SLICE_ENTRIES } from '../../../base/index.js';
import type { Vector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import type { ColumnFilter } from '../../scan/column-filter.js';
import { BooleanCodes } from './key-booleans.js';
import type { KeyCodes } from './key-codes.js';
import { DenseCodes, isDense } from './key-dense.js';
import { HashedCodes } from './key-numbers.js';
import { PairCodes } from './key-pairs.js';
import { integerRange } from './key-range.js';
import { isRankable, RankedCodes } from './key-ranks.js';
import { TextCodes } from './key-texts.js';

/** A key column of the rows of a table. */
export interface KeyColumn {
  readonly vector: Vector;
  /** Whether missing values are equal; otherwise they equal nothing. */
  readonly nullsEqual: boolean;
}

export class KeyTable {
  readonly #columns: readonly KeyCodes[];
  /** pairs[k] has the pairs of column k + 1 and the columns before it. */
  readonly #pairs: readonly PairCodes[];
  /** Without keys, the code of every row. */
  readonly #withoutKeys: number;
  #scratch = new Int32Array(0);

  constructor(columns: readonly KeyCodes[], pairs: readonly PairCodes[], withoutKeys: number) {
    this.#columns = columns;
    this.#pairs = pairs;
    this.#withoutKeys = withoutKeys;
  }

  /** A filter for the key column of the left side at this index; null = there is none. */
  filterOf(index: number): ColumnFilter | null {
    return this.#columns[index].filter();
  }

  /** Writes the code of each of `count` rows of other vectors, one per key; 0 = no row of the table has the key. */
  find(keys: readonly Vector[], count: number, codes: Int32Array): void {
    if (keys.length === 0) codes.fill(this.#withoutKeys, 0, count);
    else this.#columns[0].find(keys[0], codes);
    if (this.#pairs.length > 0 && this.#scratch.length < count) this.#scratch = new Int32Array(count);
    for (const [index, pairs] of this.#pairs.entries()) {
      this.#columns[index + 1].find(keys[index + 1], this.#scratch);
      pairs.find(count, codes, this.#scratch);
    }
  }
}

export interface BuiltTable {
  readonly table: KeyTable;
  /** By row of the table. */
  readonly codes: Int32Array;
}

/** Builds a table of `count` rows. Its memory stays reserved in `run`. Throws 9005, 9006. */
export function* buildKeyTable(
  keys: readonly KeyColumn[],
  count: number,
  run: QueryRun,
): Generator<null, BuiltTable> {
  run.reserve(count * 4);
  const codes = new Int32Array(count);
  if (keys.length === 0) {
    codes.fill(1);
    return { table: new KeyTable([], [], count > 0 ? 1 : 0), codes };
  }
  const columns = keys.map((key) => keyCodes(key, run));
  const pairs = columns.slice(1).map(() => new PairCodes(count, run));
  const scratchBytes = pairs.length === 0 ? 0 : count * 4;
  run.reserve(scratchBytes);
  const scratch = new Int32Array(scratchBytes / 4);
  for (let from = 0; from < count; from += SLICE_ENTRIES) {
    run.check();
    const to = Math.min(count, from + SLICE_ENTRIES);
    columns[0].add(from, to, codes);
    for (const [index, pair] of pairs.entries()) {
      columns[index + 1].add(from, to, scratch);
      pair.add(from, to, codes, scratch);
    }
    yield null;
  }
  run.release(scratchBytes);
  return { table: new KeyTable(columns, pairs, 0), codes };
}

/** Throws 9006. */
function keyCodes({ vector, nullsEqual }: KeyColumn, run: QueryRun): KeyCodes {
  switch (vector.kind) {
    case 'boolean':
      return new BooleanCodes(vector, nullsEqual);
    case 'text':
      return new TextCodes(vector, nullsEqual, run);
    case 'float':
      return new HashedCodes(vector, nullsEqual, run);
    case 'exact': {
      const range = integerRange(vector);
      if (range === null) return new HashedCodes(vector, nullsEqual, run);
      if (isDense(range, vector.count)) return new DenseCodes(vector, range, nullsEqual, run);
      return isRankable(range, vector.count)
        ? new RankedCodes(vector, range, nullsEqual, run)
        : new HashedCodes(vector, nullsEqual, run);
    }
  }
}

/**
 * The rows of each key, ascending: next[row] is the next row with the key of `row`, plus 1, and 0 = there is none.
 * Returns null if no key occurs twice. The array is reserved in `run`. Throws 9006.
 */
export function chainsOf(codes: Int32Array, run: QueryRun): Int32Array | null {
  if (areUnique(codes)) return null;
  run.reserve(codes.length * 4);
  const next = new Int32Array(codes.length);
  for (let row = codes.length - 1; row >= 0; row--) {
    const first = codes[row] - 1;
    if (first < 0 || first === row) continue;
    next[row] = next[first];
    next[first] = row + 1;
  }
  return next;
}

function areUnique(codes: Int32Array): boolean {
  for (let row = 0; row < codes.length; row++) if (codes[row] !== 0 && codes[row] !== row + 1) return false;
  return true;
}
