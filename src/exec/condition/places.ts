/** Places of a segment that were selected: a range of them, or those whose bits are set in a bitmap. */
import type { Arena } from '../../storage/index.js';
import { setBits } from './set-bits.js';

/** All places in [from, to), or some of them. */
export interface Places {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** count is to - from: all of them are meant, and the bitmap is unwritten. */
  readonly isRange: boolean;
  /** The place that bit 0 of the bitmap stands for, a multiple of 128; the bitmap ends with place to - 1. */
  readonly start: number;
  /** Byte offset in the segment's arena. */
  readonly bitmapAt: number;
}

export const NO_PLACES: Places = { from: 0, to: 0, count: 0, isRange: true, start: 0, bitmapAt: 0 };

/** Writes the places, ascending, into `out`, which has room for them; returns their number. */
export function listPlaces({ i32 }: Arena, places: Places, out: Uint32Array): number {
  const { from, to, start, isRange, bitmapAt, count } = places;
  if (isRange) {
    for (let index = 0; index < count; index++) out[index] = from + index;
    return count;
  }
  return setBits(i32, bitmapAt >> 2, to - start, start, out);
}
