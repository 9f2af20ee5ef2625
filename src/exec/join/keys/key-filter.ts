/**
 * Filters of left rows by the integer keys of a join's right side: a left row whose key is not among them has no match.
 * Layout  integers of a small range have a bit each; others have two bits of a Bloom filter, in one word, at least 16
 *         bits per key.
 * Hashes  have random multipliers, because clients choose the keys.
 */
import { randomBytes } from 'node:crypto';
import type { LatestColumn } from '../../../storage/index.js';
import type { ExactVector, Texts, Vector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import type { ColumnFilter } from '../../scan/column-filter.js';
import {
  type BitRange,
  type BloomBits,
  keepBits,
  keepBitsOfNumbers,
  keepBitsWide,
  keepBloom,
  keepBloomOfNumbers,
  keepBloomWide,
  setBloom,
} from './key-bits.js';
import { bitsOfRange, type IntegerRange, integerRange } from './key-range.js';

/** A range has a bit per integer if its length is at most RANGE_MIN or RANGE_PER_ROW per row, and at most RANGE_MAX. */
const RANGE_MIN = 2 ** 20;
const RANGE_PER_ROW = 256;
const RANGE_MAX = 2 ** 28;
const BLOOM_BITS_PER_KEY = 16;
const WORDS_MIN = 256;
const WORDS_MAX = 2 ** 26;
/** The range of stored 32-bit values, which are compared without widening. */
const INT32_LEAST = -(2 ** 31);
const INT32_END = 2 ** 31;

type Bits =
  | { readonly kind: 'range'; readonly range: BitRange }
  | { readonly kind: 'bloom'; readonly bloom: BloomBits };

/** The bits of a column's values, and their range. */
interface ValueBits {
  readonly bits: Bits;
  readonly range: IntegerRange;
}

/** The filter of a key column of integers, which is built when it is first used; null if some are beyond 2^53. */
export function integerFilter(vector: ExactVector, run: QueryRun): ColumnFilter | null {
  return vector.numbers === null ? null : new IntegerFilter(vector, vector.numbers, run, null);
}

/** The filter of a key column of which the range and its bits are known. */
export const rangeFilter = (
  vector: ExactVector,
  range: IntegerRange,
  bits: BitRange,
  run: QueryRun,
): ColumnFilter =>
  new IntegerFilter(vector, vector.numbers as Float64Array, run, {
    bits: { kind: 'range', range: bits },
    range,
  });

class IntegerFilter implements ColumnFilter {
  readonly #vector: ExactVector;
  readonly #numbers: Float64Array;
  readonly #run: QueryRun;
  /** Null until the first use. */
  #built: ValueBits | null;
  #scratch = new Int32Array(0);

  constructor(vector: ExactVector, numbers: Float64Array, run: QueryRun, built: ValueBits | null) {
    this.#vector = vector;
    this.#numbers = numbers;
    this.#run = run;
    this.#built = built;
  }

  #build(): ValueBits {
    if (this.#built !== null) return this.#built;
    const { valid, count } = this.#vector;
    const range = integerRange(this.#vector) as IntegerRange;
    const isRange = range.length <= Math.min(RANGE_MAX, Math.max(RANGE_MIN, count * RANGE_PER_ROW));
    const bits: Bits = isRange
      ? { kind: 'range', range: bitsOfRange(this.#numbers, valid, count, range, this.#run) }
      : this.#buildBloom();
    this.#built = { bits, range };
    return this.#built;
  }

  #buildBloom(): Bits {
    const { valid, count } = this.#vector;
    let wordCount = WORDS_MIN;
    while (wordCount * 32 < count * BLOOM_BITS_PER_KEY && wordCount < WORDS_MAX) wordCount *= 2;
    this.#run.reserve(wordCount * 4);
    const random = randomBytes(8);
    const bloom: BloomBits = {
      words: new Int32Array(wordCount),
      shift: Math.clz32(wordCount) + 1,
      first: random.readInt32LE(0) | 1,
      second: random.readInt32LE(4) | 1,
    };
    setBloom(bloom, this.#numbers, valid, count);
    return { kind: 'bloom', bloom };
  }

  mayPass(min: number, max: number): boolean {
    const { least, greatest } = this.#build().range;
    return max >= least && min <= greatest;
  }

  keepStored(
    column: LatestColumn,
    _texts: Texts | null,
    rows: Uint32Array | null,
    count: number,
    out: Uint32Array,
  ): number {
    const { bits } = this.#build();
    return column.kind === 'i64' && column.width === 8
      ? keepWide(bits, column, rows, count, out)
      : this.#keepNarrow(bits, column, rows, count, out);
  }

  #keepNarrow(
    bits: Bits,
    column: LatestColumn,
    rows: Uint32Array | null,
    count: number,
    out: Uint32Array,
  ): number {
    const isInt32 = column.kind === 'i32' || column.width === 4;
    const values = isInt32 ? column.arena.i32 : this.#widened(column, rows, count);
    const first = isInt32 ? column.valuesAt >> 2 : 0;
    // Widened values of listed rows are in the order of the list.
    const isByRow = isInt32 || rows === null;
    if (bits.kind === 'bloom') return keepBloom(bits.bloom, values, first, isByRow, rows, count, out);
    const range = int32Range(bits.range);
    return range === null ? 0 : keepBits(range, values, first, isByRow, rows, count, out);
  }

  #widened({ arena, width, valuesAt }: LatestColumn, rows: Uint32Array | null, count: number): Int32Array {
    if (this.#scratch.length < count) {
      this.#run.reserve((count - this.#scratch.length) * 4);
      this.#scratch = new Int32Array(count);
    }
    const stored = width === 2 ? arena.i16 : arena.i8;
    const first = width === 2 ? valuesAt >> 1 : valuesAt;
    if (rows === null) this.#scratch.set(stored.subarray(first, first + count));
    else for (let at = 0; at < count; at++) this.#scratch[at] = stored[first + rows[at]];
    return this.#scratch;
  }

  keep(vector: Vector, out: Uint32Array): number {
    const { numbers, valid, count } = vector as ExactVector;
    if (numbers === null) {
      for (let row = 0; row < count; row++) out[row] = row;
      return count;
    }
    const { bits } = this.#build();
    return bits.kind === 'range'
      ? keepBitsOfNumbers(bits.range, numbers, valid, count, out)
      : keepBloomOfNumbers(bits.bloom, numbers, valid, count, out);
  }
}

/** The part of a range that contains 32-bit integers, from the start of a word of bits; null = none. */
function int32Range({ least, length, words }: BitRange): BitRange | null {
  const end = Math.min(least + length, INT32_END);
  if (least >= INT32_LEAST) return end <= least ? null : { least, length: end - least, words };
  const cut = Math.floor((INT32_LEAST - least) / 32);
  const from = least + cut * 32;
  return end <= INT32_LEAST ? null : { least: from, length: end - from, words: words.subarray(cut) };
}

function keepWide(
  bits: Bits,
  { arena, valuesAt }: LatestColumn,
  rows: Uint32Array | null,
  count: number,
  out: Uint32Array,
): number {
  const stored = { low: arena.u32, high: arena.i32, first: valuesAt >> 2 };
  return bits.kind === 'range'
    ? keepBitsWide(bits.range, stored, rows, count, out)
    : keepBloomWide(bits.bloom, stored, rows, count, out);
}
