/**
 * Excludes rows that cannot be among the first of an order before they are read. If the first key is a column of
 * integers or days, rows whose value sorts after that of the last row kept are excluded: whole segments by zone map,
 * rows by kernels.
 */
import type { SelectPlan, SortKey } from '../../ir/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import type { EntitySegment, LatestColumn } from '../../storage/index.js';
import { runOf } from '../condition/run.js';
import { selectRange } from '../condition/value-test.js';

/** The last row kept by a bounded sort. */
export interface SortBound {
  /** The leading number of its first key (see sort-key-column.ts); Infinity = missing. */
  readonly leading: number;
  /** Whether a row with the same leading number sorts after it. */
  readonly isTieAfter: boolean;
}

interface ValueRange {
  readonly low: number;
  readonly high: number;
}

export class TopBound {
  readonly #columnId: number;
  readonly #descending: boolean;
  readonly #last: () => SortBound | null;

  private constructor(columnId: number, descending: boolean, last: () => SortBound | null) {
    this.#columnId = columnId;
    this.#descending = descending;
    this.#last = last;
  }

  /** `last` returns null while every row is among the first. Returns null if the first key is not such a column. */
  static of(plan: SelectPlan, last: () => SortBound | null): TopBound | null {
    const [first] = plan.order;
    const columnId = plan.events === null ? columnOf(first, plan) : null;
    return columnId === null ? null : new TopBound(columnId, first.descending, last);
  }

  /** Whether the bound excludes any rows. */
  get isKnown(): boolean {
    return this.#range() !== null;
  }

  /**
   * Narrows the `count` rows of a segment that are set in `bitmap` (which is ignored if they are all rows) to those
   * that may be among the first; returns their number.
   */
  narrow(segment: EntitySegment, count: number, bitmap: Uint8Array): number {
    const range = this.#range();
    if (range === null || count === 0) return count;
    const column = segment.latest(this.#columnId);
    // Missing values sort last.
    if (column === undefined || column.presentCount === 0) return 0;
    if (column.width === 8) return count;
    return narrowTo(column, range, segment.rowCount, count, bitmap);
  }

  /** Whether no row of the segment can be among the first. */
  skips(segment: EntitySegment): boolean {
    const range = this.#range();
    if (range === null) return false;
    const column = segment.latest(this.#columnId);
    if (column === undefined || column.presentCount === 0) return true;
    return column.width !== 8 && (column.max < range.low || column.min > range.high);
  }

  #range(): ValueRange | null {
    const last = this.#last();
    if (last === null || last.leading === Number.POSITIVE_INFINITY) return null;
    const high = last.leading - (last.isTieAfter ? 1 : 0);
    return this.#descending
      ? { low: -high, high: Number.POSITIVE_INFINITY }
      : { low: Number.NEGATIVE_INFINITY, high };
  }
}

function columnOf({ of }: SortKey, { inputs }: SelectPlan): number | null {
  const input = of.op === 'input' ? inputs[of.input] : null;
  if (input?.from !== 'attribute') return null;
  return input.kind === 'i64' || input.kind === 'i32' ? input.columnId : null;
}

/** Narrows to rows whose value is within the range. */
function narrowTo(
  column: LatestColumn,
  range: ValueRange,
  rowCount: number,
  count: number,
  bitmap: Uint8Array,
): number {
  const { arena, min, max } = column;
  const [low, high] = [Math.max(range.low, min), Math.min(range.high, max)];
  if (low > high) return 0;
  const { kernels, u8 } = arena;
  const out = arena.scratchBitmap(0);
  const within = { low: BigInt(low), high: BigInt(high) };
  let selectedCount = selectRange(runOf(column, rowCount), within, false, out);
  const bytes = bitmapBytes(rowCount);
  if (count < rowCount && selectedCount > 0) {
    const selected = arena.scratchBitmap(1);
    u8.set(bitmap.subarray(0, bytes), selected);
    selectedCount = kernels.and(out, selected, rowCount, out);
  }
  bitmap.set(u8.subarray(out, out + bytes));
  return selectedCount;
}
