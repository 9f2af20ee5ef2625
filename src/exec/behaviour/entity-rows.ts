/** Visits entities that a bitmap of the shard's rows selects; null = all rows. */
import { SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';

export const hasRow = (rows: Uint8Array | null, row: number): boolean =>
  rows === null || ((rows[row >>> 3] >> (row & 7)) & 1) === 1;

/** Rows ascend. Throws 9005. */
export function eachRow(
  shard: DimensionShard,
  rows: Uint8Array | null,
  run: QueryRun,
  visit: (row: number) => void,
): void {
  shard.segments.forEach(({ rowCount }, index) => {
    run.check();
    const first = index << SEGMENT_ROWS_SHIFT;
    for (let row = first; row < first + rowCount; row++) if (hasRow(rows, row)) visit(row);
  });
}
