/**
 * A bitmap with one bit per row of a shard: row r is bit r & 7 of byte r >> 3. Each entity segment takes
 * BITMAP_BYTES, except the last, which takes only the bytes its rows need, because most dimensions are small.
 */
import type { MemoryAccount } from '../../base/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import { BITMAP_BYTES, type DimensionShard } from '../../storage/index.js';

/** A clear bitmap of the segments from `firstSegment` on; `memory` accounts for it. Throws 9006. */
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
