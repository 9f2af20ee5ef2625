/** Codes of integer keys of a small range, looked up in an array with an element per integer of the range. */
import type { ExactVector, Vector, WideIntegers } from '../../../vector/index.js';
import { isSafe } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import type { ColumnFilter } from '../../scan/column-filter.js';
import type { KeyCodes } from './key-codes.js';
import { integerFilter } from './key-filter.js';
import { MissingCode } from './key-missing.js';
import type { IntegerRange } from './key-range.js';

/**
 * A range is small if it has at most RANGE_MIN integers, or RANGE_PER_ROW per row. In a larger one than RANGE_CACHED, whose
 * table is not in a cache, lookups cost 30 ns instead of 4; by rank (key-ranks.ts) they cost 11 at 4 integers per row.
 */
const RANGE_MIN = 2 ** 16;
const RANGE_PER_ROW = 32;
const RANGE_CACHED = 2 ** 20;
const LARGE_RANGE_PER_ROW = 2;

/** Whether a range of a table of `count` rows is small. */
export const isDense = ({ length }: IntegerRange, count: number): boolean =>
  length <= RANGE_MIN || length <= count * (length <= RANGE_CACHED ? RANGE_PER_ROW : LARGE_RANGE_PER_ROW);

export class DenseCodes implements KeyCodes {
  readonly #vector: ExactVector;
  readonly #missing: MissingCode;
  readonly #run: QueryRun;
  readonly #least: number;
  /** The code of integer least + i. */
  readonly #codes: Int32Array;

  /** Throws 9006. */
  constructor(vector: ExactVector, { least, length }: IntegerRange, nullsEqual: boolean, run: QueryRun) {
    run.reserve(length * 4);
    this.#vector = vector;
    this.#run = run;
    this.#missing = new MissingCode(nullsEqual);
    this.#least = least;
    this.#codes = new Int32Array(length);
  }

  add(from: number, to: number, codes: Int32Array): void {
    const { numbers, valid } = this.#vector as { numbers: Float64Array; valid: Uint8Array | null };
    const own = this.#codes;
    const least = this.#least;
    for (let row = from; row < to; row++) {
      if (valid !== null && valid[row] === 0) {
        codes[row] = this.#missing.add(row);
        continue;
      }
      const offset = (numbers[row] - least) | 0;
      const code = own[offset];
      if (code === 0) own[offset] = row + 1;
      codes[row] = code === 0 ? row + 1 : code;
    }
  }

  find(vector: Vector, codes: Int32Array): void {
    const { numbers, wide, count } = vector as ExactVector;
    if (numbers !== null) findNumbers(numbers, count, this.#least, this.#codes, codes);
    else {
      for (let row = 0; row < count; row++) {
        const value = (wide as WideIntegers)[row];
        const offset = isSafe(value) ? Number(value) - this.#least : -1;
        codes[row] = offset >= 0 && offset < this.#codes.length ? this.#codes[offset] : 0;
      }
    }
    this.#missing.find(vector, codes);
  }

  filter(): ColumnFilter | null {
    return integerFilter(this.#vector, this.#run);
  }
}

function findNumbers(
  numbers: Float64Array,
  count: number,
  least: number,
  own: Int32Array,
  codes: Int32Array,
): void {
  const { length } = own;
  for (let row = 0; row < count; row++) {
    const offset = numbers[row] - least;
    codes[row] = offset >= 0 && offset < length ? own[offset | 0] : 0;
  }
}
