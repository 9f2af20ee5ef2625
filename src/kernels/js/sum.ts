/**
 * Twins of wasm/sum.ts, which documents Layout, Needs and Gives. Sums stay below 2^53 (65,536 rows of 32 bits), so a number is
 * exact.
 */
import { chosen, lowestBit, popcount32 } from './words.js';

/** Stores an integer of at most 53 bits as i64 in the two words at word index `out`. */
function storeI64(words: Uint32Array, out: number, value: number): void {
  words[out] = value % 2 ** 32;
  words[out + 1] = Math.floor(value / 2 ** 32);
}

export function sumNarrow(
  rows: Int8Array | Int16Array | Int32Array,
  values: number,
  words: Uint32Array,
  bitmap: number,
  n: number,
  out: number,
): number {
  let sum = 0;
  let count = 0;
  for (let from = 0; from < n; from += 32) {
    let bits = chosen(words, bitmap, from, n);
    count += popcount32(bits);
    if (bits === -1) {
      for (let at = values + from; at < values + from + 32; at++) sum += rows[at];
    } else {
      for (; bits !== 0; bits &= bits - 1) sum += rows[values + from + lowestBit(bits)];
    }
  }
  storeI64(words, out, sum);
  storeI64(words, out + 2, 0);
  return count;
}

/** i64 rows as pairs of words, low (unsigned) and high (signed). */
export function sumI64(words: Uint32Array, values: number, bitmap: number, n: number, out: number): number {
  let low = 0;
  let high = 0;
  let count = 0;
  for (let from = 0; from < n; from += 32) {
    let bits = chosen(words, bitmap, from, n);
    count += popcount32(bits);
    for (; bits !== 0; bits &= bits - 1) {
      const at = values + 2 * (from + lowestBit(bits));
      low += words[at];
      high += words[at + 1] | 0;
    }
  }
  storeI64(words, out, low);
  storeI64(words, out + 2, high);
  return count;
}
