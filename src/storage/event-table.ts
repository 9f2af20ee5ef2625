/**
 * The events of one event column in one shard, in segments.
 * Invariants: events are appended to the last segment; a full segment is sealed, that is, sorted by date, so a window in it is a
 * range found by bisection; only the last segment may be unsorted. Only a new last segment may be empty.
 */
import { SEGMENT_ROWS_MAX } from '../base/index.js';
import type { ValueKind } from '../schema/index.js';
import type { ArenaPool } from './arena.js';
import { EventSegment } from './event-segment.js';

export class EventTable {
  readonly columnId: number;
  readonly kind: ValueKind;
  readonly segments: EventSegment[] = [];
  readonly #pool: ArenaPool;

  constructor(pool: ArenaPool, columnId: number, kind: ValueKind) {
    this.#pool = pool;
    this.columnId = columnId;
    this.kind = kind;
  }

  /** Returns the segment for the next event; seals the previous one when it is full. */
  tail(): EventSegment {
    const last = this.segments.at(-1);
    if (last === undefined || last.sealed) return this.addSegment();
    if (last.eventCount < SEGMENT_ROWS_MAX) return last;
    last.snapshot.beforeChange();
    last.seal();
    return this.addSegment();
  }

  /** Adds a last segment with the width of the previous one, because its values will be similar. */
  addSegment(number = (this.segments.at(-1)?.number ?? -1) + 1): EventSegment {
    const last = this.segments.at(-1);
    const segment = new EventSegment(this.#pool, last?.arena ?? null, this.kind, last?.width ?? 1, number);
    this.segments.push(segment);
    return segment;
  }

  get eventCount(): number {
    return this.segments.reduce((sum, segment) => sum + segment.eventCount, 0);
  }

  /** The date of the oldest event, seconds since 1970-01-01; Infinity if there is none. */
  get oldest(): number {
    return this.segments.reduce(
      (least, segment) => (segment.eventCount === 0 ? least : Math.min(least, segment.dateMin)),
      Number.POSITIVE_INFINITY,
    );
  }

  /** Removes the events that are older than `before`, in seconds; returns whether there were any. */
  expire(before: number): boolean {
    let some = false;
    for (const segment of [...this.segments]) {
      if (segment.eventCount > 0 && segment.dateMax < before) {
        this.#remove(segment);
        some = true;
      } else if (segment.expire(before)) some = true;
    }
    return some;
  }

  /** Moves every event from entity row r to rows[r]; removes events whose new row is DEAD_ROW. */
  remap(rows: Uint32Array): void {
    for (const segment of [...this.segments]) {
      segment.remap(rows);
      if (segment.eventCount === 0) this.#remove(segment);
    }
  }

  /** A running checkpoint keeps the segment as it was. */
  #remove(segment: EventSegment): void {
    segment.snapshot.beforeChange();
    segment.release();
    this.segments.splice(this.segments.indexOf(segment), 1);
  }

  /** Frees all memory; pending checkpoint copies are cancelled. */
  release(): void {
    for (const segment of this.segments) {
      segment.snapshot.forget();
      segment.release();
    }
  }

  /** Frees all memory; a running checkpoint keeps the segments as they were. */
  drop(): void {
    for (const segment of [...this.segments]) this.#remove(segment);
  }
}
