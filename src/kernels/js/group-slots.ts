/** Twins of wasm/group-slots.ts, which documents layouts and Needs. A sum is two words, the lower one first. */
import { ALL_ROWS, chosen, lowestBit } from './words.js';

type Integers = Uint8Array | Uint16Array | Int8Array | Int16Array | Int32Array;

export function addGroupSlots(
  rows: Integers,
  values: number,
  n: number,
  least: number,
  words: Uint16Array,
  table: number,
  slots: number,
): void {
  const from = table - least;
  for (let row = 0; row < n; row++) words[slots + row] += words[from + rows[values + row]];
}

export function addGroupSlotsBits(
  bits: Uint32Array,
  bitmap: number,
  n: number,
  set: number,
  clear: number,
  words: Uint16Array,
  slots: number,
): void {
  for (let row = 0; row < n; row++) {
    const isSet = bitmap === ALL_ROWS || (bits[bitmap + (row >>> 5)] & (1 << (row & 31))) !== 0;
    words[slots + row] += isSet ? set : clear;
  }
}

export function sumGroupSlots(
  rows: Int8Array | Int16Array | Int32Array,
  values: number,
  words: Uint16Array,
  slots: number,
  sums: Uint32Array,
  bitmap: number,
  n: number,
  out: number,
): void {
  for (let from = 0; from < n; from += 32) {
    for (let bits = chosen(sums, bitmap, from, n); bits !== 0; bits &= bits - 1) {
      const row = from + lowestBit(bits);
      const at = out + words[slots + row] * 2;
      const low = sums[at] + rows[values + row];
      sums[at] = low;
      sums[at + 1] += Math.floor(low / 2 ** 32);
    }
  }
}

export function extremesGroupSlots(
  rows: Int8Array | Int16Array | Int32Array,
  values: number,
  words: Uint16Array,
  slots: number,
  bits32: Int32Array,
  bitmap: number,
  n: number,
  extremes: number,
): void {
  for (let from = 0; from < n; from += 32) {
    for (let bits = chosen(bits32, bitmap, from, n); bits !== 0; bits &= bits - 1) {
      const row = from + lowestBit(bits);
      const at = extremes + words[slots + row] * 2;
      const value = rows[values + row];
      if (value < bits32[at]) bits32[at] = value;
      if (value > bits32[at + 1]) bits32[at + 1] = value;
    }
  }
}
