/**
 * Sorts numbers by 32-bit keys with a stable radix sort, least significant digit first, in slices.
 * Layout  keys[i] is the key of entries[i]; both move together, so that every pass reads sequentially.
 * Cost  per digit of 11 bits, one pass that reads and writes both arrays.
 */
import { inSlices, type MemoryAccount, type Task } from '../base/index.js';

export interface KeyedEntries {
  readonly keys: Uint32Array;
  readonly entries: Uint32Array;
}

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/**
 * Sorts by at least the lowest `bitCount` bits of the keys. The result may be `pairs`, which may be overwritten.
 * Throws 9006.
 */
export function* sortByKey(pairs: KeyedEntries, bitCount: number, budget: MemoryAccount): Task<KeyedEntries> {
  const count = pairs.keys.length;
  budget.reserve(count * 8);
  let from = pairs;
  let to: KeyedEntries = { keys: new Uint32Array(count), entries: new Uint32Array(count) };
  const offsets = new Uint32Array(DIGITS);
  for (let shift = 0; shift < bitCount; shift += DIGIT_BITS) {
    yield* sortByDigit(from, to, shift, offsets);
    [from, to] = [to, from];
  }
  return from;
}

function* sortByDigit(from: KeyedEntries, to: KeyedEntries, shift: number, offsets: Uint32Array): Task<void> {
  const { length } = from.keys;
  offsets.fill(0);
  yield* inSlices(length, (first, end) => countDigits(from.keys, first, end, shift, offsets));
  let offset = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const length = offsets[digit];
    offsets[digit] = offset;
    offset += length;
  }
  yield* inSlices(length, (first, end) => moveEntries(from, to, first, end, shift, offsets));
}

function countDigits(
  keys: Uint32Array,
  first: number,
  end: number,
  shift: number,
  offsets: Uint32Array,
): void {
  for (let index = first; index < end; index++) offsets[(keys[index] >>> shift) & (DIGITS - 1)]++;
}

function moveEntries(
  { keys, entries }: KeyedEntries,
  { keys: sortedKeys, entries: sortedEntries }: KeyedEntries,
  first: number,
  end: number,
  shift: number,
  offsets: Uint32Array,
): void {
  for (let index = first; index < end; index++) {
    const key = keys[index];
    const at = offsets[(key >>> shift) & (DIGITS - 1)]++;
    sortedKeys[at] = key;
    sortedEntries[at] = entries[index];
  }
}
