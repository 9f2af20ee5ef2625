/** Entries (row, value number), the output of a scan over a level's values. */
import { ABSENT } from './numbering.js';

/** Receives `count` entries: row rows[i] has value numbers[i]. The caller reuses the arrays after the call. */
export type EntrySink = (rows: Uint32Array, numbers: Uint32Array, count: number) => void;

/** Removes entries without a number; returns the number of remaining entries, which keep their order. */
export function dropAbsent(rows: Uint32Array, numbers: Uint32Array, count: number): number {
  let left = 0;
  for (let at = 0; at < count; at++) {
    if (numbers[at] === ABSENT) continue;
    rows[left] = rows[at];
    numbers[left++] = numbers[at];
  }
  return left;
}
