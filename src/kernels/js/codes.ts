/** Twins of wasm/codes.ts, which documents Layout, Needs and Gives. */
import { ALL_VALID, clearRest, put } from './words.js';

export type Codes = Uint8Array | Uint16Array | Uint32Array;

export function equal(
  codes: Codes,
  at: number,
  n: number,
  code: number,
  negated: boolean,
  words: Uint32Array,
  out: number,
): number {
  const sought = code >>> 0;
  let selectedCount = 0;
  for (let from = 0; from < n; from += 32) {
    const to = Math.min(32, n - from);
    let bits = 0;
    if (negated) {
      for (let row = 0; row < to; row++) {
        const found = codes[at + from + row];
        if (found !== sought && found !== 0) bits |= 1 << row;
      }
    } else {
      for (let row = 0; row < to; row++) {
        if (codes[at + from + row] === sought) bits |= 1 << row;
      }
    }
    selectedCount += put(words, bits, from >>> 5, n, ALL_VALID, out);
  }
  clearRest(words, n, out);
  return selectedCount;
}

export function member(
  codes: Codes,
  at: number,
  n: number,
  table: number,
  words: Uint32Array,
  out: number,
): number {
  let selectedCount = 0;
  for (let from = 0; from < n; from += 32) {
    const to = Math.min(32, n - from);
    let bits = 0;
    for (let row = 0; row < to; row++) {
      const code = codes[at + from + row];
      bits |= ((words[table + (code >>> 5)] >>> (code & 31)) & 1) << row;
    }
    selectedCount += put(words, bits, from >>> 5, n, ALL_VALID, out);
  }
  clearRest(words, n, out);
  return selectedCount;
}
