/**
 * Compaction removes deleted rows from their segments. The decision depends on counts only, so the same changes in the same order
 * are compacted at the same point, including during replay.
 */
import { SEGMENT_ROWS_MAX } from '../base/index.js';
import type { ArenaPool } from './arena.js';
import { EntitySegment } from './entity-segment.js';
import { DEAD_ROW } from './event-segment.js';

/** A dimension's shard with fewer deleted rows is not compacted, unless it has no other rows. */
export const COMPACTION_DEAD_MIN = 256;
/** Compaction starts when one row in DEAD_PART is deleted ... */
const DEAD_PART = 4;
/** ... and rewrites each segment with one deleted row in SEGMENT_DEAD_PART; afterwards a smaller part of all rows is deleted. */
const SEGMENT_DEAD_PART = 8;

export function isCompactionDue(deadCount: number, livingCount: number, deadMin: number): boolean {
  if (deadCount === 0) return false;
  return livingCount === 0 || (deadCount >= deadMin && deadCount * DEAD_PART >= deadCount + livingCount);
}

/**
 * Replaces each segment that has enough deleted rows with a segment of its living rows, in order and at the same index, one after
 * the other, so that only one segment exists twice at a time; removes empty segments at the end. Pending checkpoint copies of
 * replaced segments are made first. Returns the new row of each old row, DEAD_ROW for deleted ones.
 */
export function compactSegments(pool: ArenaPool, segments: EntitySegment[]): Uint32Array {
  const rows = new Uint32Array(segments.length * SEGMENT_ROWS_MAX).fill(DEAD_ROW);
  for (let index = 0; index < segments.length; index++) {
    const segment = segments[index];
    const base = index * SEGMENT_ROWS_MAX;
    const living = segment.livingRows();
    const rewritten = segment.deadCount * SEGMENT_DEAD_PART >= segment.rowCount && segment.deadCount > 0;
    for (let at = 0; at < living.length; at++) rows[base + living[at]] = base + (rewritten ? at : living[at]);
    if (!rewritten) continue;
    segment.snapshot.beforeChange();
    const fresh = new EntitySegment(pool, segments[index - 1]?.arena ?? null);
    fresh.copyFrom(segment, living);
    segment.release();
    segments[index] = fresh;
  }
  while (segments.length > 0 && segments[segments.length - 1].rowCount === 0) {
    const [last] = segments.splice(-1);
    last.snapshot.beforeChange();
    last.release();
  }
  return rows;
}
