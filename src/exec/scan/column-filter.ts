/** A necessary condition on the values of a column that becomes known while a query runs. */
import type { LatestColumn } from '../../storage/index.js';
import type { Texts, Vector } from '../../vector/index.js';

/** Rows whose value does not pass contribute nothing to the result; others may pass, too. */
export interface ColumnFilter {
  /** Whether some value between the bounds may pass; codes have no bounds. */
  mayPass(min: number, max: number): boolean;
  /**
   * Writes those of the segment's rows `rows` (ascending; null = all below `count`) whose value passes to `out`, which
   * may be `rows` itself, and returns their number. `texts` = the dictionary of a column of codes. A missing
   * value is stored as 0. Throws 9006.
   */
  keepStored(
    column: LatestColumn,
    texts: Texts | null,
    rows: Uint32Array | null,
    count: number,
    out: Uint32Array,
  ): number;
  /** Writes the rows of the vector whose value passes to `out` and returns their number. Throws 9006. */
  keep(vector: Vector, out: Uint32Array): number;
}

/** Removes rows without a value from `rows`, which has `count` rows, and returns the number of the others. */
export function keepPresent({ arena, validityAt }: LatestColumn, rows: Uint32Array, count: number): number {
  const { u8 } = arena;
  let remaining = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at];
    rows[remaining] = row;
    remaining += (u8[validityAt + (row >> 3)] >> (row & 7)) & 1;
  }
  return remaining;
}
