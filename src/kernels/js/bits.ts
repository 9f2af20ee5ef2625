/** Twins of wasm/bits.ts, which documents Needs and Gives. */
import { ALL_VALID, clearRest, liveMask, lowestBit, popcount32, put, wordCount } from './words.js';

export function bitsEqual(
  words: Uint32Array,
  bits: number,
  validity: number,
  n: number,
  wanted: boolean,
  out: number,
): number {
  const flip = wanted ? 0 : -1;
  let selectedCount = 0;
  for (let w = 0; w << 5 < n; w++) selectedCount += put(words, words[bits + w] ^ flip, w, n, validity, out);
  clearRest(words, n, out);
  return selectedCount;
}

export function and(words: Uint32Array, a: number, b: number, n: number, out: number): number {
  let selectedCount = 0;
  for (let w = 0; w << 5 < n; w++)
    selectedCount += put(words, words[a + w] & words[b + w], w, n, ALL_VALID, out);
  clearRest(words, n, out);
  return selectedCount;
}

export function or(words: Uint32Array, a: number, b: number, n: number, out: number): number {
  let selectedCount = 0;
  for (let w = 0; w << 5 < n; w++)
    selectedCount += put(words, words[a + w] | words[b + w], w, n, ALL_VALID, out);
  clearRest(words, n, out);
  return selectedCount;
}

export function andNot(words: Uint32Array, a: number, b: number, n: number, out: number): number {
  let selectedCount = 0;
  for (let w = 0; w << 5 < n; w++)
    selectedCount += put(words, words[a + w] & ~words[b + w], w, n, ALL_VALID, out);
  clearRest(words, n, out);
  return selectedCount;
}

export function fill(words: Uint32Array, n: number, out: number): void {
  for (let w = 0; w << 5 < n; w++) words[out + w] = liveMask(w << 5, n);
  clearRest(words, n, out);
}

export function clear(words: Uint32Array, n: number, out: number): void {
  words.fill(0, out, out + wordCount(n));
}

export function count(words: Uint32Array, bitmap: number, n: number): number {
  let selectedCount = 0;
  for (let w = 0; w << 5 < n; w++) selectedCount += popcount32(words[bitmap + w] & liveMask(w << 5, n));
  return selectedCount;
}

export function gatherU32(words: Uint32Array, bitmap: number, n: number, rows: number, out: number): number {
  let at = out;
  for (let from = 0; from < n; from += 32) {
    for (let bits = words[bitmap + (from >>> 5)] & liveMask(from, n); bits !== 0; bits &= bits - 1) {
      words[at++] = words[rows + from + lowestBit(bits)];
    }
  }
  return at - out;
}
