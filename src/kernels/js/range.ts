/** Twins of wasm/range.ts, which documents Layout, Needs and Gives. */
import { clearRest, put } from './words.js';

/**
 * Returns the borrow of a - b - carried over unsigned 32-bit integers: 1 if b + carried exceeds a. Branch-free, so that random
 * data causes no mispredictions.
 */
const borrow = (a: number, b: number, carried: number): number =>
  ((~a & b) | (~(a ^ b) & (a - b - carried))) >>> 31;

const high32 = (value: bigint): number => Number(BigInt.asIntN(32, value >> 32n));
const low32 = (value: bigint): number => Number(BigInt.asIntN(32, value));

/** i64 rows as pairs of u32 words (low, high), which avoids a BigInt per row. */
export function rangeI64(
  words: Uint32Array,
  values: number,
  validity: number,
  n: number,
  low: bigint,
  high: bigint,
  negated: boolean,
  out: number,
): number {
  const flip = negated ? 0 : -1;
  const span = high - low;
  const fromLow = low32(low);
  const fromHigh = high32(low);
  const spanLow = low32(span);
  const spanHigh = high32(span);
  let selectedCount = 0;
  for (let from = 0; from < n; from += 32) {
    const to = Math.min(32, n - from);
    let outside = 0;
    for (let row = 0; row < to; row++) {
      const at = values + 2 * (from + row);
      // value - low modulo 2^64, in two words; the borrow of span - (value - low) is 1 if the value is outside.
      const valueLow = words[at] | 0;
      const aboveLow = (valueLow - fromLow) | 0;
      const aboveHigh = (words[at + 1] - fromHigh - borrow(valueLow, fromLow, 0)) | 0;
      outside |= borrow(spanHigh, aboveHigh, borrow(spanLow, aboveLow, 0)) << row;
    }
    selectedCount += put(words, outside ^ flip, from >>> 5, n, validity, out);
  }
  clearRest(words, n, out);
  return selectedCount;
}

/** For both signs: value - low, modulo 2^32, is at most high - low exactly if the value is in the range. */
export function range32(
  words: Uint32Array,
  values: number,
  validity: number,
  n: number,
  low: number,
  high: number,
  negated: boolean,
  out: number,
): number {
  const flip = negated ? 0 : -1;
  const span = (high - low) | 0;
  let selectedCount = 0;
  for (let from = 0; from < n; from += 32) {
    const to = Math.min(32, n - from);
    let outside = 0;
    for (let row = 0; row < to; row++) {
      outside |= borrow(span, (words[values + from + row] - low) | 0, 0) << row;
    }
    selectedCount += put(words, outside ^ flip, from >>> 5, n, validity, out);
  }
  clearRest(words, n, out);
  return selectedCount;
}

/** Like range32, for narrow integers read through a signed view. */
export function rangeNarrow(
  rows: Int8Array | Int16Array,
  values: number,
  words: Uint32Array,
  validity: number,
  n: number,
  low: number,
  high: number,
  negated: boolean,
  out: number,
): number {
  const flip = negated ? -1 : 0;
  let selectedCount = 0;
  for (let from = 0; from < n; from += 32) {
    const to = Math.min(32, n - from);
    let within = 0;
    for (let row = 0; row < to; row++) {
      const value = rows[values + from + row];
      within |= (value >= low && value <= high ? 1 : 0) << row;
    }
    selectedCount += put(words, within ^ flip, from >>> 5, n, validity, out);
  }
  clearRest(words, n, out);
  return selectedCount;
}
