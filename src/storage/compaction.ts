/**
 * Compaction: deleted rows leave their segments for good. What is worth it is decided by counts alone, so the same
 * changes in the same order are compacted at the same place, in replay too.
 */
import { SEGMENT_ROWS_MAX } from '../base/index.js';
import type { ArenaPool } from './arena.js';
import { EntitySegment } from './entity-segment.js';
import { DEAD_ROW } from './event-segment.js';

/** Deleted rows below which a dimension's shard is not compacted, unless no other rows are left. */
export const COMPACTION_DEAD_MIN = 256;
/** It is compacted when one row in so many is deleted ... */
const DEAD_PART = 4;
/** ... and then each segment of which one in so many is: after it less than that part of all rows is deleted. */
const SEGMENT_DEAD_PART = 8;

export function isCompactionDue(deadCount: number, livingCount: number, deadMin: number): boolean {
  if (deadCount === 0) return false;
  return livingCount === 0 || (deadCount >= deadMin && deadCount * DEAD_PART >= deadCount + livingCount);
}

/**
 * Replaces each segment that has enough deleted rows by one of its living rows, in order and at the same index, one
 * after the other so that only one of them stands twice; takes empty segments off the end. Copies of replaced
 * segments that a checkpoint waits for are made first. Returns the new row of each old one, DEAD_ROW for deleted ones.
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
    fresh.takeFrom(segment, living);
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
