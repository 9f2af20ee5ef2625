/**
 * The entities of a shard with enough matching events, retained for the next use of a segment: only the events that were stored
 * since then are tested, and those that left or entered windows which have moved, as those of "the last 7 days" do.
 * Invariant  the bitmap equals that of `entitiesWithEvents`. Segments whose events were moved, removed or recoded, as when they are
 *            sealed or expire, make it be computed anew.
 * Memory     one bit per row, and a count of two bytes per row if several events are needed or a window has moved.
 */
import { SEGMENT_ROWS_MAX } from '../../base/index.js';
import type { EventTest, Window } from '../../ir/index.js';
import { BITMAP_BYTES, type DimensionShard, type EventSegment } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { entitiesWithEvents } from './event-leaf.js';
import { EventSelection, type SelectedEvents } from './event-selection.js';

const COUNT_MAX = 0xffff;
/** Once so many bytes are retained for a segment, its other event conditions are computed for every use. */
const BYTES_MAX = 16 * 2 ** 20;

/** A segment of events as it was, and how many of its events were tested. */
interface TestedSegment {
  readonly segment: EventSegment;
  readonly revision: number;
  readonly eventCount: number;
}

/** The events of one test that were counted. */
interface TestedEvents {
  readonly window: Window;
  readonly segments: readonly TestedSegment[];
}

export class EventMembers {
  readonly #minfreq: number;
  #bitmap = new Uint8Array(0);
  #counts: Uint16Array | null = null;
  /** By test; null = the bitmap is not valid. */
  #tested: readonly TestedEvents[] | null = null;
  /** Whether an entity has more events than can be counted. */
  #isFull = false;

  constructor(minfreq: number) {
    this.#minfreq = minfreq;
  }

  get bytes(): number {
    return this.#bitmap.byteLength + (this.#counts?.byteLength ?? 0);
  }

  /**
   * The entities with at least `minfreq` events that pass any of `events`, which are those of the last use but for their
   * windows. The bitmap is valid until the next use. Throws 9005, 9006.
   */
  current(shard: DimensionShard, events: readonly EventTest[], run: QueryRun): Uint8Array {
    const before = this.#tested;
    // What is computed when an error is thrown is not valid.
    this.#tested = null;
    if (this.#isFull) return entitiesWithEvents(shard, events, this.#minfreq, run);
    const isMoved = events.some(({ window }, at) => before !== null && !isEqual(window, before[at].window));
    const isUsable =
      before !== null &&
      (!isMoved || this.#counts !== null) &&
      events.every(({ columnId }, at) => isPrefix(before[at].segments, segmentsOf(shard, columnId)));
    if (!isUsable) this.#clear(isMoved);
    this.#reserve(shard.segments.length);
    events.forEach((event, at) => {
      this.#update(shard, event, isUsable ? before[at] : null, run);
    });
    if (this.#isFull) {
      this.#clear(false);
      return entitiesWithEvents(shard, events, this.#minfreq, run);
    }
    this.#tested = events.map(({ columnId, window }) => ({
      window,
      segments: segmentsOf(shard, columnId).map((segment) => {
        return { segment, revision: segment.revision, eventCount: segment.eventCount };
      }),
    }));
    return this.#bitmap;
  }

  #clear(isMoved: boolean): void {
    const hasCounts = isMoved || this.#counts !== null || this.#minfreq > 1;
    this.#bitmap = new Uint8Array(0);
    this.#counts = hasCounts && !this.#isFull ? new Uint16Array(0) : null;
  }

  /** Reserves capacity for the rows of so many segments. */
  #reserve(segmentCount: number): void {
    if (this.#bitmap.length >= segmentCount * BITMAP_BYTES) return;
    const bitmap = new Uint8Array(segmentCount * BITMAP_BYTES);
    bitmap.set(this.#bitmap);
    this.#bitmap = bitmap;
    if (this.#counts === null) return;
    const counts = new Uint16Array(segmentCount * SEGMENT_ROWS_MAX);
    counts.set(this.#counts);
    this.#counts = counts;
  }

  /** Counts the events behind those of `before`, and what moved in or out of the window among those. */
  #update(shard: DimensionShard, event: EventTest, before: TestedEvents | null, run: QueryRun): void {
    const segments = segmentsOf(shard, event.columnId);
    const tested = before?.segments ?? [];
    const firstOpen = Math.max(tested.length - 1, 0);
    this.#countEvents(shard, event, run, (select) => {
      for (let at = firstOpen; at < segments.length; at++) {
        const from = tested[at]?.eventCount ?? 0;
        if (from < segments[at].eventCount) select(segments[at], from, segments[at].eventCount, 1);
      }
    });
    if (before === null || isEqual(before.window, event.window)) return;
    const changes = [
      ...differencesOf(before.window, event.window).map((window) => ({ window, step: -1 })),
      ...differencesOf(event.window, before.window).map((window) => ({ window, step: 1 })),
    ];
    for (const { window, step } of changes) {
      this.#countEvents(shard, { ...event, window }, run, (select) => {
        for (const { segment, eventCount } of tested) select(segment, 0, eventCount, step);
      });
    }
  }

  /** Calls `each` with a function that counts the matching events [from, to) of a segment. */
  #countEvents(
    shard: DimensionShard,
    event: EventTest,
    run: QueryRun,
    each: (select: (segment: EventSegment, from: number, to: number, step: number) => void) => void,
  ): void {
    const selection = new EventSelection(shard, event, run);
    try {
      each((segment, from, to, step) => {
        if (!selection.mayMatch(segment)) return;
        run.check();
        this.#mark(segment, selection.select(segment), from, to, step);
      });
    } finally {
      selection.release();
    }
  }

  #mark(segment: EventSegment, selected: SelectedEvents, from: number, to: number, step: number): void {
    if (selected.count === 0) return;
    const { u32 } = segment.arena;
    const rowsAt = segment.rowsAt >> 2;
    const [first, end] = [Math.max(from, selected.from), Math.min(to, selected.to)];
    if (selected.isRange) {
      for (let event = first; event < end; event++) this.#count(u32[rowsAt + event], step);
      return;
    }
    const { start } = selected;
    const words = selected.bitmapAt >> 2;
    for (let base = start + ((first - start) & ~31); base < end; base += 32) {
      for (let bits = u32[words + ((base - start) >> 5)]; bits !== 0; bits &= bits - 1) {
        const event = base + 31 - Math.clz32(bits & -bits);
        if (event >= first && event < end) this.#count(u32[rowsAt + event], step);
      }
    }
  }

  #count(row: number, step: number): void {
    const counts = this.#counts;
    const flag = 1 << (row & 7);
    if (counts === null) {
      this.#bitmap[row >>> 3] |= flag;
      return;
    }
    const count = counts[row] + step;
    if (count > COUNT_MAX) this.#isFull = true;
    counts[row] = count;
    if (count >= this.#minfreq) this.#bitmap[row >>> 3] |= flag;
    else this.#bitmap[row >>> 3] &= ~flag;
  }
}

const segmentsOf = (shard: DimensionShard, columnId: number): readonly EventSegment[] =>
  shard.events.get(columnId)?.segments ?? [];

const isEqual = (a: Window, b: Window): boolean => a.from === b.from && a.to === b.to;

/** Whether the segments begin with the tested ones, which have their events still, and only the last of them has more. */
const isPrefix = (tested: readonly TestedSegment[], segments: readonly EventSegment[]): boolean =>
  tested.every(
    ({ segment, revision, eventCount }, at) =>
      segment === segments[at] &&
      revision === segment.revision &&
      (at === tested.length - 1 || eventCount === segment.eventCount),
  );

/** The parts of a window, both of whose ends are in it, that are not in another. */
function differencesOf(window: Window, other: Window): readonly Window[] {
  return [
    { from: window.from, to: Math.min(window.to, other.from - 1) },
    { from: Math.max(window.from, other.to + 1), to: window.to },
  ].filter(({ from, to }) => from <= to);
}

/** The entities of the event conditions of a segment: those of the last use, as far as this use takes them. */
export class RetainedEvents {
  /** By their conditions without windows, in the order of their use. */
  readonly #taken = new Map<string, readonly EventMembers[]>();
  readonly #before: ReadonlyMap<string, readonly EventMembers[]>;

  constructor(before: RetainedEvents | null) {
    this.#before = before === null ? new Map() : before.#taken;
  }

  get bytes(): number {
    let bytes = 0;
    for (const all of this.#taken.values()) for (const one of all) bytes += one.bytes;
    return bytes;
  }

  /** Like `entitiesWithEvents`. The bitmap is valid until the next use. Throws 9005, 9006. */
  entities(shard: DimensionShard, events: readonly EventTest[], minfreq: number, run: QueryRun): Uint8Array {
    const text = JSON.stringify([minfreq, events], withoutWindows);
    const taken = this.#taken.get(text) ?? [];
    const known = this.#before.get(text)?.[taken.length];
    if (known === undefined && this.bytes >= BYTES_MAX) {
      return entitiesWithEvents(shard, events, minfreq, run);
    }
    const members = known ?? new EventMembers(minfreq);
    this.#taken.set(text, [...taken, members]);
    return members.current(shard, events, run);
  }
}

const withoutWindows = (key: string, value: unknown): unknown => {
  if (key === 'window') return undefined;
  return typeof value === 'bigint' ? String(value) : value;
};
