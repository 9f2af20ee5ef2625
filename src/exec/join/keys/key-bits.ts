/**
 * Loops of key filters: each writes the rows whose value passes to `out` and returns their number, without a branch
 * that depends on the values. `out` may be `rows`, because writes never pass reads.
 */

/** A bit for each of `length` integers from `least` on; there is a word for offset `length`. */
export interface BitRange {
  readonly least: number;
  readonly length: number;
  readonly words: Int32Array;
}

/** Two bits for each integer, in words[hash >>> shift]. */
export interface BloomBits {
  readonly words: Int32Array;
  readonly shift: number;
  readonly first: number;
  readonly second: number;
}

/** 64-bit integers: words first + 2 row (low) and first + 2 row + 1 (high). */
export interface WideValues {
  readonly low: Uint32Array;
  readonly high: Int32Array;
  readonly first: number;
}

const WORD = 2 ** 32;

function hashOf(low: number, high: number, first: number, second: number): number {
  let hash = Math.imul(low ^ Math.imul(high, second), first);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, second);
  return hash ^ (hash >>> 13);
}

/** Whether both bits of the hash are set, as 0 or 1. */
const bothBits = (word: number, hash: number): number =>
  (word >>> (hash & 31)) & (word >>> ((hash >>> 5) & 31)) & 1;

/** Integers that differ by a multiple of 2^64 have equal words. */
const highWord = (value: number): number => Math.floor(value / WORD) | 0;

export function setBloom(
  { words, shift, first, second }: BloomBits,
  numbers: Float64Array,
  valid: Uint8Array | null,
  count: number,
): void {
  for (let row = 0; row < count; row++) {
    if (valid !== null && valid[row] === 0) continue;
    const hash = hashOf(numbers[row] | 0, highWord(numbers[row]), first, second);
    words[hash >>> shift] |= (1 << (hash & 31)) | (1 << ((hash >>> 5) & 31));
  }
}

/** The range must consist of 32-bit integers. `isByRow`: values[first + row]; otherwise values[first + position of the row]. */
export function keepBits(
  { least, length, words }: BitRange,
  values: Int32Array,
  first: number,
  isByRow: boolean,
  rows: Uint32Array | null,
  count: number,
  out: Uint32Array,
): number {
  let remaining = 0;
  if (rows === null) {
    for (let row = 0; row < count; row++) {
      const offset = (values[first + row] - least) >>> 0;
      out[remaining] = row;
      remaining += offset < length ? (words[offset >>> 5] >>> (offset & 31)) & 1 : 0;
    }
    return remaining;
  }
  for (let at = 0; at < count; at++) {
    const row = rows[at];
    const offset = (values[first + (isByRow ? row : at)] - least) >>> 0;
    out[remaining] = row;
    remaining += offset < length ? (words[offset >>> 5] >>> (offset & 31)) & 1 : 0;
  }
  return remaining;
}

export function keepBloom(
  { words, shift, first: a, second: b }: BloomBits,
  values: Int32Array,
  first: number,
  isByRow: boolean,
  rows: Uint32Array | null,
  count: number,
  out: Uint32Array,
): number {
  let remaining = 0;
  for (let at = 0; at < count; at++) {
    const row = rows === null ? at : rows[at];
    const value = values[first + (isByRow ? row : at)];
    const hash = hashOf(value, value >> 31, a, b);
    out[remaining] = row;
    remaining += bothBits(words[hash >>> shift], hash);
  }
  return remaining;
}

export function keepBitsWide(
  { least, length, words }: BitRange,
  { low, high, first }: WideValues,
  rows: Uint32Array | null,
  count: number,
  out: Uint32Array,
): number {
  let remaining = 0;
  for (let at = 0; at < count; at++) {
    const row = rows === null ? at : rows[at];
    const word = first + 2 * row;
    const offset = high[word + 1] * WORD + low[word] - least;
    out[remaining] = row;
    remaining += offset >= 0 && offset < length ? (words[offset >>> 5] >>> (offset & 31)) & 1 : 0;
  }
  return remaining;
}

export function keepBloomWide(
  { words, shift, first: a, second: b }: BloomBits,
  { low, high, first }: WideValues,
  rows: Uint32Array | null,
  count: number,
  out: Uint32Array,
): number {
  let remaining = 0;
  for (let at = 0; at < count; at++) {
    const row = rows === null ? at : rows[at];
    const word = first + 2 * row;
    const hash = hashOf(low[word] | 0, high[word + 1], a, b);
    out[remaining] = row;
    remaining += bothBits(words[hash >>> shift], hash);
  }
  return remaining;
}

export function keepBitsOfNumbers(
  { least, length, words }: BitRange,
  numbers: Float64Array,
  valid: Uint8Array | null,
  count: number,
  out: Uint32Array,
): number {
  let remaining = 0;
  for (let row = 0; row < count; row++) {
    const offset = numbers[row] - least;
    out[remaining] = row;
    const bit = offset >= 0 && offset < length ? (words[offset >>> 5] >>> (offset & 31)) & 1 : 0;
    remaining += valid === null ? bit : bit & valid[row];
  }
  return remaining;
}

export function keepBloomOfNumbers(
  { words, shift, first, second }: BloomBits,
  numbers: Float64Array,
  valid: Uint8Array | null,
  count: number,
  out: Uint32Array,
): number {
  let remaining = 0;
  for (let row = 0; row < count; row++) {
    const hash = hashOf(numbers[row] | 0, highWord(numbers[row]), first, second);
    const bit = bothBits(words[hash >>> shift], hash);
    out[remaining] = row;
    remaining += valid === null ? bit : bit & valid[row];
  }
  return remaining;
}
