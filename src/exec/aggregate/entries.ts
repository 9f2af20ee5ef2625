/** Entries (row, number of a value): what a walk over a level's values gives. */
import { ABSENT } from './numbering.js';

/** Takes `count` entries: row rows[i] has value numbers[i]. The arrays are the caller's again when it returns. */
export type EntrySink = (rows: Uint32Array, numbers: Uint32Array, count: number) => void;

/** Takes entries without a number away; returns how many are left, in their order. */
export function dropAbsent(rows: Uint32Array, numbers: Uint32Array, count: number): number {
  let left = 0;
  for (let at = 0; at < count; at++) {
    if (numbers[at] === ABSENT) continue;
    rows[left] = rows[at];
    numbers[left++] = numbers[at];
  }
  return left;
}
