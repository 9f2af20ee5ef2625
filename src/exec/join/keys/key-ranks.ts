/**
 * Codes of integer keys of a range with many more integers than there are keys, as a table has that a condition reduced.
 * Layout  a bit per integer of the range, and by word of bits the number of integers in the words before. An integer's
 *         rank is that number plus the bits below its own; its code is at this rank.
 */
import { popcount32 } from '../../../kernels/index.js';
import type { ExactVector, Vector, WideIntegers } from '../../../vector/index.js';
import { isSafe } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import type { ColumnFilter } from '../../scan/column-filter.js';
import type { BitRange } from './key-bits.js';
import type { KeyCodes } from './key-codes.js';
import { rangeFilter } from './key-filter.js';
import { MissingCode } from './key-missing.js';
import { bitsOfRange, type IntegerRange } from './key-range.js';

/** The largest number of integers per row, and in all. */
const RANGE_PER_ROW = 256;
const RANGE_MAX = 2 ** 28;

/** Whether a range of a table of `count` rows is narrow enough for a bit per integer. */
export const isRankable = ({ length }: IntegerRange, count: number): boolean =>
  length <= Math.min(RANGE_MAX, RANGE_PER_ROW * count);

export class RankedCodes implements KeyCodes {
  readonly #vector: ExactVector;
  readonly #missing: MissingCode;
  readonly #run: QueryRun;
  readonly #range: IntegerRange;
  readonly #bits: BitRange;
  readonly #ranks: Int32Array;
  /** By rank. */
  readonly #codes: Int32Array;

  /** The range is that of the vector, and rankable. Throws 9006. */
  constructor(vector: ExactVector, range: IntegerRange, nullsEqual: boolean, run: QueryRun) {
    const { numbers, valid, count } = vector;
    this.#vector = vector;
    this.#run = run;
    this.#range = range;
    this.#missing = new MissingCode(nullsEqual);
    this.#bits = bitsOfRange(numbers as Float64Array, valid, count, range, run);
    const { words } = this.#bits;
    run.reserve(words.length * 4);
    this.#ranks = new Int32Array(words.length);
    let rank = 0;
    for (let word = 0; word < words.length; word++) {
      this.#ranks[word] = rank;
      rank += popcount32(words[word]);
    }
    run.reserve(rank * 4);
    this.#codes = new Int32Array(rank);
  }

  add(from: number, to: number, codes: Int32Array): void {
    const { numbers, valid } = this.#vector as { numbers: Float64Array; valid: Uint8Array | null };
    const own = this.#codes;
    const ranks = this.#ranks;
    const { words, least } = this.#bits;
    for (let row = from; row < to; row++) {
      if (valid !== null && valid[row] === 0) {
        codes[row] = this.#missing.add(row);
        continue;
      }
      const offset = (numbers[row] - least) | 0;
      const rank = ranks[offset >>> 5] + popcount32(words[offset >>> 5] & ((1 << (offset & 31)) - 1));
      const code = own[rank];
      if (code === 0) own[rank] = row + 1;
      codes[row] = code === 0 ? row + 1 : code;
    }
  }

  find(vector: Vector, codes: Int32Array): void {
    const { numbers, wide, count } = vector as ExactVector;
    const values = numbers ?? narrowed(wide as WideIntegers, count, this.#bits.least - 1);
    findRanked(values, count, this.#bits, this.#ranks, this.#codes, codes);
    this.#missing.find(vector, codes);
  }

  filter(): ColumnFilter {
    return rangeFilter(this.#vector, this.#range, this.#bits, this.#run);
  }
}

function findRanked(
  numbers: Float64Array,
  count: number,
  { words, least, length }: BitRange,
  ranks: Int32Array,
  own: Int32Array,
  codes: Int32Array,
): void {
  for (let row = 0; row < count; row++) {
    const offset = numbers[row] - least;
    if (!(offset >= 0 && offset < length)) {
      codes[row] = 0;
      continue;
    }
    const at = offset | 0;
    const word = words[at >>> 5];
    const bit = 1 << (at & 31);
    codes[row] = (word & bit) === 0 ? 0 : own[ranks[at >>> 5] + popcount32(word & (bit - 1))];
  }
}

/** The safe integers; others are `absent`. */
function narrowed(wide: WideIntegers, count: number, absent: number): Float64Array {
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) numbers[row] = isSafe(wide[row]) ? Number(wide[row]) : absent;
  return numbers;
}
