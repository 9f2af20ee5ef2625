/**
 * First keys of an order whose leading numbers (see sort-key-column.ts) are known without reading rows one by one: columns of
 * integers and days, and the distance of points.
 */
import type { Input, SortKey } from '../../ir/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import type { EntitySegment, LatestColumn } from '../../storage/index.js';
import { runOf } from '../condition/run.js';
import { selectRange } from '../condition/value-test.js';
import { GeoRing } from '../extract/geo-ring.js';
import { countBits, fillWords } from '../extract/row-words.js';

/** A range of leading numbers, both ends included. */
export interface NumberRange {
  readonly low: number;
  readonly high: number;
}

export interface BoundKey {
  /** Whether leading numbers are integers that decide the order of rows. */
  readonly isExact: boolean;
  /** The range of the numbers of the segment's rows. */
  range(segment: EntitySegment): NumberRange;
  /**
   * Narrows the `count` rows of the segment that are set in `bitmap` (which is ignored if they are all rows) to those whose
   * number may be in the range; returns their number.
   */
  narrow(segment: EntitySegment, range: NumberRange, count: number, bitmap: Uint8Array<ArrayBuffer>): number;
}

/** Returns null for another key. */
export function boundKeyOf(input: Input, { descending }: SortKey): BoundKey | null {
  if (input.from === 'attribute' && (input.kind === 'i64' || input.kind === 'i32'))
    return new IntegerKey(input.columnId, descending);
  const isDistance = input.from === 'nearest' && input.part === 'distance';
  if (!isDistance || input.near.from !== 'attribute' || descending) return null;
  return new DistanceKey(input.near.columnId, new GeoRing(input.near));
}

const ALL: NumberRange = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
/** The range of a segment without values. */
const MISSING: NumberRange = { low: Number.POSITIVE_INFINITY, high: Number.POSITIVE_INFINITY };
/** More than the distance of a 64-bit integer from its nearest double. */
const ROUNDING = 2_048n;

class IntegerKey implements BoundKey {
  readonly #columnId: number;
  readonly #descending: boolean;
  readonly isExact = true;

  constructor(columnId: number, descending: boolean) {
    this.#columnId = columnId;
    this.#descending = descending;
  }

  range(segment: EntitySegment): NumberRange {
    const column = segment.latest(this.#columnId);
    if (column === undefined || column.presentCount === 0) return MISSING;
    const { low, high } = this.#turned({ low: column.min, high: column.max });
    return { low, high: column.presentCount === segment.rowCount ? high : Number.POSITIVE_INFINITY };
  }

  #turned({ low, high }: NumberRange): NumberRange {
    return this.#descending ? { low: -high, high: -low } : { low, high };
  }

  narrow(segment: EntitySegment, range: NumberRange, count: number, bitmap: Uint8Array<ArrayBuffer>): number {
    const column = segment.latest(this.#columnId);
    const mayBeMissing = range.high === Number.POSITIVE_INFINITY;
    if (column === undefined || column.presentCount === 0) return mayBeMissing ? count : 0;
    // Missing values are stored within the range.
    if (mayBeMissing && column.presentCount < segment.rowCount) return count;
    return narrowTo(column, this.#turned(range), segment.rowCount, count, bitmap);
  }
}

/** Narrows to rows whose value is within the range. */
function narrowTo(
  column: LatestColumn,
  range: NumberRange,
  rowCount: number,
  count: number,
  bitmap: Uint8Array<ArrayBuffer>,
): number {
  const { arena, min, max } = column;
  const [low, high] = [Math.max(range.low, min), Math.min(range.high, max)];
  if (low > high) return 0;
  const { kernels, u8 } = arena;
  const out = arena.scratchBitmap(0);
  let selectedCount = selectRange(runOf(column, rowCount), integersWithin(low, high, column), false, out);
  const bytes = bitmapBytes(rowCount);
  if (count < rowCount && selectedCount > 0) {
    const selected = arena.scratchBitmap(1);
    u8.set(bitmap.subarray(0, bytes), selected);
    selectedCount = kernels.and(out, selected, rowCount, out);
  }
  bitmap.set(u8.subarray(out, out + bytes));
  return selectedCount;
}

/** The integers that may round to doubles within the range. */
function integersWithin(low: number, high: number, { width, kind }: LatestColumn) {
  if (width !== 8 || kind === 'i32') return { low: BigInt(Math.ceil(low)), high: BigInt(Math.floor(high)) };
  const [from, to] = [BigInt(Math.ceil(low)) - ROUNDING, BigInt(Math.floor(high)) + ROUNDING];
  const [least, greatest] = [-(2n ** 63n), 2n ** 63n - 1n];
  return { low: from < least ? least : from, high: to > greatest ? greatest : to };
}

class DistanceKey implements BoundKey {
  readonly #columnId: number;
  readonly #ring: GeoRing;
  readonly isExact = false;

  constructor(columnId: number, ring: GeoRing) {
    this.#columnId = columnId;
    this.#ring = ring;
  }

  range(segment: EntitySegment): NumberRange {
    return (segment.latest(this.#columnId) ?? segment.list(this.#columnId)) ? ALL : MISSING;
  }

  narrow(
    segment: EntitySegment,
    { low, high }: NumberRange,
    count: number,
    bitmap: Uint8Array<ArrayBuffer>,
  ): number {
    const column = segment.latest(this.#columnId);
    const { rowCount } = segment;
    if (column === undefined) return count;
    const words = new Uint32Array(bitmap.buffer, bitmap.byteOffset, bitmapBytes(rowCount) >> 2);
    if (count === rowCount) fillWords(words.fill(0), 0, rowCount);
    this.#ring.narrow(low, high, column.arena, column.valuesAt, rowCount, words);
    return countBits(words);
  }
}
