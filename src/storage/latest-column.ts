/**
 * A latest-value attribute column within one segment: a value per row in the arena, in Arrow's layout.
 * Invariants: values and validity are in one arena; a row without a value has validity 0 and value 0; codes and integers have the
 * width that their widest value needs (width.ts); capacity is a multiple of 128 rows, so kernels may read to the end of the last
 * vector. The zone map only widens, except for new codes; it is used only to skip.
 */
import { invariant } from '../base/index.js';
import type { Values } from '../column/index.js';
import { bitmapBytes } from '../kernels/index.js';
import type { ValueKind } from '../schema/index.js';
import type { Arena, ArenaPool, Block } from './arena.js';
import { markRows, scatterValues, widthOfRun } from './scatter.js';
import {
  gatherBits,
  gatherValues,
  markCodes,
  readCodes,
  type StoredValues,
  valueBytes,
  type Width,
  widenInto,
  writeInteger,
  writeNarrow,
  writeValues,
} from './width.js';

export class LatestColumn {
  readonly kind: ValueKind;
  readonly #pool: ArenaPool;
  #values: Block;
  #validity: Block;
  #capacity: number;
  #width: Width;
  #presentCount = 0;
  /** Zone map: bounds of all values ever set; i64 as the nearest double, codes and days exactly. */
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  constructor(pool: ArenaPool, near: Arena | null, kind: ValueKind, capacity: number, width: Width) {
    this.#pool = pool;
    this.kind = kind;
    this.#capacity = capacity;
    this.#width = width;
    [this.#values, this.#validity] = pool.allocate(this.#sizes(capacity), near, 'values', 'bitmaps');
  }

  get arena(): Arena {
    return this.#values.arena;
  }
  /** Byte offset of the values in the arena. */
  get valuesAt(): number {
    return this.#values.at;
  }
  /** Byte offset of the validity bitmap in the arena. */
  get validityAt(): number {
    return this.#validity.at;
  }
  /** Memory of the values and of the validity bitmap. */
  get valueBytes(): number {
    return this.#values.bytes;
  }
  get validityBytes(): number {
    return this.#validity.bytes;
  }
  get width(): Width {
    return this.#width;
  }
  get presentCount(): number {
    return this.#presentCount;
  }
  get min(): number {
    return this.#min;
  }
  get max(): number {
    return this.#max;
  }

  #sizes(capacity: number): number[] {
    return [valueBytes(this.kind, this.#width, capacity), bitmapBytes(capacity)];
  }

  /** Ensures capacity for `capacity` rows. */
  reserve(capacity: number): void {
    if (capacity <= this.#capacity) return;
    [this.#values, this.#validity] = this.#pool.resize([this.#values, this.#validity], this.#sizes(capacity));
    this.#capacity = capacity;
  }

  release(): void {
    this.#values.arena.release(this.#values);
    this.#validity.arena.release(this.#validity);
  }

  has(row: number): boolean {
    return (this.#validity.arena.u8[this.#validity.at + (row >> 3)] & (1 << (row & 7))) !== 0;
  }

  /**
   * Fills an empty column with `rowCount` rows from a snapshot file, in which rows without a value have 0. `validity` null =
   * every row has a value; `width` is what the widest value needs (widthOfValues).
   */
  restore(values: StoredValues, width: Width, validity: Uint8Array | null, rowCount: number): void {
    invariant(this.#presentCount === 0, 'only an empty column can be restored');
    if (width > this.#width) this.#widen(width);
    const { arena, at } = this.#values;
    writeValues(arena, at, this.#width, values);
    const valid = this.#validity;
    if (validity === null) valid.arena.kernels.fill(rowCount, valid.at);
    else valid.arena.u8.set(validity.subarray(0, (rowCount + 7) >> 3), valid.at);
    this.#presentCount = valid.arena.kernels.count(valid.at, rowCount);
    this.#restoreZone(values, rowCount);
  }

  /** Rows without a value are 0 and widen the zone, which is only used to skip. */
  #restoreZone(values: StoredValues, rowCount: number): void {
    if (values.kind === 'bits' || values.kind === 'geo' || rowCount === 0) return;
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (let row = 0; row < rowCount; row++) {
      const value =
        values.kind === 'i64'
          ? (values.words[row * 2 + 1] | 0) * 2 ** 32 + values.words[row * 2]
          : values.kind === 'code'
            ? values.codes[row]
            : values.i32[row];
      if (value < min) min = value;
      if (value > max) max = value;
    }
    this.#widenZone(min);
    this.#widenZone(max);
  }

  /** Copies `rows` of a column of the same kind and width to this empty column. */
  copyFrom(source: LatestColumn, rows: Uint32Array): void {
    invariant(
      this.#presentCount === 0 && this.#width === source.#width,
      'rows can be copied only to an empty column',
    );
    gatherValues(this.kind, this.#width, source.#values, this.#values, rows);
    const valid = this.#validity;
    gatherBits(source.#validity.arena.u8, source.#validity.at, valid.arena.u8, valid.at, rows);
    this.#presentCount = valid.arena.kernels.count(valid.at, rows.length);
    this.#min = source.#min;
    this.#max = source.#max;
  }

  /** Removes the row's value; rows beyond the column's capacity have none. */
  remove(row: number): void {
    if (row >= this.#capacity || !this.has(row)) return;
    const { arena, at } = this.#values;
    switch (this.kind) {
      case 'bits':
        arena.u8[at + (row >> 3)] &= ~(1 << (row & 7));
        break;
      case 'i32':
        arena.i32[(at >> 2) + row] = 0;
        break;
      case 'i64':
        writeInteger(arena, at, this.#width, row, 0, 0);
        break;
      case 'geo':
        arena.f64.fill(0, (at >> 3) + row * 2, (at >> 3) + row * 2 + 2);
        break;
      case 'code':
        writeNarrow(arena, at, this.#width as 1 | 2 | 4, row, 0);
        break;
    }
    this.#validity.arena.u8[this.#validity.at + (row >> 3)] &= ~(1 << (row & 7));
    this.#presentCount--;
  }

  /** The number of values that `markCodes` reads. */
  get codeSlotCount(): number {
    return this.#capacity;
  }

  /** Sets used[c] to 1 for every code c of a code column; the code of a missing value is 0. */
  markCodes(used: Uint8Array): void {
    markCodes(this.#codes(), used);
  }

  /** Replaces every code c with codes[c], which is not greater, and recomputes the zone map. */
  recode(codes: Uint32Array): void {
    const stored = this.#codes();
    this.#min = Number.POSITIVE_INFINITY;
    this.#max = Number.NEGATIVE_INFINITY;
    for (let row = 0; row < stored.length; row++) {
      if (stored[row] === 0) continue;
      const code = codes[stored[row]];
      stored[row] = code;
      this.#widenZone(code);
    }
  }

  #codes(): Uint8Array | Uint16Array | Uint32Array {
    invariant(this.kind === 'code', 'only a column of strings has codes');
    return readCodes(this.arena, this.#values.at, this.#width, this.#capacity);
  }

  /**
   * Sets row rows[i] to value i of a section, for i in [from, to); `codes` are those of the strings, for kind `code`. If a row
   * occurs twice, the later value wins.
   */
  setAll(rows: Uint32Array, values: Values, codes: Uint32Array | null, from: number, to: number): void {
    const width = widthOfRun(values, codes, from, to);
    if (width > this.#width) this.#widen(width);
    scatterValues(this.arena, this.valuesAt, this.#width, rows, values, codes, from, to);
    const { arena, at } = this.#validity;
    this.#presentCount += markRows(arena.u8, at, rows, from, to);
    if (values.kind === 'i32') this.#widenZoneBy(values.i32, from, to);
    else if (values.kind === 'i64') this.#widenZoneByIntegers(values.words, from, to);
    else if (codes !== null) this.#widenZoneBy(codes, from, to);
  }

  #widenZoneBy(values: Int32Array | Uint32Array, from: number, to: number): void {
    for (let index = from; index < to; index++) this.#widenZone(values[index]);
  }

  #widenZoneByIntegers(words: Uint32Array, from: number, to: number): void {
    for (let index = from; index < to; index++) {
      this.#widenZone((words[index * 2 + 1] | 0) * 2 ** 32 + words[index * 2]);
    }
  }

  #widenZone(value: number): void {
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  #widen(width: Width): void {
    invariant(this.kind === 'code' || this.kind === 'i64', 'only codes and integers have a width');
    const old = [this.#values, this.#validity];
    const before = this.#width;
    this.#width = width;
    const [values, validity] = this.#pool.allocate(
      this.#sizes(this.#capacity),
      this.arena,
      'values',
      'bitmaps',
    );
    widenInto(this.kind, this.#values, before, values, width, this.#capacity);
    const { arena, at, bytes } = this.#validity;
    validity.arena.u8.set(arena.u8.subarray(at, at + bytes), validity.at);
    this.#values = values;
    this.#validity = validity;
    for (const block of old) block.arena.release(block);
  }
}
