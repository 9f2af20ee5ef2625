/**
 * Segments as conditions: the members among the entities of a shard, as a bitmap over its rows. The bitmap of the last use is
 * repaired by the rows that were written since; it is computed anew if these are too many or not known any more, or if the
 * condition is another one, which is also the case if it depends on the time. Either way the entities of its conditions on events
 * are those of the last use, brought up to date (event-members.ts).
 * Invariant  the bitmap equals that which would be computed anew. It may have bits of later rows, which are clear.
 */
import { SEGMENT_ROWS_MAX, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import { type Condition, staticSegmentsIn } from '../../ir/index.js';
import { BITMAP_BYTES, type DimensionShard, type SegmentBitmap } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { RetainedEvents } from './event-members.js';

export type SegmentCondition = Extract<Condition, { readonly op: 'segment' }>;

/** If more than one in this many entities were written, the bitmap is computed anew. */
const REPAIRED_PART = 8;
/** So many rows are always repaired. */
const REPAIRED_MIN = 64;

/** A dimension on which the members depend, at a position in its touched rows. */
interface Source {
  readonly shard: DimensionShard;
  readonly position: number;
}

/** Evaluates the condition of a segment, whose conditions on events take what is retained. */
export interface SegmentEvaluation {
  /** A bitmap of the shard. */
  readonly all: (condition: Condition, events: RetainedEvents) => Uint8Array;
  /** For each of the rows, which ascend: 1 if the condition is true, else 0. */
  readonly rows: (condition: Condition, events: RetainedEvents, rows: readonly number[]) => Uint8Array;
}

/** The members of the segment, one bit per row. Throws 9005, 9006; then the bitmap of the last use is unchanged. */
export function membersOf(
  shard: DimensionShard,
  leaf: SegmentCondition,
  evaluation: SegmentEvaluation,
  run: QueryRun,
): Uint8Array {
  const { segmentId, condition } = leaf;
  const text = JSON.stringify(condition, plainNumbers);
  const sources = sourcesOf(shard, leaf);
  const known = shard.segmentBitmaps.get(segmentId);
  const touched = known === undefined || known.text !== text ? null : rowsSince(shard, known, sources);
  if (known !== undefined && touched?.length === 0) return known.bitmap;
  const bitmap = newBitmap(shard);
  const events = new RetainedEvents(eventsIn(known));
  if (known === undefined || touched === null) {
    if (condition !== null) bitmap.set(evaluation.all(condition, events));
    else markStatic(shard, shard.siblings.get(segmentId), bitmap, run);
  } else {
    bitmap.set(known.bitmap);
    const holds =
      condition === null
        ? staticRows(shard, shard.siblings.get(segmentId), touched)
        : evaluation.rows(condition, events, touched);
    touched.forEach((row, index) => {
      if (holds[index] === 1) bitmap[row >>> 3] |= 1 << (row & 7);
      else bitmap[row >>> 3] &= ~(1 << (row & 7));
    });
  }
  shard.segmentBitmaps.set(segmentId, { text, bitmap, sources, retained: events });
  return bitmap;
}

const eventsIn = (known: SegmentBitmap | undefined): RetainedEvents | null =>
  known?.retained instanceof RetainedEvents ? known.retained : null;

const plainNumbers = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

/** A clear bitmap with capacity for whole segments, so that it seldom grows. */
const newBitmap = ({ segments }: DimensionShard): Uint8Array =>
  new Uint8Array(segments.length * BITMAP_BYTES);

/** The dimension, then those of the IDs of all static segments that the segment consists of, at their present positions. */
function sourcesOf(shard: DimensionShard, leaf: SegmentCondition): readonly (Source | undefined)[] {
  const others = staticSegmentsIn(leaf).map((id) => shard.siblings.get(id));
  return [shard, ...others].map((one) =>
    one === undefined ? undefined : { shard: one, position: one.touched.position() },
  );
}

/** The rows, ascending, for which the bitmap may be out of date; null = unknown, or too many. */
function rowsSince(
  shard: DimensionShard,
  { sources: before }: SegmentBitmap,
  now: readonly (Source | undefined)[],
): readonly number[] | null {
  const rows = new Set<number>();
  const rowsMax = Math.max(REPAIRED_MIN, shard.entityCount / REPAIRED_PART);
  for (const [index, source] of now.entries()) {
    const last = before[index];
    if (source?.shard !== last?.shard) return null;
    if (source === undefined || last === undefined || source.position === last.position) continue;
    const touched = source.shard.touched.since(last.position);
    if (touched === null || touched.length > rowsMax) return null;
    for (const row of touched) {
      const own = source.shard === shard ? row : shard.rowOfId(source.shard.idOf(row));
      if (own >= 0) rows.add(own);
    }
  }
  return [...rows].sort((a, b) => a - b);
}

/** Marks the entities whose IDs are entities of `ids`: looks up those of the smaller dimension in the other. */
function markStatic(
  shard: DimensionShard,
  ids: DimensionShard | undefined,
  bitmap: Uint8Array,
  run: QueryRun,
): void {
  if (ids === undefined) return;
  const isSmaller = ids.entityCount < shard.entityCount;
  const [from, to] = isSmaller ? [ids, shard] : [shard, ids];
  from.segments.forEach((segment, index) => {
    run.check();
    for (const rowInSegment of segment.livingRows()) {
      const row = index * SEGMENT_ROWS_MAX + rowInSegment;
      const found = to.rowOfId(from.idOf(row));
      const own = isSmaller ? found : row;
      if (found >= 0) bitmap[own >>> 3] |= 1 << (own & 7);
    }
  });
}

/** For each of the rows: 1 if the entity lives and its ID is an entity of `ids`. */
function staticRows(
  shard: DimensionShard,
  ids: DimensionShard | undefined,
  rows: readonly number[],
): Uint8Array {
  return Uint8Array.from(rows, (row) => {
    const isLiving = !shard.isDead(row);
    return isLiving && ids !== undefined && ids.rowOfId(shard.idOf(row)) >= 0 ? 1 : 0;
  });
}

/** The numbers of the entity segments that contain the rows, which ascend, and a bitmap of the rows. */
export function rowsOnly(shard: DimensionShard, rows: readonly number[]): RowsOnly {
  const bitmap = newBitmap(shard);
  const segments = new Set<number>();
  for (const row of rows) {
    bitmap[row >>> 3] |= 1 << (row & 7);
    segments.add(row >>> SEGMENT_ROWS_SHIFT);
  }
  return { bitmap, segments };
}

/** Rows to which an evaluation is restricted: what it says about others is undefined. */
export interface RowsOnly {
  readonly bitmap: Uint8Array;
  readonly segments: ReadonlySet<number>;
}
