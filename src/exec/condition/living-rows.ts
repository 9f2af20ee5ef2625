/** Selected rows of a segment without those that have a tombstone. */
import { bitmapBytes } from '../../kernels/index.js';
import type { Arena, EntitySegment } from '../../storage/index.js';

/**
 * Removes deleted rows from scratch bitmap 0, which holds `count` rows of the segment; it is unwritten when they are none
 * or all rows, before and after. Overwrites scratch bitmap 1. Returns the number of rows left.
 */
export function keepLiving(segment: EntitySegment, scratch: Arena, count: number): number {
  const { tombstones, deadCount, rowCount } = segment;
  if (count === 0 || deadCount === 0 || tombstones === null) return count;
  const { u8, kernels } = scratch;
  const out = scratch.scratchBitmap(0);
  const dead = scratch.scratchBitmap(1);
  if (count === rowCount) kernels.fill(rowCount, out);
  u8.set(tombstones.arena.u8.subarray(tombstones.at, tombstones.at + bitmapBytes(rowCount)), dead);
  return kernels.andNot(out, dead, rowCount, out);
}
