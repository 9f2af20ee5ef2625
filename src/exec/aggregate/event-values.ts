/**
 * Scans the values of the events in a window as distinct entries (row, value number).
 * Events are counted by value and sorted by value (counting sort). Then, value by value, their rows are marked in one
 * bitmap, which detects a row's second event of the same value, and the marks are cleared. At most `batchMax` events
 * are sorted at a time; if there are more, they are scanned again for each run of values. Memory is a few bits per
 * row, one count per value, and the batch.
 */
import { grownWithin, type MemoryAccount } from '../../base/index.js';
import type { EventTest } from '../../ir/index.js';
import type { DimensionShard, EventSegment } from '../../storage/index.js';
import { EventSelection, type SelectedEvents } from '../condition/event-selection.js';
import { setBits } from '../condition/set-bits.js';
import type { QueryRun } from '../query-run.js';
import { dropAbsent, type EntrySink } from './entries.js';
import type { Numbering } from './numbering.js';
import type { RowFilter } from './row-filter.js';
import { viewOf } from './value-view.js';

/** The largest number of events that are sorted at a time. */
const EVENT_BATCH_MAX = 2 ** 22;

/** Calls `sink` with every entry, in batches of at most SEGMENT_ROWS_MAX. Throws 9005 and 9006. */
export function eachEventValue(
  shard: DimensionShard,
  event: EventTest,
  filter: RowFilter,
  numbering: Numbering,
  memory: MemoryAccount,
  run: QueryRun,
  sink: EntrySink,
  batchMax: number = EVENT_BATCH_MAX,
): void {
  if (shard.events.get(event.columnId) === undefined) return;
  const events = new EventSelection(shard, event, run);
  try {
    new EventScan(shard, events, filter, numbering, memory, run, sink, batchMax).run();
  } finally {
    events.release();
  }
}

class EventScan {
  readonly #events: EventSelection;
  readonly #numbering: Numbering;
  readonly #memory: MemoryAccount;
  readonly #run: QueryRun;
  readonly #sink: EntrySink;
  readonly #batchMax: number;
  readonly #owners: Uint8Array | null;
  /** One bit per row; all bits are clear between two values. */
  readonly #marks: Uint32Array;
  readonly #segmentRows: Uint32Array;
  readonly #rows: Uint32Array;
  readonly #numbers: Uint32Array;
  /** Number of events by value number. */
  #counts: Uint32Array<ArrayBuffer>;

  constructor(
    shard: DimensionShard,
    events: EventSelection,
    filter: RowFilter,
    numbering: Numbering,
    memory: MemoryAccount,
    run: QueryRun,
    sink: EntrySink,
    batchMax: number,
  ) {
    this.#events = events;
    this.#numbering = numbering;
    this.#memory = memory;
    this.#run = run;
    this.#sink = sink;
    this.#batchMax = batchMax;
    this.#owners = filter.bitmap;
    this.#marks = memory.u32((shard.rowEnd + 31) >>> 5);
    const segments = events.table?.segments ?? [];
    const longest = segments.reduce((most, { eventCount }) => Math.max(most, eventCount), 0);
    [this.#segmentRows, this.#rows, this.#numbers] = [0, 1, 2].map(() => memory.u32(longest));
    this.#counts = memory.u32(numbering.count);
  }

  run(): void {
    const batch = new EntryBuffer(this.#memory, this.#batchMax);
    let total = 0;
    this.#each((rows, numbers, count) => {
      this.#counts = grownWithin(this.#memory, this.#counts, this.#numbering.count);
      const counts = this.#counts;
      for (let at = 0; at < count; at++) counts[numbers[at]]++;
      total += count;
      batch.append(rows, numbers, count);
    });
    const { count } = this.#numbering;
    if (batch.isWhole) {
      const sorter = new ValueSorter(this.#memory, this.#counts, 0, count, total);
      sorter.add(batch.rows, batch.numbers, total);
      batch.release();
      this.#emit(sorter);
      return;
    }
    this.#counts = grownWithin(this.#memory, this.#counts, count);
    for (let from = 0, to = 0; from < count; from = to) {
      let events = this.#counts[to++];
      while (to < count && events + this.#counts[to] <= this.#batchMax) events += this.#counts[to++];
      if (events > this.#batchMax) this.#emitOne(from);
      else if (events > 0) this.#emitRun(from, to, events);
    }
  }

  /** Scans every event of the filter's rows that has a value number. */
  #each(sink: EntrySink): void {
    for (const segment of this.#events.table?.segments ?? []) {
      this.#run.check();
      const selected = this.#events.select(segment);
      if (selected.count === 0) continue;
      const rows = this.#rows;
      const count = this.#gather(segment, selected);
      if (count === 0) continue;
      const numbering = this.#numbering;
      numbering.number(viewOf(segment, segment.eventCount), this.#segmentRows, count, this.#numbers);
      const left = numbering.isPartial ? dropAbsent(rows, this.#numbers, count) : count;
      if (left > 0) sink(rows, this.#numbers, left);
    }
  }

  /** Writes the positions and rows of the selected events whose rows pass the filter; returns their number. */
  #gather(
    { arena, rowsAt }: EventSegment,
    { isRange, from, to, start, bitmapAt, count }: SelectedEvents,
  ): number {
    const segmentRows = this.#segmentRows;
    if (isRange)
      for (let segmentRow = from, at = 0; segmentRow < to; segmentRow++) segmentRows[at++] = segmentRow;
    else setBits(arena.i32, bitmapAt >> 2, to - start, start, segmentRows);
    const rows = this.#rows;
    const words = arena.u32;
    const wordsAt = rowsAt >> 2;
    const owners = this.#owners;
    if (owners === null) {
      for (let at = 0; at < count; at++) rows[at] = words[wordsAt + segmentRows[at]];
      return count;
    }
    let selectedCount = 0;
    for (let at = 0; at < count; at++) {
      const segmentRow = segmentRows[at];
      const row = words[wordsAt + segmentRow];
      rows[selectedCount] = row;
      segmentRows[selectedCount] = segmentRow;
      selectedCount += (owners[row >>> 3] >> (row & 7)) & 1;
    }
    return selectedCount;
  }

  /** Emits values [from, to), which have `events` events in total. */
  #emitRun(from: number, to: number, events: number): void {
    const sorter = new ValueSorter(this.#memory, this.#counts, from, to, events);
    this.#each((rows, numbers, count) => sorter.add(rows, numbers, count));
    this.#emit(sorter);
  }

  /** Emits one value with any number of events. */
  #emitOne(wanted: number): void {
    const marks = this.#marks;
    this.#each((rows, numbers, count) => {
      let selectedCount = 0;
      for (let at = 0; at < count; at++) {
        if (numbers[at] !== wanted || !mark(marks, rows[at])) continue;
        rows[selectedCount] = rows[at];
        numbers[selectedCount++] = wanted;
      }
      if (selectedCount > 0) this.#sink(rows, numbers, selectedCount);
    });
    marks.fill(0);
  }

  #emit(sorter: ValueSorter): void {
    const marks = this.#marks;
    const rows = this.#rows;
    const numbers = this.#numbers;
    const { sorted } = sorter;
    let filled = 0;
    for (let number = sorter.from; number < sorter.to; number++) {
      const { start, end } = sorter.spanOf(number);
      for (let at = start; at < end; at++) {
        const row = sorted[at];
        if (end - start > 1 && !mark(marks, row)) continue;
        rows[filled] = row;
        numbers[filled++] = number;
        if (filled < rows.length) continue;
        this.#run.check();
        this.#sink(rows, numbers, filled);
        filled = 0;
      }
      if (end - start > 1) for (let at = start; at < end; at++) marks[sorted[at] >>> 5] = 0;
    }
    if (filled > 0) this.#sink(rows, numbers, filled);
    sorter.release();
  }
}

/** Marks the row; returns false if it was already marked. */
function mark(marks: Uint32Array, row: number): boolean {
  const word = row >>> 5;
  const bit = 1 << (row & 31);
  const before = marks[word];
  marks[word] = before | bit;
  return (before & bit) === 0;
}

/** Sorts the rows of the events of values [from, to) by value. */
class ValueSorter {
  readonly from: number;
  readonly to: number;
  readonly sorted: Uint32Array<ArrayBuffer>;
  readonly #memory: MemoryAccount;
  /** By value: the position of its next row, finally the end of its rows. */
  readonly #ends: Uint32Array<ArrayBuffer>;

  constructor(memory: MemoryAccount, counts: Uint32Array, from: number, to: number, events: number) {
    this.from = from;
    this.to = to;
    this.#memory = memory;
    this.sorted = memory.u32(events);
    this.#ends = memory.u32(to - from);
    for (let number = from, start = 0; number < to; number++) {
      this.#ends[number - from] = start;
      start += counts[number];
    }
  }

  /** Adds the entries of its values and ignores others. */
  add(rows: Uint32Array, numbers: Uint32Array, count: number): void {
    const { from, to, sorted } = this;
    const ends = this.#ends;
    for (let at = 0; at < count; at++) {
      const number = numbers[at];
      if (number >= from && number < to) sorted[ends[number - from]++] = rows[at];
    }
  }

  /** After all events were added: the value's range in `sorted`. */
  spanOf(number: number): { readonly start: number; readonly end: number } {
    const at = number - this.from;
    return { start: at === 0 ? 0 : this.#ends[at - 1], end: this.#ends[at] };
  }

  release(): void {
    this.#memory.release(this.sorted.byteLength + this.#ends.byteLength);
  }
}

/** A buffer of entries in order of arrival, up to a limit. */
class EntryBuffer {
  readonly #memory: MemoryAccount;
  readonly #max: number;
  #rows: Uint32Array<ArrayBuffer>;
  #numbers: Uint32Array<ArrayBuffer>;
  #count = 0;
  #isWhole = true;

  constructor(memory: MemoryAccount, max: number) {
    this.#memory = memory;
    this.#max = max;
    [this.#rows, this.#numbers] = [memory.u32(0), memory.u32(0)];
  }

  /** Whether no entry was dropped. */
  get isWhole(): boolean {
    return this.#isWhole;
  }
  get rows(): Uint32Array {
    return this.#rows;
  }
  get numbers(): Uint32Array {
    return this.#numbers;
  }

  append(rows: Uint32Array, numbers: Uint32Array, count: number): void {
    if (!this.#isWhole) return;
    const end = this.#count + count;
    if (end > this.#max) {
      this.release();
      this.#isWhole = false;
      return;
    }
    this.#rows = grownWithin(this.#memory, this.#rows, end);
    this.#numbers = grownWithin(this.#memory, this.#numbers, end);
    this.#rows.set(rows.subarray(0, count), this.#count);
    this.#numbers.set(numbers.subarray(0, count), this.#count);
    this.#count = end;
  }

  release(): void {
    this.#memory.release(this.#rows.byteLength + this.#numbers.byteLength);
    [this.#rows, this.#numbers] = [new Uint32Array(0), new Uint32Array(0)];
  }
}
