/** Reads a latest-value column for entities in any order, as the entities of unsorted events. */
import { SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import { type DimensionShard, type LatestColumn, readCodes } from '../../storage/index.js';
import type { Texts, Vector } from '../../vector/index.js';
import { type BatchArrays, integerAt, NO_TEXTS, numberAt, UNSAFE } from '../scan/stored-values.js';

/** Columns of points are not supported. */
export class EntityValues {
  /** By segment; null = no entity of the segment has a value. */
  readonly #columns: readonly (LatestColumn | null)[];
  readonly #isFull: boolean;
  readonly #codes: readonly (Uint8Array | Uint16Array | Uint32Array)[];
  readonly #texts: Texts;
  readonly #isBits: boolean;
  readonly #isText: boolean;
  readonly #arrays: BatchArrays;

  constructor(
    { segments }: DimensionShard,
    columnId: number,
    kind: LatestColumn['kind'],
    texts: Texts | null,
    arrays: BatchArrays,
  ) {
    this.#columns = segments.map((segment) => {
      const column = segment.latest(columnId);
      return column === undefined || column.presentCount === 0 ? null : column;
    });
    this.#isFull = segments.every(
      ({ rowCount, deadCount }, index) => this.#columns[index]?.presentCount === rowCount - deadCount,
    );
    this.#isText = kind === 'code';
    this.#isBits = kind === 'bits';
    this.#codes = this.#isText
      ? this.#columns.map((column, index) =>
          column === null
            ? new Uint8Array(segments[index].rowCount)
            : readCodes(column.arena, column.valuesAt, column.width, segments[index].rowCount),
        )
      : [];
    this.#texts = texts ?? NO_TEXTS();
    this.#arrays = arrays;
  }

  /** The values of the entities, given as rows of the shard; valid until the next call. */
  read(rows: Uint32Array): Vector {
    const count = rows.length;
    const valid = this.#isFull ? null : this.#validOf(rows);
    if (this.#isText) return { kind: 'text', count, valid, codes: this.#codesOf(rows), texts: this.#texts };
    if (this.#isBits) return { kind: 'boolean', count, valid, bits: this.#bitsOf(rows) };
    const numbers = this.#arrays.numbers(count);
    let isSafe = true;
    for (let at = 0; at < count; at++) {
      const column = this.#columns[rows[at] >>> SEGMENT_ROWS_SHIFT];
      const row = rows[at] & SEGMENT_ROWS_MASK;
      const value = column === null ? 0 : numberAt(column, row);
      numbers[at] = value;
      if (value >= UNSAFE || value <= -UNSAFE) isSafe = false;
    }
    if (isSafe) return { kind: 'exact', count, valid, numbers, wide: null };
    const wide = Array.from(rows, (row) => {
      const column = this.#columns[row >>> SEGMENT_ROWS_SHIFT];
      return column === null ? 0n : integerAt(column, row & SEGMENT_ROWS_MASK);
    });
    return { kind: 'exact', count, valid, numbers: null, wide };
  }

  #codesOf(rows: Uint32Array): Uint32Array {
    const codes = this.#arrays.codes(rows.length);
    const all = this.#codes;
    for (let at = 0; at < rows.length; at++) {
      codes[at] = all[rows[at] >>> SEGMENT_ROWS_SHIFT][rows[at] & SEGMENT_ROWS_MASK];
    }
    return codes;
  }

  #bitsOf(rows: Uint32Array): Uint8Array {
    const bits = this.#arrays.bits(rows.length);
    for (let at = 0; at < rows.length; at++) bits[at] = this.#bit(rows[at], (column) => column.valuesAt);
    return bits;
  }

  #validOf(rows: Uint32Array): Uint8Array {
    const valid = new Uint8Array(rows.length);
    for (let at = 0; at < rows.length; at++) valid[at] = this.#bit(rows[at], (column) => column.validityAt);
    return valid;
  }

  /** A bit of the entity in a bitmap of its segment's column. */
  #bit(shardRow: number, bitmapAt: (column: LatestColumn) => number): number {
    const column = this.#columns[shardRow >>> SEGMENT_ROWS_SHIFT];
    const row = shardRow & SEGMENT_ROWS_MASK;
    return column === null ? 0 : (column.arena.u8[bitmapAt(column) + (row >> 3)] >> (row & 7)) & 1;
  }
}
