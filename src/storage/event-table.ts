/**
 * The events of one event column in one shard, in segments.
 * Invariants: events are appended to the last segment; a segment that is full is sealed: sorted by date, so a window
 * in it is a range found by bisection; only the last segment may be unsorted. No segment is empty but a new last one.
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

  /** The segment that takes the next event; the one before is sealed when it is full. */
  tail(): EventSegment {
    const last = this.segments.at(-1);
    if (last === undefined || last.sealed) return this.addSegment();
    if (last.eventCount < SEGMENT_ROWS_MAX) return last;
    last.snapshot.beforeChange();
    last.seal();
    return this.addSegment();
  }

  /** A new last segment, as wide as the one before: its values will be of the same kind. */
  addSegment(number = (this.segments.at(-1)?.number ?? -1) + 1): EventSegment {
    const last = this.segments.at(-1);
    const segment = new EventSegment(this.#pool, last?.arena ?? null, this.kind, last?.width ?? 1, number);
    this.segments.push(segment);
    return segment;
  }

  get eventCount(): number {
    return this.segments.reduce((sum, segment) => sum + segment.eventCount, 0);
  }

  /** The date of the oldest event, seconds since 1970-01-01; Infinity when there is none. */
  get oldest(): number {
    return this.segments.reduce(
      (least, segment) => (segment.eventCount === 0 ? least : Math.min(least, segment.dateMin)),
      Number.POSITIVE_INFINITY,
    );
  }

  /** Takes the events away that are older than `before`, in seconds; tells whether there were any. */
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

  /** Moves every event from entity row r to rows[r]; events of rows that are DEAD_ROW there go. */
  remap(rows: Uint32Array): void {
    for (const segment of [...this.segments]) {
      segment.remap(rows);
      if (segment.eventCount === 0) this.#remove(segment);
    }
  }

  /** A checkpoint that runs keeps the segment as it was. */
  #remove(segment: EventSegment): void {
    segment.snapshot.beforeChange();
    segment.release();
    this.segments.splice(this.segments.indexOf(segment), 1);
  }

  /** Gives all memory back; copies that are due are not made any more. */
  release(): void {
    for (const segment of this.segments) {
      segment.snapshot.forget();
      segment.release();
    }
  }

  /** Gives all memory back; a checkpoint that runs keeps the segments as they were. */
  drop(): void {
    for (const segment of [...this.segments]) this.#remove(segment);
  }
}
