/**
 * The events of one column in the order of entity and date, with the bits of a question and what else it reads of them.
 * Method  the part of the order that belongs to a block of entities is copied into the memory of the kernels, which select its
 *         events by their bits; the other columns are gathered for the selected ones.
 */
import { SELECT_STATE, SELECT_STATE_BYTES } from '../../kernels/index.js';
import type { Codes, EntityOrder } from '../event-order/entity-order.js';
import type { BlockMemory } from './block-memory.js';

/** Event i of the order has the value table[keys[i]], or keys[i] without a table. */
export interface OrderedColumn {
  readonly keys: Codes;
  readonly table: Uint32Array | null;
}

/** What a question reads of an order. */
export interface OrderedSource {
  readonly order: EntityOrder;
  /** Words of bits. */
  readonly words: readonly OrderedColumn[];
  /** A number = all events have this value. */
  readonly others: readonly (OrderedColumn | number)[];
}

/** Columns of a block of entities: dates, words of bits, others; starts[i] is the first event of the block's entity i. */
export interface EventBlock {
  readonly starts: Uint32Array;
  readonly columns: readonly Uint32Array[];
}

/** Bounds of blocks: entities, and one more than the greatest number of events. */
export interface BlockSize {
  readonly rows: number;
  readonly events: number;
}

/** Byte offsets of what a selection reads besides codes of its source; they are used again for each source. */
export class SelectionArea {
  readonly #memory: BlockMemory;
  readonly size: BlockSize;
  readonly state: number;
  readonly starts: number;
  readonly codes: number;
  readonly dates: number;
  readonly events: number;
  /** A bitmap of all entities that take part; 0 = all. */
  readonly rows: number;

  /** Throws 9006. */
  constructor(memory: BlockMemory, size: BlockSize, rows: Uint8Array | null) {
    this.#memory = memory;
    this.size = size;
    this.state = memory.take(SELECT_STATE_BYTES);
    this.starts = memory.take((size.rows + 1) * 4);
    this.codes = memory.take(size.events * 4);
    this.dates = memory.take(size.events * 4);
    this.events = memory.take(size.events * 4);
    this.rows = rows === null ? 0 : memory.take(rows.length);
    if (rows !== null) memory.u8.set(rows, this.rows);
    for (const word of ['starts', 'rows', 'codes', 'dates'] as const) this.set(word, this[word]);
  }

  set(word: keyof typeof SELECT_STATE, value: number): void {
    this.#memory.u32[(this.state >>> 2) + SELECT_STATE[word]] = value;
  }
}

export class OrderedEvents {
  readonly #order: EntityOrder;
  readonly #area: SelectionArea;
  readonly #memory: BlockMemory;
  /** The words of bits, which have the same keys. Events of which one is not 0 are selected. */
  readonly #words: readonly OrderedColumn[];
  /** By index of a block's column: what is gathered. */
  readonly #gathered: readonly (OrderedColumn | number)[];
  readonly #firstGathered: number;
  /** Byte offset of the bits of all words together, by code; 0 = the bits do not depend on the code. */
  readonly #tableAt: number;

  /** Throws 9006. */
  constructor({ order, words, others }: OrderedSource, area: SelectionArea, memory: BlockMemory) {
    this.#order = order;
    this.#area = area;
    this.#memory = memory;
    this.#words = words;
    // The kernel writes the only word.
    this.#gathered = words.length === 1 ? others : [...words, ...others];
    this.#firstGathered = words.length === 1 ? 2 : 1;
    const [{ keys, table }] = words;
    this.#tableAt = keys === order.codes && table !== null ? memory.take(table.byteLength) : 0;
    if (this.#tableAt === 0 || table === null) return;
    const all = memory.words(this.#tableAt, table.length).fill(0);
    for (const word of words) orInto(all, word.table as Uint32Array);
  }

  /** The number of events of entities [fromRow, toRow), selected or not. */
  countOf(fromRow: number, toRow: number): number {
    const { starts } = this.#order;
    const last = starts.length - 1;
    return starts[Math.min(toRow, last)] - starts[Math.min(fromRow, last)];
  }

  /** Writes the events of entities [fromRow, toRow) that have a bit. */
  read({ starts, columns }: EventBlock, fromRow: number, toRow: number): void {
    const known = Math.max(0, Math.min(toRow, this.#order.starts.length - 1) - fromRow);
    const count = known === 0 ? 0 : this.#select({ starts, columns }, fromRow, known);
    starts.fill(count, known, toRow - fromRow + 1);
    if (count === 0) return;
    const selected = this.#memory.words(this.#area.events, count);
    this.#gathered.forEach((column, index) => {
      const target = columns[this.#firstGathered + index];
      if (typeof column === 'number') target.fill(column, 0, count);
      else gather(column, selected, target);
    });
  }

  #select({ starts, columns }: EventBlock, fromRow: number, rowCount: number): number {
    const { starts: all, dates } = this.#order;
    const [area, memory] = [this.#area, this.#memory];
    const [first, end] = [all[fromRow], all[fromRow + rowCount]];
    memory.words(area.starts, rowCount + 1).set(all.subarray(fromRow, fromRow + rowCount + 1));
    memory.words(area.dates, end - first).set(dates.subarray(first, end));
    area.set('first', first);
    area.set('row', fromRow);
    area.set('table', this.#tableAt);
    area.set('outStarts', starts.byteOffset);
    area.set('outDates', columns[0].byteOffset);
    area.set('outMasks', columns[1].byteOffset);
    area.set('outEvents', this.#gathered.length === 0 ? 0 : area.events);
    return this.#runKernel(first, end, rowCount);
  }

  #runKernel(first: number, end: number, rowCount: number): number {
    const { codes, state } = this.#area;
    const { kernels, u8 } = this.#memory;
    const [{ keys }] = this.#words;
    if (this.#tableAt === 0) {
      const masks = this.#memory.words(codes, end - first).fill(0);
      for (const { table } of this.#words) {
        for (let at = 0; at < masks.length; at++) masks[at] |= (table as Uint32Array)[keys[first + at]];
      }
      return kernels.selectMaskedEvents(state, rowCount);
    }
    const width = keys.BYTES_PER_ELEMENT;
    u8.set(new Uint8Array(keys.buffer, keys.byteOffset + first * width, (end - first) * width), codes);
    if (width === 1) return kernels.selectEventsU8(state, rowCount);
    return width === 2 ? kernels.selectEventsU16(state, rowCount) : kernels.selectEventsU32(state, rowCount);
  }
}

function orInto(all: Uint32Array, word: Uint32Array): void {
  for (let at = 0; at < all.length; at++) all[at] |= word[at];
}

function gather({ keys, table }: OrderedColumn, selected: Uint32Array, target: Uint32Array): void {
  const count = selected.length;
  if (table === null) for (let at = 0; at < count; at++) target[at] = keys[selected[at]];
  else for (let at = 0; at < count; at++) target[at] = table[keys[selected[at]]];
}
