/** Ranges of integer keys, and a bit for each integer of a range. */
import type { ExactVector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import type { BitRange } from './key-bits.js';

export interface IntegerRange {
  readonly least: number;
  readonly greatest: number;
  /** The number of integers; approximate beyond 2^53. */
  readonly length: number;
}

/** The range of the values; null if some are beyond 2^53. */
export function integerRange({ numbers, valid, count }: ExactVector): IntegerRange | null {
  if (numbers === null) return null;
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < count; row++) {
    if (valid !== null && valid[row] === 0) continue;
    const value = numbers[row];
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return least > greatest
    ? { least: 0, greatest: -1, length: 0 }
    : { least, greatest, length: greatest - least + 1 };
}

/** The bits of the values, whose range has at most 2^31 integers. They are reserved in `run`. Throws 9006. */
export function bitsOfRange(
  numbers: Float64Array,
  valid: Uint8Array | null,
  count: number,
  { least, length }: IntegerRange,
  run: QueryRun,
): BitRange {
  const wordCount = (length >>> 5) + 1;
  run.reserve(wordCount * 4);
  const words = new Int32Array(wordCount);
  for (let row = 0; row < count; row++) {
    if (valid !== null && valid[row] === 0) continue;
    const offset = numbers[row] - least;
    words[offset >>> 5] |= 1 << (offset & 31);
  }
  return { least, length, words };
}
