/**
 * A run of at most SEGMENT_ROWS_MAX events of one event column in one shard: columns of entity row, date and value.
 * Invariants: events are appended until the segment is full and sealed, that is, sorted by date (stable); afterwards events are
 * only removed, which keeps the order. Rows, dates, values and links are in one arena. Dates are u32 seconds since 1970-01-01;
 * dateMin and dateMax are those of the present events. Events with the same link (not 0) belong together; a segment without
 * linked events has no link column.
 */
import { invariant, SEGMENT_ROWS_MAX } from '../base/index.js';
import type { Values } from '../column/index.js';
import type { ValueKind } from '../schema/index.js';
import type { Arena, ArenaPool, Block } from './arena.js';
import { orderByDate, permute } from './event-order.js';
import { scatterValues, widthOfRun } from './scatter.js';
import { SnapshotState } from './snapshot-state.js';
import {
  gatherItems,
  gatherValues,
  markCodes,
  readCodes,
  type StoredValues,
  valueBytes,
  type Width,
  widenInto,
  widthOfValues,
  writeValues,
} from './width.js';

const CAPACITY_MIN = 256;
/** In a map of rows: the entity was deleted. */
export const DEAD_ROW = 0xffffffff;

/** The events of a section: entity row, seconds since 1970-01-01 and value of each; `codes` for strings, otherwise null. */
export interface NewEvents {
  readonly rows: Uint32Array;
  readonly dates: Uint32Array;
  readonly values: Values;
  readonly codes: Uint32Array | null;
}

export class EventSegment {
  readonly kind: ValueKind;
  /** Identifies the segment within its table during the life of both; ascends from segment to segment. */
  readonly number: number;
  readonly snapshot = new SnapshotState();
  readonly #pool: ArenaPool;
  #rows: Block;
  #dates: Block;
  #values: Block;
  #links: Block | null = null;
  #capacity = CAPACITY_MIN;
  #width: Width;
  #count = 0;
  #sealed = false;
  #revision = 0;
  #dateMin = 0xffffffff;
  #dateMax = 0;

  constructor(pool: ArenaPool, near: Arena | null, kind: ValueKind, width: Width, number: number) {
    this.#pool = pool;
    this.kind = kind;
    this.number = number;
    this.#width = width;
    [this.#rows, this.#dates, this.#values] = pool.allocate(this.#sizes(), near, 'events');
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
  /** Sorted by date and closed for appends. */
  get sealed(): boolean {
    return this.#sealed;
  }
  /** Changes whenever present events are moved, removed or recoded; not by appends. */
  get revision(): number {
    return this.#revision;
  }
  get dateMin(): number {
    return this.#dateMin;
  }
  get dateMax(): number {
    return this.#dateMax;
  }

  #sizes(): number[] {
    const capacity = this.#capacity;
    const sizes = [capacity * 4, capacity * 4, valueBytes(this.kind, this.#width, capacity)];
    return this.#links === null ? sizes : [...sizes, capacity * 4];
  }

  #blocks(): Block[] {
    const blocks = [this.#rows, this.#dates, this.#values];
    return this.#links === null ? blocks : [...blocks, this.#links];
  }

  #setBlocks([rows, dates, values, links]: readonly Block[]): void {
    this.#rows = rows;
    this.#dates = dates;
    this.#values = values;
    this.#links = links ?? null;
  }

  get memoryBytes(): number {
    return this.#blocks().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  release(): void {
    for (const block of this.#blocks()) block.arena.release(block);
  }

  /** The number of events that can still be appended. */
  get freeRowCount(): number {
    return SEGMENT_ROWS_MAX - this.#count;
  }

  /** Appends events [from, to) of a section, for which there is capacity; returns the row of the first. */
  appendAll({ rows, dates, values, codes }: NewEvents, from: number, to: number): number {
    const first = this.#count;
    const end = first + to - from;
    while (this.#capacity < end) this.#grow();
    const width = widthOfRun(values, codes, from, to);
    if (width > this.#width) this.#widen(width);
    const { arena } = this;
    arena.u32.set(rows.subarray(from, to), (this.#rows.at >> 2) + first);
    arena.u32.set(dates.subarray(from, to), (this.#dates.at >> 2) + first);
    for (let index = from; index < to; index++) this.#boundDate(dates[index]);
    scatterValues(arena, this.#values.at, this.#width, consecutive(first, from, to), values, codes, from, to);
    this.#count = end;
    this.snapshot.appended();
    return first;
  }

  #grow(): void {
    this.#capacity *= 2;
    this.#setBlocks(this.#pool.resize(this.#blocks(), this.#sizes()));
  }

  #boundDate(date: number): void {
    if (date < this.#dateMin) this.#dateMin = date;
    if (date > this.#dateMax) this.#dateMax = date;
  }

  /** Links event `event`, whose link is still 0, to the others with that link. */
  setLink(event: number, link: number): void {
    const { arena, at } = this.#links ?? this.#makeLinks();
    arena.u32[(at >> 2) + event] = link;
  }

  #makeLinks(): Block {
    const blocks = this.#pool.resize(this.#blocks(), [...this.#sizes(), this.#capacity * 4]);
    this.#setBlocks(blocks);
    return blocks[blocks.length - 1];
  }

  /** A view of the links of the first `count` events, writable only after `beforeChange`; null = all are 0. */
  links(count = this.#count): Uint32Array | null {
    if (this.#links === null) return null;
    const { arena, at } = this.#links;
    return arena.u32.subarray(at >> 2, (at >> 2) + count);
  }

  /** Sets used[c] to 1 for the code c of every event of a code column. */
  markCodes(used: Uint8Array): void {
    markCodes(this.#codes().subarray(0, this.#count), used);
  }

  /** Replaces every code c with codes[c], which is not greater. */
  recode(codes: Uint32Array): void {
    this.#revision++;
    const stored = this.#codes();
    for (let event = 0; event < this.#count; event++) stored[event] = codes[stored[event]];
    // Clears the codes of removed events, which could now exceed every code.
    stored.fill(0, this.#count);
  }

  #codes(): Uint8Array | Uint16Array | Uint32Array {
    invariant(this.kind === 'code', 'only a column of strings has codes');
    return readCodes(this.arena, this.#values.at, this.#width, this.#capacity);
  }

  #widen(width: Width): void {
    invariant(this.kind === 'code' || this.kind === 'i64', 'only codes and integers have a width');
    const before = this.#width;
    const blocks = this.#blocks();
    this.#width = width;
    const wider = this.#pool.allocate(this.#sizes(), this.arena, 'events');
    for (const part of blocks.keys()) {
      if (part === 2) continue;
      const { arena, at, bytes } = blocks[part];
      wider[part].arena.u8.set(arena.u8.subarray(at, at + bytes), wider[part].at);
    }
    widenInto(this.kind, this.#values, before, wider[2], width, this.#capacity);
    for (const block of blocks) block.arena.release(block);
    this.#setBlocks(wider);
  }

  /** Views of the first `count` rows and dates. */
  datesAndRows(count: number): { rows: Uint32Array; dates: Uint32Array } {
    const { u32 } = this.arena;
    const [rowsAt, datesAt] = [this.#rows.at >> 2, this.#dates.at >> 2];
    return { rows: u32.subarray(rowsAt, rowsAt + count), dates: u32.subarray(datesAt, datesAt + count) };
  }

  /** Fills an empty segment with the contents of a snapshot file; `links` null = all are 0. */
  restore(
    rows: Uint32Array,
    dates: Uint32Array,
    values: StoredValues,
    links: Uint32Array | null,
    sealed: boolean,
  ): void {
    invariant(this.#count === 0, 'only an empty segment can be restored');
    this.#revision++;
    const count = rows.length;
    while (this.#capacity < count) this.#capacity *= 2;
    const width = widthOfValues(values);
    if (width > this.#width) this.#width = width;
    const sizes = this.#sizes();
    if (links !== null) sizes.push(this.#capacity * 4);
    this.release();
    this.#setBlocks(this.#pool.allocate(sizes, this.arena, 'events'));
    const { arena } = this;
    arena.u32.set(rows, this.#rows.at >> 2);
    arena.u32.set(dates, this.#dates.at >> 2);
    writeValues(arena, this.#values.at, this.#width, values);
    this.#count = count;
    this.#sealed = sealed;
    if (links !== null) this.links()?.set(links);
    this.#boundDates();
  }

  #boundDates(): void {
    const { dates } = this.datesAndRows(this.#count);
    this.#dateMin = 0xffffffff;
    this.#dateMax = 0;
    for (let event = 0; event < dates.length; event++) this.#boundDate(dates[event]);
  }

  /** Keeps only `events` (ascending), in order, and releases excess capacity. */
  #keep(events: Uint32Array): void {
    this.#revision++;
    const { u32 } = this.arena;
    for (const { at } of [this.#rows, this.#dates, ...(this.#links === null ? [] : [this.#links])]) {
      gatherItems(u32, at >> 2, u32, at >> 2, 1, events);
    }
    gatherValues(this.kind, this.#width, this.#values, this.#values, events);
    // Links past the end must be 0 for future events.
    this.links()?.fill(0, events.length);
    this.#count = events.length;
    this.#boundDates();
    let capacity = CAPACITY_MIN;
    while (capacity < this.#count) capacity *= 2;
    if (capacity === this.#capacity) return;
    this.#capacity = capacity;
    this.#setBlocks(this.#pool.resize(this.#blocks(), this.#sizes()));
  }

  /** Removes the events that are older than `before`, in seconds; returns whether there were any. */
  expire(before: number): boolean {
    if (this.#dateMin >= before) return false;
    this.snapshot.beforeChange();
    const { dates } = this.datesAndRows(this.#count);
    this.#keep(eventsWhere(this.#count, (event) => dates[event] >= before));
    return true;
  }

  /** Moves every event from entity row r to rows[r]; removes events whose new row is DEAD_ROW. */
  remap(rows: Uint32Array): void {
    const stored = this.datesAndRows(this.#count).rows;
    let first = 0;
    while (first < stored.length && rows[stored[first]] === stored[first]) first++;
    if (first === stored.length) return;
    this.snapshot.beforeChange();
    this.#revision++;
    let dead = 0;
    for (let event = first; event < stored.length; event++) {
      stored[event] = rows[stored[event]];
      if (stored[event] === DEAD_ROW) dead++;
    }
    if (dead > 0) this.#keep(eventsWhere(this.#count, (event) => stored[event] !== DEAD_ROW));
  }

  /** Sorts by date and closes the segment for appends. */
  seal(): void {
    this.#sealed = true;
    this.#revision++;
    const count = this.#count;
    const { u32, u8, u16, f64 } = this.arena;
    const datesAt = this.#dates.at >> 2;
    const order = orderByDate(u32.subarray(datesAt, datesAt + count), this.#dateMin, this.#dateMax);
    if (order === null) return;
    permute(u32, datesAt, 1, order);
    permute(u32, this.#rows.at >> 2, 1, order);
    if (this.#links !== null) permute(u32, this.#links.at >> 2, 1, order);
    const { at } = this.#values;
    if (this.kind === 'geo') permute(f64, at >> 3, 2, order);
    else if (this.#width === 8) permute(u32, at >> 2, 2, order);
    else if (this.#width === 4) permute(u32, at >> 2, 1, order);
    else if (this.#width === 2) permute(u16, at >> 1, 1, order);
    else permute(u8, at, 1, order);
  }

  /** Returns the range [from, to) of rows that may have dates in the window; all rows if unsorted. */
  rangeWithin(from: number, to: number): { from: number; to: number } {
    if (from > to || from > this.#dateMax || to < this.#dateMin) return { from: 0, to: 0 };
    if (!this.#sealed) return { from: 0, to: this.#count };
    return { from: this.#lowerBound(from), to: this.#lowerBound(to + 1) };
  }

  /** Returns the first row whose date is at least `date`; sealed segments only. */
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

/** Returns the rows below `count` for which `holds` is true, ascending. */
function eventsWhere(count: number, holds: (event: number) => boolean): Uint32Array {
  const events = new Uint32Array(count);
  let foundCount = 0;
  for (let event = 0; event < count; event++) if (holds(event)) events[foundCount++] = event;
  return events.subarray(0, foundCount);
}

/** Returns events with events[i] = first + i - from for i in [from, to). */
function consecutive(first: number, from: number, to: number): Uint32Array {
  const events = new Uint32Array(to);
  for (let index = from; index < to; index++) events[index] = first + index - from;
  return events;
}
