/**
 * Event conditions over a dimension's shard: which entities have at least `minfreq` matching events.
 * Invariants: the result is one bit per entity row of the shard, in runs of BITMAP_BYTES per entity segment.
 */
import type { EventTest } from '../../ir/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import { BITMAP_BYTES, type DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { EventSelection, rowsOfEvents } from './event-selection.js';

/** Counts matching events per entity and marks the entities that reach `minfreq`. */
class Marker {
  readonly bitmap: Uint8Array;
  readonly #minfreq: number;
  readonly #counts: Uint16Array | null;

  constructor(segmentCount: number, rowEnd: number, minfreq: number) {
    this.bitmap = new Uint8Array(segmentCount * BITMAP_BYTES);
    this.#minfreq = minfreq;
    this.#counts = minfreq === 1 ? null : new Uint16Array(rowEnd);
  }

  markAll(rows: Uint32Array): void {
    const { bitmap } = this;
    const counts = this.#counts;
    if (counts === null) {
      for (let at = 0; at < rows.length; at++) bitmap[rows[at] >>> 3] |= 1 << (rows[at] & 7);
      return;
    }
    const minfreq = this.#minfreq;
    for (let at = 0; at < rows.length; at++) {
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
  run: QueryRun,
): Uint8Array {
  const { segments, rowEnd } = shard;
  run.take(segments.length * BITMAP_BYTES + (minfreq === 1 ? 0 : rowEnd * 2));
  const marker = new Marker(segments.length, rowEnd, minfreq);
  for (const event of events) markMatches(shard, event, marker, run);
  return marker.bitmap;
}

function markMatches(shard: DimensionShard, event: EventTest, marker: Marker, run: QueryRun): void {
  const events = new EventSelection(shard, event, run);
  try {
    for (const segment of events.table?.segments ?? []) {
      run.check();
      const selected = events.select(segment);
      if (selected.count > 0) marker.markAll(rowsOfEvents(segment, selected));
    }
  } finally {
    events.release();
  }
}

/** The bitmap of one entity segment out of a shard-wide one. */
export function segmentPart(bitmap: Uint8Array, segmentIndex: number, rowCount: number): Uint8Array {
  const from = segmentIndex * BITMAP_BYTES;
  return bitmap.subarray(from, from + bitmapBytes(rowCount));
}
