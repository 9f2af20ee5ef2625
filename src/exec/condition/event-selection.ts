/**
 * Selects the events of one event column that lie in a window and pass tests on their value, segment by segment.
 * Invariants  kernels run over a range that starts at a multiple of 128, so that bitmaps and vectors are aligned. The
 *             events' entities are not checked: events of deleted entities are included.
 */
import type { EventTest } from '../../ir/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import { type DimensionShard, type EventSegment, type EventTable, valueBytes } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import type { ColumnRun } from './run.js';
import { NO_ROWS, type SelectedRows } from './selected-rows.js';
import { PreparedTest } from './value-test.js';

/** The start of a kernel's run is a multiple of this mask plus 1. */
const RUN_ALIGN_MASK = 127;

/** The selected events of one segment; a bitmap is in scratch bitmap 0 of the segment's arena. */
export type SelectedEvents = SelectedRows;

/** `release` must be called at the end. */
export class EventSelection {
  /** undefined = the shard has no event of the column. */
  readonly table: EventTable | undefined;
  readonly #event: EventTest;
  readonly #tests: readonly PreparedTest[];

  /** Throws 9006. */
  constructor(shard: DimensionShard, event: EventTest, run: QueryRun) {
    this.table = shard.events.get(event.columnId);
    this.#event = event;
    const dictionary = shard.dictionaries.get(event.columnId);
    this.#tests = event.tests.map((test) => new PreparedTest(test, dictionary, run));
  }

  /** Whether `select` may find events; writes nothing. */
  mayMatch(segment: EventSegment): boolean {
    const { from, to } = segment.rangeWithin(this.#event.window.from, this.#event.window.to);
    return from < to;
  }

  /** Calls `visit` with each code of a column of strings whose events pass all tests. Codes end before `codeCount`. */
  eachPassingCode(codeCount: number, visit: (code: number) => void): void {
    const [first, ...others] = this.#tests;
    if (first === undefined) {
      for (let code = 1; code < codeCount; code++) visit(code);
      return;
    }
    first.eachPassingCode((code) => {
      if (others.every((test) => test.holdsFor('code', code, 0) !== test.negated)) visit(code);
    });
  }

  /**
   * Selects events of the segment. Overwrites scratch bitmaps 0 to 2 of its arena; the result is valid until the next
   * call. Throws 9006.
   */
  select(segment: EventSegment): SelectedEvents {
    const { window } = this.#event;
    const { from, to } = segment.rangeWithin(window.from, window.to);
    if (from === to) return NO_ROWS;
    const { arena } = segment;
    const { kernels } = arena;
    const start = from & ~RUN_ALIGN_MASK;
    const capacity = to - start;
    const [out, next, spare] = [arena.scratchBitmap(0), arena.scratchBitmap(1), arena.scratchBitmap(2)];
    let isRange = true;
    let count = capacity;
    if (this.#tests.length > 0) {
      const run = runOf(segment, start, capacity);
      for (const test of this.#tests) {
        const selected = test.select(run, isRange ? out : next, spare);
        if (selected === 0) return NO_ROWS;
        if (selected === capacity) continue;
        count = isRange ? selected : kernels.and(out, next, capacity, out);
        isRange = false;
      }
    }
    count -= isRange ? from - start : clearHead(arena.u8, out, from - start);
    if (!segment.sealed && (window.from > segment.dateMin || window.to < segment.dateMax)) {
      const low = Math.max(window.from, segment.dateMin);
      const high = Math.min(window.to, segment.dateMax);
      const within = kernels.rangeU32(segment.datesAt + start * 4, capacity, low, high, isRange ? out : next);
      if (within < capacity) {
        count = isRange ? within : kernels.and(out, next, capacity, out);
        isRange = false;
      }
    }
    return count === 0 ? NO_ROWS : { from, to, count, isRange, start, bitmapAt: out };
  }

  /**
   * The segments with selected events of entities whose rows are set in `rows` (null = all). The events are valid until
   * the next segment. Throws 9005, 9006.
   */
  *ofRows(
    rows: Uint8Array | null,
    run: QueryRun,
  ): Generator<{
    readonly index: number;
    readonly segment: EventSegment;
    readonly selected: SelectedEvents;
  }> {
    for (const [index, segment] of (this.table?.segments ?? []).entries()) {
      run.check();
      if (!this.mayMatch(segment)) continue;
      const selected = eventsOfRows(segment, this.select(segment), rows);
      if (selected.count > 0) yield { index, segment, selected };
    }
  }

  /** Releases the memory of the tests. */
  release(): void {
    for (const test of this.#tests) test.release();
  }
}

/**
 * Narrows the selected events to events whose entity's row is set in `rows`, a bitmap over the shard's rows as returned
 * by EntitySelection.bitmap; null = all. Overwrites the bitmap of the events.
 */
export function eventsOfRows(
  segment: EventSegment,
  events: SelectedEvents,
  rows: Uint8Array | null,
): SelectedEvents {
  if (rows === null || events.count === 0) return events;
  const { u32 } = segment.arena;
  const { from, to, start, isRange, bitmapAt } = events;
  const rowsAt = segment.rowsAt >> 2;
  const words = bitmapAt >> 2;
  const end = bitmapBytes(to - start) >> 2;
  let count = 0;
  for (let word = 0; word < end; word++) {
    const base = start + word * 32;
    let selectedCount = 0;
    if (isRange) {
      for (let segmentRow = Math.max(base, from); segmentRow < Math.min(base + 32, to); segmentRow++) {
        const row = u32[rowsAt + segmentRow];
        const bit = (rows[row >>> 3] >> (row & 7)) & 1;
        selectedCount |= bit << (segmentRow & 31);
        count += bit;
      }
    } else {
      for (let bits = u32[words + word]; bits !== 0; bits &= bits - 1) {
        const lowest = bits & -bits;
        const row = u32[rowsAt + base + 31 - Math.clz32(lowest)];
        if (((rows[row >>> 3] >> (row & 7)) & 1) === 0) continue;
        selectedCount |= lowest;
        count++;
      }
    }
    u32[words + word] = selectedCount;
  }
  if (count === 0) return NO_ROWS;
  return { ...events, count, isRange: false };
}

/** The entity rows of the selected events, in event order: a view, valid until the next selection. */
export function rowsOfEvents(segment: EventSegment, events: SelectedEvents): Uint32Array {
  return gathered(segment, segment.rowsAt, events);
}

/** The dates of the selected events, in event order. Rows and dates share a buffer unless `events.isRange`. */
export function datesOfEvents(segment: EventSegment, events: SelectedEvents): Uint32Array {
  return gathered(segment, segment.datesAt, events);
}

function gathered({ arena }: EventSegment, at: number, events: SelectedEvents): Uint32Array {
  const { u32, kernels } = arena;
  if (events.isRange) return u32.subarray((at >> 2) + events.from, (at >> 2) + events.to);
  const { start, to, bitmapAt } = events;
  const out = arena.scratchSelection;
  const count = kernels.gatherU32(bitmapAt, to - start, at + start * 4, out);
  return u32.subarray(out >> 2, (out >> 2) + count);
}

/** The values of `count` events from `start` on. */
function runOf(segment: EventSegment, start: number, count: number): ColumnRun {
  const { arena, kind, width } = segment;
  return {
    arena,
    kind,
    width,
    valuesAt: segment.valuesAt + start * valueBytes(kind, width, 1),
    validityAt: 0,
    rowCount: count,
    presentCount: count,
    ...boundsOf(segment),
  };
}

/** The range of values of the segment's width, because events have no zone map of their values. */
function boundsOf({ kind, width }: EventSegment): { min: number; max: number } {
  if (kind !== 'i64' || width === 8) return { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };
  const half = 2 ** (width * 8 - 1);
  return { min: -half, max: half - 1 };
}

/** Clears the first `bits` bits, fewer than 128, of the bitmap at byte `at`; returns how many were set. */
function clearHead(u8: Uint8Array, at: number, bits: number): number {
  let cleared = 0;
  for (let bit = 0; bit < bits; bit += 8) {
    const byte = at + (bit >> 3);
    const mask = bits - bit >= 8 ? 0xff : (1 << (bits - bit)) - 1;
    for (let set = u8[byte] & mask; set !== 0; set &= set - 1) cleared++;
    u8[byte] &= ~mask;
  }
  return cleared;
}
