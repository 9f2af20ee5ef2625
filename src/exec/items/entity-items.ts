/** The items of entities: those of their lists, or the distinct values of their events. */
import { grownWithin, type MemoryAccount, SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { EventTest, ItemSource, ValueTest } from '../../ir/index.js';
import type { DimensionShard, ListColumn } from '../../storage/index.js';
import { gather, gatherArray, type Texts, type Vector } from '../../vector/index.js';
import { PreparedTest } from '../condition/value-test.js';
import type { QueryRun } from '../query-run.js';
import { EventRows, type SortedEvents } from '../scan/event-rows.js';
import type { InputReader } from '../scan/input-reader.js';
import { BATCH_ROWS_MAX, type RowBatch } from '../scan/row-batches.js';
import type { BatchArrays } from '../scan/stored-values.js';
import { FewEvents } from './few-events.js';
import type { BatchItems, RowItems } from './item-rows.js';
import { readItems } from './list-items.js';

/** Reads values of items into the arrays of their input. */
export interface ItemReader {
  readonly reader: InputReader;
  readonly arrays: BatchArrays;
}

/** A list of items of rows. */
class ItemList {
  readonly #memory: MemoryAccount;
  #positions: Uint32Array<ArrayBuffer>;
  #items: Uint32Array<ArrayBuffer>;
  count = 0;

  /** Throws 9006. */
  constructor(memory: MemoryAccount) {
    this.#memory = memory;
    this.#positions = memory.u32(BATCH_ROWS_MAX);
    this.#items = memory.u32(BATCH_ROWS_MAX);
  }

  /** Adds an item of a row, which must not be below the previous one. Throws 9006. */
  add(position: number, item: number): void {
    if (this.count === this.#positions.length) {
      this.#positions = grownWithin(this.#memory, this.#positions, this.count + 1);
      this.#items = grownWithin(this.#memory, this.#items, this.count + 1);
    }
    this.#positions[this.count] = position;
    this.#items[this.count++] = item;
  }

  get positions(): Uint32Array {
    return this.#positions.subarray(0, this.count);
  }
  get items(): Uint32Array {
    return this.#items.subarray(0, this.count);
  }
}

/**
 * Events by entity, of which only the first of equal values are left when they are read: in a nested grouping each entity is read
 * many times, with few values.
 */
class DistinctEvents {
  readonly events: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #valuesOf: (events: Uint32Array) => Vector;
  readonly #memory: MemoryAccount;
  /** The first row whose events may be equal, and the index of its first event. */
  #row = 0;
  #at = 0;
  #firsts: Uint32Array<ArrayBuffer>;

  /** Changes `sorted`. Throws 9006. */
  constructor(
    { events, ends }: SortedEvents,
    valuesOf: (events: Uint32Array) => Vector,
    memory: MemoryAccount,
  ) {
    this.events = events;
    this.#ends = ends;
    this.#valuesOf = valuesOf;
    this.#memory = memory;
    this.#firsts = memory.u32(BATCH_ROWS_MAX);
  }

  /** The events of a row are [startOf(row), endOf(row)). */
  startOf(row: number): number {
    return row === 0 ? 0 : this.endOf(row - 1);
  }

  /** Throws 9006. */
  endOf(row: number): number {
    while (row >= this.#row) this.#read();
    return this.#ends[row];
  }

  /** Drops repeated values of the next rows, with BATCH_ROWS_MAX events or those of one row. */
  #read(): void {
    const [first, ends] = [this.#at, this.#ends];
    let next = this.#row + 1;
    while (next < ends.length && ends[next] - first <= BATCH_ROWS_MAX) next++;
    const count = ends[next - 1] - first;
    const keyOf = comparable(this.#valuesOf(this.events.subarray(first, first + count)));
    this.#firsts = grownWithin(this.#memory, this.#firsts, count);
    const firsts = this.#firsts;
    let [from, target] = [0, this.#row === 0 ? 0 : ends[this.#row - 1]];
    for (let row = this.#row; row < next; row++) {
      const to = ends[row] - first;
      const found = keepDistinct(keyOf, from, to, firsts, 0);
      for (let at = 0; at < found; at++) this.events[target++] = this.events[first + firsts[at]];
      ends[row] = target;
      from = to;
    }
    this.#row = next;
    this.#at = first + count;
  }
}

/** The distinct values of each entity's events that pass, of all entities in `rows` (null = all). */
export class EventItems implements RowItems {
  readonly #run: QueryRun;
  /** The events, in one of two forms. */
  readonly #few: FewEvents | null;
  readonly #events: EventRows | null;
  readonly #distinct: DistinctEvents | null;
  readonly #valuesOf: (events: Uint32Array) => Vector;
  readonly #memory: MemoryAccount;
  readonly #list: ItemList;

  /** `release` must be called at the end. Throws 9005, 9006. */
  constructor(
    shard: DimensionShard,
    event: EventTest,
    rows: Uint8Array | null,
    { reader, arrays }: ItemReader,
    run: QueryRun,
  ) {
    this.#run = run;
    this.#memory = run.child();
    this.#list = new ItemList(this.#memory);
    this.#few = FewEvents.of(shard, event, rows, run);
    this.#events = this.#few === null ? new EventRows(shard, event, run) : null;
    const valuesOf = (events: Uint32Array): Vector => reader.eventsOf(event.columnId).values(events, arrays);
    this.#valuesOf = valuesOf;
    const sorted = this.#events?.sorted(0, this.#events.segmentCount, rows) ?? null;
    this.#distinct = sorted && new DistinctEvents(sorted, valuesOf, this.#memory);
  }

  of(batch: RowBatch, from: number): BatchItems {
    const list = this.#list;
    list.count = 0;
    if (this.#distinct !== null) {
      const next = listDistinct(this.#distinct, batch, from, list);
      return { positions: list.positions, items: this.#valuesOf(list.items), next };
    }
    const next = listFew(this.#few as FewEvents, batch, from, list);
    return { ...distinctItems(list.positions, this.#valuesOf(list.items)), next };
  }

  release(): void {
    this.#run.release(this.#few?.bytes ?? 0);
    this.#events?.release();
    this.#memory.releaseAll();
  }
}

/** Lists the events of rows from `from` on; returns the first row that is not included. */
function listDistinct(
  distinct: DistinctEvents,
  { entityRows, count }: RowBatch,
  from: number,
  list: ItemList,
): number {
  const { events } = distinct;
  let next = from;
  for (; next < count && list.count < BATCH_ROWS_MAX; next++) {
    const end = distinct.endOf(entityRows[next]);
    for (let at = distinct.startOf(entityRows[next]); at < end; at++) list.add(next, events[at]);
  }
  return next;
}

/** Like `listDistinct`, for events that are few. */
function listFew(few: FewEvents, { entityRows, count }: RowBatch, from: number, list: ItemList): number {
  const { events } = few;
  let next = from;
  for (; next < count && list.count < BATCH_ROWS_MAX; next++) {
    const row = entityRows[next];
    for (let at = few.startOf(row); few.isOf(row, at); at++) list.add(next, events[at]);
  }
  return next;
}

/** The items of each entity's list that pass the tests. */
export class ListItems implements RowItems {
  readonly #shard: DimensionShard;
  readonly #source: Extract<ItemSource, { readonly from: 'list' }>;
  readonly #tests: readonly PreparedTest[];
  readonly #reader: InputReader;
  readonly #arrays: BatchArrays;
  readonly #memory: MemoryAccount;
  readonly #list: ItemList;

  /** `release` must be called at the end. Throws 9006. */
  constructor(
    shard: DimensionShard,
    source: Extract<ItemSource, { readonly from: 'list' }>,
    { reader, arrays }: ItemReader,
    run: QueryRun,
  ) {
    this.#shard = shard;
    this.#source = source;
    this.#memory = run.child();
    this.#list = new ItemList(this.#memory);
    const dictionary = shard.dictionaries.get(source.columnId);
    this.#tests = source.tests.map((test: ValueTest) => new PreparedTest(test, dictionary, run));
    this.#reader = reader;
    this.#arrays = arrays;
  }

  of({ entityRows, count }: RowBatch, from: number): BatchItems {
    const { columnId, distinct } = this.#source;
    const segment = entityRows[from] >>> SEGMENT_ROWS_SHIFT;
    const column = this.#shard.segments[segment].list(columnId);
    const list = this.#list;
    list.count = 0;
    let next = from;
    if (column === undefined) next = count;
    else {
      const { starts, counts } = column;
      for (; next < count && list.count < BATCH_ROWS_MAX; next++) {
        const row = entityRows[next] & SEGMENT_ROWS_MASK;
        const end = starts[row] + counts[row];
        for (let item = starts[row]; item < end; item++) if (this.#passes(column, item)) list.add(next, item);
      }
    }
    const texts: Texts | null = this.#reader.textsOf(columnId);
    const items = readItems(column, this.#source.kind, list.items, texts, this.#arrays);
    return {
      ...(distinct ? distinctItems(list.positions, items) : { positions: list.positions, items }),
      next,
    };
  }

  #passes({ kind, width, items }: ListColumn, item: number): boolean {
    const first = items[item * width];
    const second = width === 2 ? items[item * 2 + 1] : 0;
    for (const test of this.#tests) if (test.holdsFor(kind, first, second) === test.negated) return false;
    return true;
  }

  release(): void {
    for (const test of this.#tests) test.release();
    this.#memory.releaseAll();
  }
}

/** Rows with more items look them up in a set. */
const COMPARED_MAX = 16;

/** Keeps the first of equal items of each row. */
function distinctItems(positions: Uint32Array, items: Vector): Omit<BatchItems, 'next'> {
  const { length } = positions;
  const firsts = new Uint32Array(length);
  const keyOf = comparable(items);
  let count = 0;
  for (let from = 0, to = 0; from < length; from = to) {
    const position = positions[from];
    to = from + 1;
    while (to < length && positions[to] === position) to++;
    if (to === from + 1) firsts[count++] = from;
    else count = keepDistinct(keyOf, from, to, firsts, count);
  }
  if (count === length) return { positions, items };
  const chosen = firsts.subarray(0, count);
  return {
    positions: gatherArray(positions, chosen, new Uint32Array(count)),
    items: gather(items, chosen, count),
  };
}

type Comparable = number | bigint | string;

/** Appends the first of equal items of [from, to) to `chosen`; returns the new length. */
function keepDistinct(
  keyOf: (item: number) => Comparable,
  from: number,
  to: number,
  chosen: Uint32Array,
  firstIndex: number,
): number {
  let count = firstIndex;
  if (to - from > COMPARED_MAX) {
    const seen = new Set<Comparable>();
    for (let item = from; item < to; item++) {
      const value = keyOf(item);
      if (seen.has(value)) continue;
      seen.add(value);
      chosen[count++] = item;
    }
    return count;
  }
  for (let item = from; item < to; item++) {
    const value = keyOf(item);
    let at = firstIndex;
    while (at < count && keyOf(chosen[at]) !== value) at++;
    if (at === count) chosen[count++] = item;
  }
  return count;
}

/** Values that are equal exactly for equal items. */
function comparable(items: Vector): (item: number) => Comparable {
  switch (items.kind) {
    case 'exact': {
      const { numbers, wide } = items;
      return numbers === null ? (item) => wide?.[item] ?? 0n : (item) => numbers[item];
    }
    case 'float':
      return (item) => items.numbers[item];
    case 'boolean':
      return (item) => items.bits[item];
    case 'text': {
      const { codes, texts } = items;
      if (codes === null) return (item) => texts.text(item);
      return texts.distinct ? (item) => codes[item] : (item) => texts.text(codes[item]);
    }
  }
}
