/** Conditions on entity IDs: the entities of a shard whose ID satisfies tests. */
import { SEGMENT_ROWS_MAX } from '../../base/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import { BITMAP_BYTES, type DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import type { RowsOnly } from './segment-leaf.js';
import { newShardBitmap } from './shard-bitmap.js';
import { eachMatch, isLookUpTest, type TextTest } from './text-match.js';

/** Entities whose ID satisfies every test, as a bitmap of the shard. Throws 9005 and 9006. */
export function entitiesById(
  shard: DimensionShard,
  tests: readonly TextTest[],
  run: QueryRun,
  only: RowsOnly | null,
): Uint8Array {
  if (tests.length === 0) return inverted(shard, newShardBitmap(shard, run));
  const [bitmap, ...others] = tests.map((test) => entitiesOfTest(shard, test, run, only));
  for (const other of others) for (let at = 0; at < bitmap.length; at++) bitmap[at] &= other[at];
  return bitmap;
}

function entitiesOfTest(
  shard: DimensionShard,
  test: TextTest,
  run: QueryRun,
  only: RowsOnly | null,
): Uint8Array {
  const bitmap = newShardBitmap(shard, run);
  const mark = (row: number): void => {
    bitmap[row >>> 3] |= 1 << (row & 7);
  };
  if (isLookUpTest(test)) {
    for (const text of test.texts) {
      const row = shard.rowOfId(Buffer.from(text, 'utf8'));
      if (row >= 0) mark(row);
    }
  } else {
    shard.segments.forEach((segment, index) => {
      if (only !== null && !only.segments.has(index)) return;
      run.check();
      const { offsets, bytes } = segment.ids();
      const base = index * SEGMENT_ROWS_MAX;
      eachMatch(test, offsets, bytes, 0, segment.rowCount, (segmentRow) => mark(base + segmentRow), run);
    });
  }
  return test.negated ? inverted(shard, bitmap) : bitmap;
}

/** Inverts the bit of every row. */
function inverted(shard: DimensionShard, bitmap: Uint8Array): Uint8Array {
  for (let at = 0; at < bitmap.length; at++) bitmap[at] = ~bitmap[at];
  return maskToRows(shard, bitmap);
}

/** Clears the bits beyond each segment's rows. */
function maskToRows(shard: DimensionShard, bitmap: Uint8Array): Uint8Array {
  for (let index = 0; index < shard.segments.length; index++) {
    const from = index * BITMAP_BYTES;
    const { rowCount } = shard.segments[index];
    const whole = from + (rowCount >> 3);
    if (rowCount & 7) bitmap[whole] &= (1 << (rowCount & 7)) - 1;
    bitmap.fill(0, whole + (rowCount & 7 ? 1 : 0), from + bitmapBytes(rowCount));
  }
  return bitmap;
}
