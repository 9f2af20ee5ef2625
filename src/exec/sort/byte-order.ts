/** The order of strings as UTF-8 bytes, which is their code point order, computed on the stored bytes. */
import type { Dictionary } from '../../storage/index.js';

const PREFIX_BYTES = 6;

/**
 * The first six bytes of bytes[from, to) as a number, which a double represents exactly. Strings with different
 * numbers are ordered by the numbers.
 */
export function prefixOf(bytes: Uint8Array, from: number, to: number): number {
  if (to - from >= PREFIX_BYTES) {
    const high = (bytes[from] << 16) | (bytes[from + 1] << 8) | bytes[from + 2];
    return high * 2 ** 24 + ((bytes[from + 3] << 16) | (bytes[from + 4] << 8) | bytes[from + 5]);
  }
  let prefix = 0;
  for (let index = 0; index < PREFIX_BYTES; index++) {
    prefix = prefix * 256 + (from + index < to ? bytes[from + index] : 0);
  }
  return prefix;
}

/** Negative if a[fromA, toA) sorts before b[fromB, toB), 0 if they are equal. */
export function compareBytes(
  a: Uint8Array,
  fromA: number,
  toA: number,
  b: Uint8Array,
  fromB: number,
  toB: number,
): number {
  const shared = Math.min(toA - fromA, toB - fromB);
  for (let index = 0; index < shared; index++) {
    const difference = a[fromA + index] - b[fromB + index];
    if (difference !== 0) return difference;
  }
  return toA - fromA - (toB - fromB);
}

/** The largest dictionary that is sorted: its codes must fit a 64-bit sort key next to five bytes of the string. */
export const SORTED_CODES_MAX = 2 ** 18;
const CODE_MASK = SORTED_CODES_MAX - 1;
const STEP_BYTES = 5;
/** Runs of at most this many strings are sorted by comparison. */
const FEW = 24;

/** Temporary bytes of sortedCodes per code. */
export const SORT_BYTES_PER_CODE = 12;

/** All codes of a dictionary of at most SORTED_CODES_MAX codes, ordered by their strings; element 0 is code 0. */
export function sortedCodes(dictionary: Dictionary): Uint32Array {
  const codes = Uint32Array.from({ length: dictionary.codeCount }, (_, code) => code);
  const keys = new BigUint64Array(dictionary.codeCount);
  // A stack of runs of codes whose strings agree in their first `depth` bytes: from, to, depth.
  const runs = [1, codes.length, 0];
  while (runs.length > 0) {
    const [from, to, depth] = runs.splice(-3);
    if (to - from <= FEW) sortFew(dictionary, codes, from, to);
    else sortRun(dictionary, codes, keys, from, to, depth, runs);
  }
  return codes;
}

/** Sorts a run by its next five bytes; pushes the runs of still equal strings to `runs`. */
function sortRun(
  { offsets, bytes }: Dictionary,
  codes: Uint32Array,
  keys: BigUint64Array,
  from: number,
  to: number,
  depth: number,
  runs: number[],
): void {
  const words = new Uint32Array(keys.buffer);
  for (let at = from; at < to; at++) {
    const start = offsets[codes[at]] + depth;
    const left = offsets[codes[at] + 1] - start;
    const byte = (index: number): number => (index < left ? bytes[start + index] : 0);
    words[at * 2 + 1] = (byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3);
    // A string that ends sorts before one that continues with zero bytes.
    words[at * 2] = (byte(4) << 21) | (Math.min(left, STEP_BYTES + 1) << 18) | codes[at];
  }
  keys.subarray(from, to).sort();
  let first = from;
  for (let at = from; at < to; at++) {
    codes[at] = words[at * 2] & CODE_MASK;
    const isLast =
      at + 1 === to ||
      words[at * 2 + 1] !== words[at * 2 + 3] ||
      words[at * 2] >>> 18 !== words[at * 2 + 2] >>> 18;
    if (!isLast) continue;
    if (at > first) runs.push(first, at + 1, depth + STEP_BYTES);
    first = at + 1;
  }
}

function sortFew({ offsets, bytes }: Dictionary, codes: Uint32Array, from: number, to: number): void {
  for (let at = from + 1; at < to; at++) {
    const code = codes[at];
    let position = at;
    for (; position > from; position--) {
      const other = codes[position - 1];
      const order = compareBytes(
        bytes,
        offsets[code],
        offsets[code + 1],
        bytes,
        offsets[other],
        offsets[other + 1],
      );
      if (order >= 0) break;
      codes[position] = other;
    }
    codes[position] = code;
  }
}

/** The number of strings of sorted codes that sort before the given bytes. */
export function countBefore({ offsets, bytes }: Dictionary, sorted: Uint32Array, text: Uint8Array): number {
  let low = 1;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const code = sorted[middle];
    if (compareBytes(bytes, offsets[code], offsets[code + 1], text, 0, text.length) < 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A Buffer over the same memory, for reading text. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
