/** Removes the rows that have a tombstone from the selected rows of a segment. */
import { bitmapBytes } from '../../kernels/index.js';
import type { Arena, EntitySegment } from '../../storage/index.js';

/**
 * Removes deleted rows from scratch bitmap 0, which holds `count` rows of the segment. Before and after the call, the
 * bitmap is unwritten if it holds no row or all rows. Overwrites scratch bitmap 1. Returns the number of rows left.
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
