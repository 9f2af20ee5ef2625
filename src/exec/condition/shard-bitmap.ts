/**
 * A bit for every row of a shard: that of row r is bit r & 7 of byte r >> 3. So BITMAP_BYTES an entity segment, but of the
 * last one no more than its rows need: most dimensions are small.
 */
import type { MemoryAccount } from '../../base/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import { BITMAP_BYTES, type DimensionShard } from '../../storage/index.js';

/** One in which no row is set, of the segments from `firstSegment` on, reserved in `memory`. Throws 9006. */
export function newShardBitmap(
  shard: DimensionShard,
  memory: MemoryAccount,
  firstSegment = 0,
): Uint8Array<ArrayBuffer> {
  const byteCount = Math.max(shardBitmapBytes(shard) - firstSegment * BITMAP_BYTES, 0);
  memory.reserve(byteCount);
  return new Uint8Array(byteCount);
}

/** The part of one entity segment. */
export function segmentPart(bitmap: Uint8Array, segmentIndex: number, rowCount: number): Uint8Array {
  const from = segmentIndex * BITMAP_BYTES;
  return bitmap.subarray(from, from + bitmapBytes(rowCount));
}

function shardBitmapBytes({ segments }: DimensionShard): number {
  const last = segments.at(-1);
  return last === undefined ? 0 : (segments.length - 1) * BITMAP_BYTES + bitmapBytes(last.rowCount);
}
