/** Twins of wasm/extremes.ts, which documents Layout, Needs and Gives. */
import { chosen, lowestBit, popcount32 } from './words.js';

export function extremesNarrow(
  rows: Int8Array | Int16Array | Int32Array,
  values: number,
  words: Uint32Array,
  bitmap: number,
  n: number,
  out: number,
): number {
  let least = 2 ** 31 - 1;
  let greatest = -(2 ** 31);
  let count = 0;
  for (let from = 0; from < n; from += 32) {
    let bits = chosen(words, bitmap, from, n);
    count += popcount32(bits);
    for (; bits !== 0; bits &= bits - 1) {
      const value = rows[values + from + lowestBit(bits)];
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
  }
  if (count === 0) return 0;
  words[out] = least;
  words[out + 1] = least >> 31;
  words[out + 2] = greatest;
  words[out + 3] = greatest >> 31;
  return count;
}

/** i64 rows as pairs of words, low (unsigned) and high (signed). */
export function extremesI64(
  words: Uint32Array,
  values: number,
  bitmap: number,
  n: number,
  out: number,
): number {
  let leastLow = 2 ** 32 - 1;
  let leastHigh = 2 ** 31 - 1;
  let greatestLow = 0;
  let greatestHigh = -(2 ** 31);
  let count = 0;
  for (let from = 0; from < n; from += 32) {
    let bits = chosen(words, bitmap, from, n);
    count += popcount32(bits);
    for (; bits !== 0; bits &= bits - 1) {
      const at = values + 2 * (from + lowestBit(bits));
      const low = words[at];
      const high = words[at + 1] | 0;
      if (high < leastHigh || (high === leastHigh && low < leastLow)) {
        leastLow = low;
        leastHigh = high;
      }
      if (high > greatestHigh || (high === greatestHigh && low > greatestLow)) {
        greatestLow = low;
        greatestHigh = high;
      }
    }
  }
  if (count === 0) return 0;
  words[out] = leastLow;
  words[out + 1] = leastHigh;
  words[out + 2] = greatestLow;
  words[out + 3] = greatestHigh;
  return count;
}
