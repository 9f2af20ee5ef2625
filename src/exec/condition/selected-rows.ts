/** Selected rows (or events) of a segment: a range, or the set bits of a bitmap. */
import type { Arena } from '../../storage/index.js';
import { setBits } from './set-bits.js';

/** All rows in [from, to), or a subset. */
export interface SelectedRows {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Whether all rows of the range are selected; the bitmap is then undefined. */
  readonly isRange: boolean;
  /** The row of bit 0 of the bitmap, a multiple of 128; the bitmap ends with row to - 1. */
  readonly start: number;
  /** Byte offset in the segment's arena. */
  readonly bitmapAt: number;
}

export const NO_ROWS: SelectedRows = { from: 0, to: 0, count: 0, isRange: true, start: 0, bitmapAt: 0 };

/** Writes the rows, ascending, to `out`, which must have capacity for them; returns their number. */
export function listSelectedRows({ i32 }: Arena, segmentRows: SelectedRows, out: Uint32Array): number {
  const { from, to, start, isRange, bitmapAt, count } = segmentRows;
  if (isRange) {
    for (let index = 0; index < count; index++) out[index] = from + index;
    return count;
  }
  return setBits(i32, bitmapAt >> 2, to - start, start, out);
}
