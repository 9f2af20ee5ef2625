/** Twins of wasm/refine.ts, which documents Layout, Needs and Gives. */
import { ALL_VALID, lowestBit, popcount32 } from './words.js';

/** Returns whether `row` passes; `values` is the start of its column. */
type Passes = (row: number) => boolean;

function refine(words: Uint32Array, validity: number, n: number, bitmap: number, passes: Passes): number {
  let selectedCount = 0;
  for (let from = 0; from < n; from += 32) {
    const at = bitmap + (from >>> 5);
    const valid = validity === ALL_VALID ? -1 : words[validity + (from >>> 5)];
    let left = 0;
    for (let bits = words[at] & valid; bits !== 0; bits &= bits - 1) {
      const bit = lowestBit(bits);
      if (passes(from + bit)) left |= 1 << bit;
    }
    words[at] = left;
    selectedCount += popcount32(left);
  }
  return selectedCount;
}

export function refineI64(
  words: Uint32Array,
  values: number,
  validity: number,
  n: number,
  low: bigint,
  high: bigint,
  negated: boolean,
  bitmap: number,
): number {
  return refine(words, validity, n, bitmap, (row) => {
    const at = values + 2 * row;
    const value = (BigInt(words[at + 1] | 0) << 32n) | BigInt(words[at]);
    return (value < low || value > high) === negated;
  });
}

export function refineI32(
  words: Uint32Array,
  values: number,
  validity: number,
  n: number,
  low: number,
  high: number,
  negated: boolean,
  bitmap: number,
): number {
  return refine(words, validity, n, bitmap, (row) => {
    const value = words[values + row] | 0;
    return (value < low || value > high) === negated;
  });
}
