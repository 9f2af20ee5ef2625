/** Selects the rows that satisfy a condition. */
import type { Vector } from '../vector/index.js';
import { booleanOf } from './kinds.js';

/** The indexes, ascending, of the rows that are true (neither false nor missing). */
export function trueRows(vector: Vector): Uint32Array {
  const { bits, valid, count } = booleanOf(vector);
  const rows = new Uint32Array(count);
  let found = 0;
  if (valid === null) {
    for (let row = 0; row < count; row++) {
      rows[found] = row;
      found += bits[row];
    }
  } else {
    for (let row = 0; row < count; row++) {
      rows[found] = row;
      found += bits[row] & valid[row];
    }
  }
  return rows.subarray(0, found);
}
