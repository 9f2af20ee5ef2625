/** Twin of wasm/gather.ts, which documents Needs and Gives. */
import { liveMask, lowestBit } from './words.js';

export function gatherU32(words: Uint32Array, bitmap: number, n: number, rows: number, out: number): number {
  let at = out;
  for (let from = 0; from < n; from += 32) {
    for (let bits = words[bitmap + (from >>> 5)] & liveMask(from, n); bits !== 0; bits &= bits - 1) {
      words[at++] = words[rows + from + lowestBit(bits)];
    }
  }
  return at - out;
}
