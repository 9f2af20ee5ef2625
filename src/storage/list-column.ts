/**
 * A list-of-values attribute column within one segment: per row a run of items in a heap.
 * Invariants: row r owns items [starts[r], starts[r] + counts[r]); an empty list is a missing value; a replaced list leaves its
 * items in the heap until the heap is full or gets new codes; then the live items move. Items are in plain typed arrays, not in
 * an arena, because one row may have more items than fit in an arena.
 */
import { invariant, longerCopy } from '../base/index.js';
import type { Values } from '../column/index.js';
import type { ValueKind } from '../schema/index.js';
import { markCodes } from './width.js';

/** Items of a heap, by kind: bits u8 | i32 | code u32 | i64 (low, high) u32 pairs | geo (lon, lat) f64 pairs. */
export type ItemHeap =
  | Uint8Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

const ITEMS_MIN = 64;

export function itemHeap(kind: ValueKind, items: number): ItemHeap {
  switch (kind) {
    case 'bits':
      return new Uint8Array(items);
    case 'i32':
      return new Int32Array(items);
    case 'code':
      return new Uint32Array(items);
    case 'i64':
      return new Uint32Array(items * 2);
    case 'geo':
      return new Float64Array(items * 2);
  }
}

export class ListColumn {
  readonly kind: ValueKind;
  /** Array elements per item. */
  readonly width: 1 | 2;
  #starts: Uint32Array<ArrayBuffer>;
  #counts: Uint32Array<ArrayBuffer>;
  #items: ItemHeap;
  #itemEnd = 0;
  #liveItems = 0;
  #presentCount = 0;

  constructor(kind: ValueKind, capacity: number) {
    this.kind = kind;
    this.width = kind === 'i64' || kind === 'geo' ? 2 : 1;
    this.#starts = new Uint32Array(capacity);
    this.#counts = new Uint32Array(capacity);
    this.#items = itemHeap(kind, ITEMS_MIN);
  }

  get starts(): Uint32Array {
    return this.#starts;
  }
  /** Items per row; 0 = missing. */
  get counts(): Uint32Array {
    return this.#counts;
  }
  get items(): ItemHeap {
    return this.#items;
  }
  get presentCount(): number {
    return this.#presentCount;
  }
  get memoryBytes(): number {
    return this.#starts.byteLength + this.#counts.byteLength + this.#items.byteLength;
  }

  /** The number of values that `markCodes` reads: items, and the counts of rows. */
  get codeSlotCount(): number {
    return this.#liveItems + this.#counts.length;
  }

  /** Sets used[c] to 1 for every code c in the lists of a code column. */
  markCodes(used: Uint8Array): void {
    const items = this.#codes();
    for (let row = 0; row < this.#counts.length; row++) {
      const count = this.#counts[row];
      if (count > 0) markCodes(items.subarray(this.#starts[row], this.#starts[row] + count), used);
    }
  }

  /** Replaces every code c with codes[c]; the lists move to a heap without the items of replaced lists. */
  recode(codes: Uint32Array): void {
    this.#moveTo(Math.max(ITEMS_MIN, this.#liveItems));
    const items = this.#codes();
    for (let item = 0; item < this.#itemEnd; item++) items[item] = codes[items[item]];
  }

  #codes(): Uint32Array {
    invariant(this.kind === 'code' && this.#items instanceof Uint32Array, 'only lists of strings have codes');
    return this.#items;
  }

  reserve(capacity: number): void {
    if (capacity <= this.#starts.length) return;
    this.#starts = longerCopy(this.#starts, capacity);
    this.#counts = longerCopy(this.#counts, capacity);
  }

  /** Replaces the row's list with values [from, from + count); `codes` replaces the values of a code column. */
  replace(row: number, values: Values, codes: Uint32Array | null, from: number, count: number): void {
    const before = this.#counts[row];
    this.#liveItems += count - before;
    if (before > 0 && count === 0) this.#presentCount--;
    if (before === 0 && count > 0) this.#presentCount++;
    // From here on the old list is garbage, which a move must not copy.
    this.#counts[row] = 0;
    this.#ensureCapacity(count);
    this.#starts[row] = this.#itemEnd;
    this.#counts[row] = count;
    const at = this.#itemEnd * this.width;
    const span = [from * this.width, (from + count) * this.width] as const;
    switch (values.kind) {
      case 'bits':
        this.#items.set(values.bits.subarray(...span), at);
        break;
      case 'i32':
        this.#items.set(values.i32.subarray(...span), at);
        break;
      case 'i64':
        this.#items.set(values.words.subarray(...span), at);
        break;
      case 'geo':
        this.#items.set(values.f64.subarray(...span), at);
        break;
      case 'code':
        this.#items.set((codes as Uint32Array).subarray(...span), at);
        break;
    }
    this.#itemEnd += count;
  }

  /** Removes the row's list; rows beyond the column's capacity have none. */
  remove(row: number): void {
    if (row >= this.#counts.length || this.#counts[row] === 0) return;
    const before = this.#counts[row];
    this.#liveItems -= before;
    this.#presentCount--;
    this.#counts[row] = 0;
    this.#starts[row] = 0;
  }

  /** Copies the lists of rows `sourceRows` of a column of the same kind to this empty column. */
  copyFrom(source: ListColumn, sourceRows: Uint32Array): void {
    const { width } = this;
    for (let row = 0; row < sourceRows.length; row++) {
      const count = source.#counts[sourceRows[row]];
      this.#counts[row] = count;
      this.#starts[row] = count === 0 ? 0 : this.#itemEnd;
      this.#itemEnd += count;
      if (count > 0) this.#presentCount++;
    }
    this.#liveItems = this.#itemEnd;
    this.#items = itemHeap(this.kind, Math.max(ITEMS_MIN, this.#itemEnd));
    for (let row = 0; row < sourceRows.length; row++) {
      const from = source.#starts[sourceRows[row]] * width;
      const items = source.#items.subarray(from, from + this.#counts[row] * width);
      this.#items.set(items, this.#starts[row] * width);
    }
  }

  /**
   * Ensures capacity for `count` more items, which liveItems includes already: the lists move to a heap of twice the live size.
   */
  #ensureCapacity(count: number): void {
    const needed = this.#itemEnd + count;
    if (needed * this.width <= this.#items.length) return;
    this.#moveTo(Math.max(ITEMS_MIN, this.#liveItems * 2));
  }

  /** Moves the lists to a heap of `capacity` items. */
  #moveTo(capacity: number): void {
    const items = itemHeap(this.kind, capacity);
    let end = 0;
    for (let row = 0; row < this.#counts.length; row++) {
      const from = this.#starts[row] * this.width;
      const rowItems = this.#counts[row];
      if (rowItems === 0) continue;
      items.set(this.#items.subarray(from, from + rowItems * this.width), end * this.width);
      this.#starts[row] = end;
      end += rowItems;
    }
    this.#items = items;
    this.#itemEnd = end;
  }
}
