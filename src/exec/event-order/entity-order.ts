/**
 * The events of some segments in the order of entity row and date, so that a question reads each entity's events as one range.
 * Layout  parallel arrays, 8 bytes per event and the width of its code, 4 bytes per row.
 * Cost    two passes over the events, and a sort of those of each entity that were not stored by date.
 */
import { type EventSegment, orderByDate, permute, readCodes } from '../../storage/index.js';

/** Up to so many events of an entity are sorted by insertion. */
const INSERTION_MAX = 24;
/** Rows between two checks for a stop of the query. */
const CHECK_ROWS = 65_536;

/** The memory account and the stop of the query that builds an order. */
export interface OrderRun {
  /** Throws 9006. */
  reserve(bytes: number): void;
  release(bytes: number): void;
  /** Throws 9005. */
  check(): void;
}

export type Codes = Uint8Array | Uint16Array | Uint32Array;

export class EntityOrder {
  /** The row has the events [starts[row], starts[row + 1]); rows after the last start have none. */
  readonly starts: Uint32Array;
  /** Seconds since 1970-01-01. */
  readonly dates: Uint32Array;
  /** The position of each event among those of the segments, counted through all of them. */
  readonly positions: Uint32Array;
  /** The code of each event's value; null = the column has no strings. */
  readonly codes: Codes | null;
  readonly bytes: number;
  /** The greatest number of events of one row. */
  readonly rowEventsMax: number;
  readonly segments: readonly EventSegment[];
  readonly #revisions: readonly number[];
  readonly #counts: readonly number[];

  /** Reserves `bytes` in the run. Throws 9005, 9006. */
  constructor(segments: readonly EventSegment[], rowEnd: number, run: OrderRun) {
    this.segments = segments;
    this.#revisions = segments.map(({ revision }) => revision);
    this.#counts = segments.map(({ eventCount }) => eventCount);
    const count = this.#counts.reduce((sum, own) => sum + own, 0);
    const width = segments.reduce((widest, segment) => Math.max(widest, segment.width), 1);
    const hasCodes = segments.length > 0 && segments[0].kind === 'code';
    this.bytes = count * (8 + (hasCodes ? width : 0)) + (rowEnd + 1) * 4;
    run.reserve(this.bytes);
    this.starts = new Uint32Array(rowEnd + 1);
    this.dates = new Uint32Array(count);
    this.positions = new Uint32Array(count);
    this.codes = hasCodes ? newCodes(width, count) : null;
    try {
      this.#fill(run);
    } catch (error) {
      run.release(this.bytes);
      throw error;
    }
    this.rowEventsMax = greatestStep(this.starts);
  }

  get eventCount(): number {
    return this.dates.length;
  }

  /** Whether it has the events of the first of `segments` as they are now. */
  isPrefixOf(segments: readonly EventSegment[]): boolean {
    return this.segments.every((segment, index) => {
      const { revision, eventCount } = segment;
      return (
        segment === segments[index] &&
        revision === this.#revisions[index] &&
        eventCount === this.#counts[index]
      );
    });
  }

  #fill(run: OrderRun): void {
    const { starts } = this;
    for (const segment of this.segments) {
      run.check();
      const { rows } = segment.datesAndRows(segment.eventCount);
      for (let event = 0; event < rows.length; event++) starts[rows[event] + 1]++;
    }
    for (let row = 1; row < starts.length; row++) starts[row] += starts[row - 1];
    run.reserve(starts.byteLength);
    const ends = starts.slice();
    let position = 0;
    for (const segment of this.segments) {
      run.check();
      position = this.#scatter(segment, ends, position);
    }
    run.release(starts.byteLength);
    this.#sortDates(run);
  }

  #scatter(segment: EventSegment, ends: Uint32Array, firstPosition: number): number {
    const { dates, positions, codes } = this;
    const { arena, valuesAt, width, eventCount } = segment;
    const stored = segment.datesAndRows(eventCount);
    const storedCodes = codes === null ? null : readCodes(arena, valuesAt, width, eventCount);
    let position = firstPosition;
    for (let event = 0; event < eventCount; event++) {
      const at = ends[stored.rows[event]]++;
      dates[at] = stored.dates[event];
      positions[at] = position++;
      if (codes !== null) codes[at] = (storedCodes as Codes)[event];
    }
    return position;
  }

  /** The order of equal dates stays. */
  #sortDates(run: OrderRun): void {
    const { starts, dates, positions, codes } = this;
    const columns = codes === null ? [dates, positions] : [dates, positions, codes];
    for (let row = 0; row + 1 < starts.length; row++) {
      if (row % CHECK_ROWS === 0) run.check();
      const [from, to] = [starts[row], starts[row + 1]];
      let sorted = from + 1;
      while (sorted < to && dates[sorted - 1] <= dates[sorted]) sorted++;
      if (sorted >= to) continue;
      if (to - from <= INSERTION_MAX) for (; sorted < to; sorted++) this.#insert(from, sorted);
      else sortRange(columns, from, to);
    }
  }

  #insert(from: number, at: number): void {
    const { dates, positions, codes } = this;
    const [date, position] = [dates[at], positions[at]];
    const code = codes === null ? 0 : codes[at];
    let to = at;
    for (; to > from && dates[to - 1] > date; to--) {
      dates[to] = dates[to - 1];
      positions[to] = positions[to - 1];
      if (codes !== null) codes[to] = codes[to - 1];
    }
    dates[to] = date;
    positions[to] = position;
    if (codes !== null) codes[to] = code;
  }
}

function greatestStep(starts: Uint32Array): number {
  let greatest = 0;
  for (let at = 1; at < starts.length; at++) greatest = Math.max(greatest, starts[at] - starts[at - 1]);
  return greatest;
}

function newCodes(width: number, count: number): Codes {
  if (width === 1) return new Uint8Array(count);
  return width === 2 ? new Uint16Array(count) : new Uint32Array(count);
}

/** Sorts the events [from, to) of parallel columns, whose first has the dates; the order of equal dates stays. */
export function sortRange(columns: readonly Codes[], from: number, to: number): void {
  const dates = columns[0].subarray(from, to) as Uint32Array;
  let [min, max] = [0xffffffff, 0];
  for (let at = 0; at < dates.length; at++) {
    if (dates[at] < min) min = dates[at];
    if (dates[at] > max) max = dates[at];
  }
  const order = orderByDate(dates, min, max);
  if (order !== null) for (const column of columns) permute(column, from, 1, order);
}
