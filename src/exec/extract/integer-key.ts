/** A sort key by a latest-value column of 64-bit integers, days or booleans. */
import { SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { OrderValue, RowPosition } from '../../ir/index.js';
import type { DimensionShard, LatestColumn } from '../../storage/index.js';
import { integerAt, numberAt, type StoredAt } from '../scan/stored-values.js';
import { keepBits } from './row-words.js';
import { exactBound, type KeyBound, MISSING_ZONE, NO_ZONE, type OrderSortKey } from './sort-key.js';

/** More than the distance of a 64-bit integer from its nearest double. */
const ROUNDING = 2_048n;

export class IntegerKey implements OrderSortKey {
  readonly #shard: DimensionShard;
  readonly #columnId: number;
  readonly #sign: 1 | -1;
  /** The index of this key's value in a position. */
  readonly #at: number;
  readonly #columns: (LatestColumn | null | undefined)[];

  constructor(shard: DimensionShard, columnId: number, descending: boolean, at: number) {
    this.#shard = shard;
    this.#columnId = columnId;
    this.#sign = descending ? -1 : 1;
    this.#at = at;
    this.#columns = new Array(shard.segments.length).fill(undefined);
  }

  #column(segmentIndex: number): LatestColumn | null {
    let column = this.#columns[segmentIndex];
    if (column === undefined) {
      column = this.#shard.segments[segmentIndex].latest(this.#columnId) ?? null;
      this.#columns[segmentIndex] = column;
    }
    return column;
  }

  #isFull(segmentIndex: number, { presentCount }: LatestColumn): boolean {
    return presentCount === this.#shard.segments[segmentIndex].rowCount;
  }

  zone(segmentIndex: number): { low: number; high: number } {
    const column = this.#column(segmentIndex);
    if (column === null || column.presentCount === 0) return MISSING_ZONE;
    if (column.kind === 'bits') return NO_ZONE;
    const [low, high] = this.#sign > 0 ? [column.min, column.max] : [-column.max, -column.min];
    return { low, high: this.#isFull(segmentIndex, column) ? high : Number.POSITIVE_INFINITY };
  }

  narrow(segmentIndex: number, low: number, high: number, words: Uint32Array): void {
    const column = this.#column(segmentIndex);
    const { rowCount } = this.#shard.segments[segmentIndex];
    if (column === null) return;
    if (low === Number.POSITIVE_INFINITY) keepBits(words, column.arena, column.validityAt, rowCount, false);
    // Missing values are stored within the range, or there are none.
    else if (high === Number.POSITIVE_INFINITY || column.kind === 'bits') return;
    else if (this.#sign > 0) keepRange(column, rowCount, low, high, words);
    else keepRange(column, rowCount, -high, -low, words);
  }

  fill(segmentIndex: number, segmentRows: Uint32Array, count: number, numbers: Float64Array): void {
    const column = this.#column(segmentIndex);
    if (column === null) {
      numbers.fill(Number.POSITIVE_INFINITY, 0, count);
      return;
    }
    fillValues(column, segmentRows, count, this.#sign, numbers);
    if (this.#isFull(segmentIndex, column)) return;
    const { u8 } = column.arena;
    const { validityAt } = column;
    for (let at = 0; at < count; at++) {
      const segmentRow = segmentRows[at];
      if (((u8[validityAt + (segmentRow >> 3)] >> (segmentRow & 7)) & 1) === 0)
        numbers[at] = Number.POSITIVE_INFINITY;
    }
  }

  number(row: number): number {
    const column = this.#column(row >>> SEGMENT_ROWS_SHIFT);
    const segmentRow = row & SEGMENT_ROWS_MASK;
    if (column === null || !column.has(segmentRow)) return Number.POSITIVE_INFINITY;
    return this.#sign * numberAt(column, segmentRow);
  }

  compareTied(a: number, b: number): number {
    const columnA = this.#column(a >>> SEGMENT_ROWS_SHIFT);
    const columnB = this.#column(b >>> SEGMENT_ROWS_SHIFT);
    // Doubles round only 8-byte integers; if one of the two is narrower, the values are equal.
    if (columnA?.kind !== 'i64' || columnB?.kind !== 'i64') return 0;
    if (columnA.width !== 8 || columnB.width !== 8) return 0;
    const [wordsA, wordsB] = [columnA.arena.u32, columnB.arena.u32];
    const atA = (columnA.valuesAt >> 2) + (a & SEGMENT_ROWS_MASK) * 2;
    const atB = (columnB.valuesAt >> 2) + (b & SEGMENT_ROWS_MASK) * 2;
    return this.#sign * compareWords(wordsA[atA + 1], wordsA[atA], wordsB[atB + 1], wordsB[atB]);
  }

  bound({ values }: RowPosition): KeyBound {
    const value = values[this.#at];
    if (typeof value !== 'bigint') return exactBound(Number.POSITIVE_INFINITY);
    const high = Number(BigInt.asUintN(32, value >> 32n));
    const low = Number(BigInt.asUintN(32, value));
    const compareTied = (row: number): number => {
      const column = this.#column(row >>> SEGMENT_ROWS_SHIFT);
      if (column?.kind !== 'i64' || column.width !== 8) return 0;
      const { u32 } = column.arena;
      const at = (column.valuesAt >> 2) + (row & SEGMENT_ROWS_MASK) * 2;
      return this.#sign * compareWords(u32[at + 1], u32[at], high, low);
    };
    return { number: this.#sign * Number(value), compareTied };
  }

  value(row: number): OrderValue {
    const column = this.#column(row >>> SEGMENT_ROWS_SHIFT);
    const segmentRow = row & SEGMENT_ROWS_MASK;
    return column === null || !column.has(segmentRow) ? null : integerAt(column, segmentRow);
  }
}

/** Compares 64-bit integers given as unsigned words; only the high word is signed. */
function compareWords(highA: number, lowA: number, highB: number, lowB: number): number {
  return highA === highB ? lowA - lowB : (highA | 0) - (highB | 0);
}

/** Writes numberAt times `sign` for many rows, including rows without a value. */
function fillValues(
  { arena, kind, width, valuesAt }: StoredAt,
  segmentRows: Uint32Array,
  count: number,
  sign: number,
  numbers: Float64Array,
): void {
  if (kind === 'bits') {
    for (let at = 0; at < count; at++) {
      numbers[at] = sign * ((arena.u8[valuesAt + (segmentRows[at] >> 3)] >> (segmentRows[at] & 7)) & 1);
    }
  } else if (kind === 'i32' || width === 4)
    fillNarrow(arena.i32, valuesAt >> 2, segmentRows, count, sign, numbers);
  else if (width === 2) fillNarrow(arena.i16, valuesAt >> 1, segmentRows, count, sign, numbers);
  else if (width === 1) fillNarrow(arena.i8, valuesAt, segmentRows, count, sign, numbers);
  else {
    const { u32, i32 } = arena;
    const first = valuesAt >> 2;
    for (let at = 0; at < count; at++) {
      const word = first + segmentRows[at] * 2;
      numbers[at] = sign * (i32[word + 1] * 2 ** 32 + u32[word]);
    }
  }
}

function fillNarrow(
  values: Int8Array | Int16Array | Int32Array,
  first: number,
  segmentRows: Uint32Array,
  count: number,
  sign: number,
  numbers: Float64Array,
): void {
  for (let at = 0; at < count; at++) numbers[at] = sign * values[first + segmentRows[at]];
}

/** Keeps the rows whose value may round to a double in [low, high]; drops rows without a value. */
function keepRange(
  { arena, kind, width, valuesAt, validityAt, min, max }: LatestColumn,
  rowCount: number,
  low: number,
  high: number,
  words: Uint32Array,
): void {
  const bits = kind === 'i32' ? 32 : width * 8;
  const least = -(2n ** BigInt(bits - 1));
  const from = clamp(low, -ROUNDING, least);
  const to = clamp(high, ROUNDING, least);
  if (low <= min && high >= max) keepBits(words, arena, validityAt, rowCount, true);
  else {
    const { kernels } = arena;
    const out = arena.scratchBitmap(0);
    if (bits === 64) kernels.rangeI64(valuesAt, validityAt, rowCount, from, to, false, out);
    else {
      const range = [Number(from), Number(to), false, out] as const;
      if (bits === 32) kernels.rangeI32(valuesAt, validityAt, rowCount, ...range);
      else if (bits === 16) kernels.rangeI16(valuesAt, validityAt, rowCount, ...range);
      else kernels.rangeI8(valuesAt, validityAt, rowCount, ...range);
    }
    keepBits(words, arena, out, rowCount, true);
  }
}

/**
 * Converts a range end to an integer, moved by `aside` to allow for rounding and clamped to the width whose least
 * integer is `least`.
 */
function clamp(bound: number, aside: bigint, least: bigint): bigint {
  if (!Number.isFinite(bound)) return bound < 0 ? least : -least - 1n;
  const value = BigInt(Math.round(bound)) + (least === -(2n ** 63n) ? aside : 0n);
  return value < least ? least : value > -least - 1n ? -least - 1n : value;
}
