/** What is known of the integers of a stored column before its rows are read. */
import type { DimensionShard } from '../../../storage/index.js';

export interface StoredIntegers {
  /** Bounds of the values; min > max if there are no values. */
  readonly min: number;
  readonly max: number;
  /** Whether some segment stores 64-bit values. */
  readonly isWide: boolean;
  readonly hasMissing: boolean;
}

export function storedIntegers({ segments }: DimensionShard, columnId: number): StoredIntegers {
  let [min, max, isWide, hasMissing] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, false, false];
  for (const segment of segments) {
    const column = segment.latest(columnId);
    const living = segment.rowCount - segment.deadCount;
    if ((column?.presentCount ?? 0) < living) hasMissing = true;
    if (column === undefined || column.presentCount === 0) continue;
    if (column.kind === 'i64' && column.width === 8) isWide = true;
    min = Math.min(min, column.min);
    max = Math.max(max, column.max);
  }
  return { min, max, isWide, hasMissing };
}
