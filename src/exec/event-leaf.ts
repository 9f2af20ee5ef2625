/**
 * Event conditions over a dimension's shard: which entities have at least `minfreq` matching events.
 * Invariants: the result is one bit per entity row of the shard, in runs of BITMAP_BYTES per entity segment.
 */
import type { EventTest } from '../ir/index.js';
import { bitmapBytes } from '../kernels/index.js';
import {
  BITMAP_BYTES,
  type DimensionShard,
  type EventSegment,
  type EventTable,
  valueBytes,
} from '../storage/index.js';
import { PreparedTest, type WithoutRoom } from './value-test.js';

/** Places that a kernel's run starts at are multiples of this, so that bitmaps and vectors line up. */
const RUN_ALIGN_MASK = 127;

/** Counts matching events per entity and marks the entities that reach `minfreq`. */
class Marker {
  readonly bitmap: Uint8Array;
  readonly #minfreq: number;
  readonly #counts: Uint16Array | null;

  constructor(segmentCount: number, minfreq: number) {
    this.bitmap = new Uint8Array(segmentCount * BITMAP_BYTES);
    this.#minfreq = minfreq;
    this.#counts = minfreq === 1 ? null : new Uint16Array(segmentCount * BITMAP_BYTES * 8);
  }

  markAll(rows: Uint32Array, from: number, to: number): void {
    const { bitmap } = this;
    const counts = this.#counts;
    if (counts === null) {
      for (let at = from; at < to; at++) bitmap[rows[at] >>> 3] |= 1 << (rows[at] & 7);
      return;
    }
    const minfreq = this.#minfreq;
    for (let at = from; at < to; at++) {
      const row = rows[at];
      if (counts[row] < minfreq && ++counts[row] === minfreq) bitmap[row >>> 3] |= 1 << (row & 7);
    }
  }
}

/** Entities with at least `minfreq` events that pass any of `events`, as a bitmap over the shard's rows. */
export function entitiesWithEvents(
  shard: DimensionShard,
  events: readonly EventTest[],
  minfreq: number,
  withoutRoom: WithoutRoom,
): Uint8Array {
  const marker = new Marker(shard.segments.length, minfreq);
  for (const event of events) {
    const table = shard.events.get(event.columnId);
    if (table !== undefined) markMatches(shard, table, event, marker, withoutRoom);
  }
  return marker.bitmap;
}

function markMatches(
  shard: DimensionShard,
  table: EventTable,
  event: EventTest,
  marker: Marker,
  withoutRoom: WithoutRoom,
): void {
  const dictionary = shard.dictionaries.get(event.columnId);
  const tests = event.tests.map((test) => new PreparedTest(test, dictionary, withoutRoom));
  try {
    for (const segment of table.segments) markSegment(segment, event, tests, marker);
  } finally {
    for (const test of tests) test.release();
  }
}

function markSegment(
  segment: EventSegment,
  { window }: EventTest,
  tests: readonly PreparedTest[],
  marker: Marker,
): void {
  const { from, to } = segment.placesWithin(window.from, window.to);
  if (from === to) return;
  const { arena } = segment;
  const { kernels } = arena;
  const start = from & ~RUN_ALIGN_MASK;
  const count = to - start;
  const [out, next, spare] = [arena.scratchBitmap(0), arena.scratchBitmap(1), arena.scratchBitmap(2)];
  const run = {
    arena,
    kind: segment.kind,
    width: segment.width,
    valuesAt: segment.valuesAt + start * bytesPerValue(segment),
    validityAt: 0,
    rowCount: count,
    presentCount: count,
    ...boundsOf(segment),
  };
  kernels.fill(count, out);
  for (const test of tests) {
    const selected = test.select(run, next, spare);
    if (selected === 0) return;
    if (selected < count) kernels.and(out, next, count, out);
  }
  arena.u8.fill(0, out, out + ((from - start) >> 3));
  if (from > start) arena.u8[out + ((from - start) >> 3)] &= 0xff << ((from - start) & 7);
  if (!segment.sealed && (window.from > segment.dateMin || window.to < segment.dateMax)) {
    const low = Math.max(window.from, segment.dateMin);
    const high = Math.min(window.to, segment.dateMax);
    kernels.rangeU32(segment.datesAt + start * 4, count, low, high, next);
    kernels.and(out, next, count, out);
  }
  const selection = arena.scratchSelection;
  const selected = kernels.gatherU32(out, count, segment.rowsAt + start * 4, selection);
  marker.markAll(arena.u32, selection >> 2, (selection >> 2) + selected);
}

/** What values of the segment's width can be: events keep no zone map of their values. */
function boundsOf({ kind, width }: EventSegment): { min: number; max: number } {
  if (kind !== 'i64' || width === 8) return { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };
  const half = 2 ** (width * 8 - 1);
  return { min: -half, max: half - 1 };
}

function bytesPerValue(segment: EventSegment): number {
  return valueBytes(segment.kind, segment.width, 1);
}

/** The bitmap of one entity segment out of a shard-wide one. */
export function segmentPart(bitmap: Uint8Array, segmentIndex: number, rowCount: number): Uint8Array {
  const from = segmentIndex * BITMAP_BYTES;
  return bitmap.subarray(from, from + bitmapBytes(rowCount));
}
