/**
 * The events of one event column in one shard: entity row, date and value, column by column, in segments.
 * Invariants: events are only ever appended; a segment that is full is sealed: sorted by date (stable), never
 * changed again, so a window in it is a range found by bisection; the last segment may be unsorted. Rows, dates
 * and values of a segment lie in one arena. Dates are u32 seconds since 1970-01-01.
 */
import { invariant, SEGMENT_ROWS_MAX } from '../base/index.js';
import type { ValueKind } from '../schema/index.js';
import type { Arena, ArenaPool, Block } from './arena.js';
import { SnapshotState } from './snapshot-state.js';
import {
  type StoredValues,
  valueBytes,
  type Width,
  widenInto,
  widthOfCode,
  widthOfInteger,
  widthOfValues,
  writeInteger,
  writeNarrow,
  writeValues,
} from './width.js';

const CAPACITY_MIN = 256;

export class EventSegment {
  readonly kind: ValueKind;
  readonly snapshot = new SnapshotState();
  readonly #pool: ArenaPool;
  #rows: Block;
  #dates: Block;
  #values: Block;
  #capacity = CAPACITY_MIN;
  #width: Width;
  #count = 0;
  #sealed = false;
  #dateMin = 0xffffffff;
  #dateMax = 0;

  constructor(pool: ArenaPool, near: Arena | null, kind: ValueKind, width: Width) {
    this.#pool = pool;
    this.kind = kind;
    this.#width = width;
    [this.#rows, this.#dates, this.#values] = pool.allocate(this.#sizes(), near);
  }

  get arena(): Arena {
    return this.#values.arena;
  }
  get rowsAt(): number {
    return this.#rows.at;
  }
  get datesAt(): number {
    return this.#dates.at;
  }
  get valuesAt(): number {
    return this.#values.at;
  }
  get width(): Width {
    return this.#width;
  }
  get eventCount(): number {
    return this.#count;
  }
  /** Sorted by date and never changed again. */
  get sealed(): boolean {
    return this.#sealed;
  }
  get dateMin(): number {
    return this.#dateMin;
  }
  get dateMax(): number {
    return this.#dateMax;
  }

  #sizes(): number[] {
    const capacity = this.#capacity;
    return [capacity * 4, capacity * 4, valueBytes(this.kind, this.#width, capacity)];
  }

  release(): void {
    for (const block of [this.#rows, this.#dates, this.#values]) block.arena.release(block);
  }

  /** Appends an event of entity `row` and returns its place; the caller writes the value there. */
  append(row: number, date: number): number {
    if (this.#count === this.#capacity) {
      this.#capacity *= 2;
      [this.#rows, this.#dates, this.#values] = this.#pool.grow(
        [this.#rows, this.#dates, this.#values],
        this.#sizes(),
      );
    }
    const place = this.#count++;
    const { u32 } = this.#rows.arena;
    u32[(this.#rows.at >> 2) + place] = row;
    u32[(this.#dates.at >> 2) + place] = date;
    if (date < this.#dateMin) this.#dateMin = date;
    if (date > this.#dateMax) this.#dateMax = date;
    return place;
  }

  setI64(place: number, low: number, high: number): void {
    if (this.#width !== 8) {
      const needed = widthOfInteger(low, high);
      if (needed > this.#width) this.#widen(needed);
    }
    writeInteger(this.#values.arena, this.#values.at, this.#width, place, low, high);
  }

  setPoint(place: number, longitude: number, latitude: number): void {
    const index = (this.#values.at >> 3) + place * 2;
    this.#values.arena.f64[index] = longitude;
    this.#values.arena.f64[index + 1] = latitude;
  }

  setCode(place: number, code: number): void {
    const needed = widthOfCode(code);
    if (needed > this.#width) this.#widen(needed);
    writeNarrow(this.#values.arena, this.#values.at, this.#width as 1 | 2 | 4, place, code);
  }

  #widen(width: Width): void {
    invariant(this.kind === 'code' || this.kind === 'i64', 'only codes and integers have a width');
    const before = this.#width;
    const blocks = [this.#rows, this.#dates, this.#values];
    this.#width = width;
    const wider = this.#pool.allocate(this.#sizes(), this.arena);
    for (const part of [0, 1]) {
      const { arena, at, bytes } = blocks[part];
      wider[part].arena.u8.set(arena.u8.subarray(at, at + bytes), wider[part].at);
    }
    widenInto(this.kind, this.#values, before, wider[2], width, this.#capacity);
    for (const block of blocks) block.arena.release(block);
    [this.#rows, this.#dates, this.#values] = wider;
  }

  /** The first `count` rows and dates, as views. */
  placesUpTo(count: number): { rows: Uint32Array; dates: Uint32Array } {
    const { u32 } = this.arena;
    const [rowsAt, datesAt] = [this.#rows.at >> 2, this.#dates.at >> 2];
    return { rows: u32.subarray(rowsAt, rowsAt + count), dates: u32.subarray(datesAt, datesAt + count) };
  }

  /** Takes the content of a snapshot file into an empty segment. */
  restore(rows: Uint32Array, dates: Uint32Array, values: StoredValues, sealed: boolean): void {
    invariant(this.#count === 0, 'only an empty segment is restored');
    const count = rows.length;
    while (this.#capacity < count) this.#capacity *= 2;
    const width = widthOfValues(values);
    if (width > this.#width) this.#width = width;
    this.release();
    [this.#rows, this.#dates, this.#values] = this.#pool.allocate(this.#sizes(), this.arena);
    const { arena } = this;
    arena.u32.set(rows, this.#rows.at >> 2);
    arena.u32.set(dates, this.#dates.at >> 2);
    writeValues(arena, this.#values.at, this.#width, values);
    this.#count = count;
    this.#sealed = sealed;
    for (let place = 0; place < count; place++) {
      if (dates[place] < this.#dateMin) this.#dateMin = dates[place];
      if (dates[place] > this.#dateMax) this.#dateMax = dates[place];
    }
  }

  /** Sorts by date and closes the segment for appends. */
  seal(): void {
    this.#sealed = true;
    const count = this.#count;
    const { u32, u8, u16, f64 } = this.arena;
    const datesAt = this.#dates.at >> 2;
    const order = orderByDate(u32.subarray(datesAt, datesAt + count), this.#dateMin, this.#dateMax);
    if (order === null) return;
    permute(u32, datesAt, 1, order);
    permute(u32, this.#rows.at >> 2, 1, order);
    const { at } = this.#values;
    if (this.kind === 'geo') permute(f64, at >> 3, 2, order);
    else if (this.#width === 8) permute(u32, at >> 2, 2, order);
    else if (this.#width === 4) permute(u32, at >> 2, 1, order);
    else if (this.#width === 2) permute(u16, at >> 1, 1, order);
    else permute(u8, at, 1, order);
  }

  /** The range [from, to) of places that can hold dates of the window; all of them when unsorted. */
  placesWithin(from: number, to: number): { from: number; to: number } {
    if (from > to || from > this.#dateMax || to < this.#dateMin) return { from: 0, to: 0 };
    if (!this.#sealed) return { from: 0, to: this.#count };
    return { from: this.#lowerBound(from), to: this.#lowerBound(to + 1) };
  }

  /** The first place whose date is at least `date`; sealed segments only. */
  #lowerBound(date: number): number {
    const { u32 } = this.arena;
    const at = this.#dates.at >> 2;
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (u32[at + middle] < date) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Bits of a radix pass: 11 keep the counters within the first-level cache. */
const RADIX_BITS = 11;
const RADIX = 1 << RADIX_BITS;

/** The stable order by date as places, or null when the dates ascend already. */
function orderByDate(dates: Uint32Array, min: number, max: number): Uint32Array | null {
  const count = dates.length;
  let ascending = true;
  for (let place = 1; place < count && ascending; place++) ascending = dates[place - 1] <= dates[place];
  if (ascending) return null;
  let order = new Uint32Array(count);
  let next = new Uint32Array(count);
  for (let place = 0; place < count; place++) order[place] = place;
  const counters = new Uint32Array(RADIX + 1);
  for (let shift = 0; shift < 32 && (max - min) >>> shift !== 0; shift += RADIX_BITS) {
    counters.fill(0);
    for (let place = 0; place < count; place++)
      counters[(((dates[place] - min) >>> shift) & (RADIX - 1)) + 1]++;
    for (let digit = 0; digit < RADIX; digit++) counters[digit + 1] += counters[digit];
    for (let at = 0; at < count; at++) {
      const place = order[at];
      next[counters[((dates[place] - min) >>> shift) & (RADIX - 1)]++] = place;
    }
    [order, next] = [next, order];
  }
  return order;
}

/** Puts items of `width` elements each, from element `at`, into `order`. */
function permute(
  array: Uint8Array | Uint16Array | Uint32Array | Float64Array,
  at: number,
  width: 1 | 2,
  order: Uint32Array,
): void {
  const copy = array.slice(at, at + order.length * width);
  if (width === 1) {
    for (let place = 0; place < order.length; place++) array[at + place] = copy[order[place]];
    return;
  }
  for (let place = 0; place < order.length; place++) {
    array[at + place * 2] = copy[order[place] * 2];
    array[at + place * 2 + 1] = copy[order[place] * 2 + 1];
  }
}

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
    if (last !== undefined && last.eventCount < SEGMENT_ROWS_MAX) return last;
    if (last !== undefined) {
      last.snapshot.beforeChange();
      last.seal();
    }
    return this.addSegment();
  }

  /** A new last segment, as wide as the one before: its values will be of the same kind. */
  addSegment(): EventSegment {
    const last = this.segments.at(-1);
    const segment = new EventSegment(this.#pool, last?.arena ?? null, this.kind, last?.width ?? 1);
    this.segments.push(segment);
    return segment;
  }

  get eventCount(): number {
    return this.segments.reduce((sum, segment) => sum + segment.eventCount, 0);
  }

  release(): void {
    for (const segment of this.segments) {
      segment.snapshot.forget();
      segment.release();
    }
  }
}
