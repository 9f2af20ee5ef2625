/** Twin of wasm/count-codes.ts, which documents Layout and Needs. The table is accessed as i32, whose sums wrap alike. */
import { chosen, lowestBit } from './words.js';

export function countCodes(
  rows: Uint8Array | Uint16Array | Uint32Array,
  codes: number,
  words: Int32Array,
  bitmap: number,
  n: number,
  table: number,
): void {
  for (let from = 0; from < n; from += 32) {
    for (let bits = chosen(words, bitmap, from, n); bits !== 0; bits &= bits - 1) {
      words[table + rows[codes + from + lowestBit(bits)]]++;
    }
  }
}
