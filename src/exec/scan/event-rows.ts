/**
 * Sorts the events of a shard that pass a test by the rows of their entities; events of one entity keep their stored
 * order.
 * A counting sort over a range of event segments, or over all of them.
 */
import { grownWithin, type MemoryAccount, SEGMENT_ROWS_MAX, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { EventTest } from '../../ir/index.js';
import type { DimensionShard, EventSegment } from '../../storage/index.js';
import {
  EventSelection,
  eventsOfRows,
  rowsOfEvents,
  type SelectedEvents,
} from '../condition/event-selection.js';
import { listSelectedRows } from '../condition/selected-rows.js';
import type { QueryRun } from '../query-run.js';

/** Events, ordered by their entities' rows. */
export interface SortedEvents {
  /** Each event as segment << 16 | row in the segment. */
  readonly events: Uint32Array;
  /** The events of entity row r are [ends[r - 1], ends[r]); ends[-1] is 0. */
  readonly ends: Uint32Array;
}

export class EventRows {
  readonly #shard: DimensionShard;
  readonly #event: EventTest;
  readonly #account: MemoryAccount;
  readonly #run: QueryRun;
  #ends = new Uint32Array(0);
  #events = new Uint32Array(0);

  /** `release` must be called at the end. */
  constructor(shard: DimensionShard, event: EventTest, run: QueryRun) {
    this.#shard = shard;
    this.#event = event;
    this.#run = run;
    this.#account = run.child();
  }

  /** Number of event segments. */
  get segmentCount(): number {
    return this.#shard.events.get(this.#event.columnId)?.segments.length ?? 0;
  }

  /**
   * The events of event segments [from, to) whose entities are set in `rows`, a bitmap over the shard's rows (null =
   * all). Valid until the next call. Throws 9005, 9006.
   */
  sorted(from: number, to: number, rows: Uint8Array | null): SortedEvents {
    const { rowEnd } = this.#shard;
    if (this.#ends.length < rowEnd) this.#ends = this.#account.u32(rowEnd);
    else this.#ends.fill(0);
    // The query holds no arena memory between parts: see SegmentRows.
    const before = this.#run.reservedBytes - this.#account.reservedBytes;
    const selection = new EventSelection(this.#shard, this.#event, this.#run);
    try {
      return this.#sorted(passing(selection, from, to, rows, this.#run));
    } finally {
      selection.release();
      this.#run.release(this.#run.reservedBytes - this.#account.reservedBytes - before);
    }
  }

  #sorted(each: EachSegment): SortedEvents {
    const ends = this.#ends;
    let count = 0;
    each((segment, selected) => {
      countRows(rowsOfEvents(segment, selected), ends);
      count += selected.count;
    });
    countsToStarts(ends);
    this.#events = grownWithin(this.#account, this.#events, count);
    const events = this.#events;
    const segmentRows = new Uint32Array(SEGMENT_ROWS_MAX);
    each((segment, selected, index) => {
      const own = listSelectedRows(segment.arena, selected, segmentRows);
      scatterEvents(
        rowsOfEvents(segment, selected),
        segmentRows,
        own,
        index * 2 ** SEGMENT_ROWS_SHIFT,
        ends,
        events,
      );
    });
    return { events: events.subarray(0, count), ends };
  }

  release(): void {
    this.#account.releaseAll();
  }
}

type UseSegment = (segment: EventSegment, selected: SelectedEvents, index: number) => void;
type EachSegment = (use: UseSegment) => void;

/** Iterates the selected events of segments [from, to) whose entities are set in `rows`, segment by segment. */
function passing(
  selection: EventSelection,
  from: number,
  to: number,
  rows: Uint8Array | null,
  run: QueryRun,
): EachSegment {
  const segments = selection.table?.segments ?? [];
  return (use) => {
    for (let index = from; index < Math.min(to, segments.length); index++) {
      run.check();
      const segment = segments[index];
      const selected = eventsOfRows(segment, selection.select(segment), rows);
      if (selected.count > 0) use(segment, selected, index);
    }
  };
}

function countRows(rows: Uint32Array, counts: Uint32Array): void {
  for (let at = 0; at < rows.length; at++) counts[rows[at]]++;
}

/** Replaces each row's event count with the position of its first event. */
function countsToStarts(counts: Uint32Array): void {
  let start = 0;
  for (let row = 0; row < counts.length; row++) {
    const count = counts[row];
    counts[row] = start;
    start += count;
  }
}

/**
 * Writes events to their rows' ranges. starts[row] is the row's next position; after the last event it is the end of
 * the row's range.
 */
function scatterEvents(
  rows: Uint32Array,
  segmentRows: Uint32Array,
  count: number,
  base: number,
  starts: Uint32Array,
  events: Uint32Array,
): void {
  for (let at = 0; at < count; at++) events[starts[rows[at]]++] = base + segmentRows[at];
}
