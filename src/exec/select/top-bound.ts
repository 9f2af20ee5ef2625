/**
 * Leaves out rows that cannot be among the first of an order, before anything of them is read: those whose first key, a column
 * of integers or days, stands behind that of the last row that is in. Whole segments by their zone maps, rows by kernels.
 */
import type { SelectPlan, SortKey } from '../../ir/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import type { EntitySegment, LatestColumn } from '../../storage/index.js';
import { runOf } from '../condition/run.js';
import { selectRange } from '../condition/value-test.js';

/** Of the last row that is in. */
export interface LastRow {
  /** The leading number of its first key (see sort-key-column.ts); Infinity = it has none. */
  readonly leading: number;
  /** Whether a row with the same number stands behind it. */
  readonly isTieBehind: boolean;
}

interface Range {
  readonly low: number;
  readonly high: number;
}

export class TopBound {
  readonly #columnId: number;
  readonly #descending: boolean;
  readonly #last: () => LastRow | null;

  private constructor(columnId: number, descending: boolean, last: () => LastRow | null) {
    this.#columnId = columnId;
    this.#descending = descending;
    this.#last = last;
  }

  /** `last`: null while every row is among the first. null: the first key is no such column. */
  static of(plan: SelectPlan, last: () => LastRow | null): TopBound | null {
    const [first] = plan.order;
    const columnId = plan.events === null ? columnOf(first, plan) : null;
    return columnId === null ? null : new TopBound(columnId, first.descending, last);
  }

  /** Whether it leaves anything out. */
  get isKnown(): boolean {
    return this.#range() !== null;
  }

  /** Of the `count` rows of a segment that are set in `bitmap` (all of them where it has no more) leaves those that may be in. */
  narrow(segment: EntitySegment, count: number, bitmap: Uint8Array): number {
    const range = this.#range();
    if (range === null || count === 0) return count;
    const column = segment.latest(this.#columnId);
    // Missing values stand last.
    if (column === undefined || column.presentCount === 0) return 0;
    if (column.width === 8) return count;
    return narrowTo(column, range, segment.rowCount, count, bitmap);
  }

  /** Whether no row of the segment may be in. */
  skips(segment: EntitySegment): boolean {
    const range = this.#range();
    if (range === null) return false;
    const column = segment.latest(this.#columnId);
    if (column === undefined || column.presentCount === 0) return true;
    return column.width !== 8 && (column.max < range.low || column.min > range.high);
  }

  #range(): Range | null {
    const last = this.#last();
    if (last === null || last.leading === Number.POSITIVE_INFINITY) return null;
    const high = last.leading - (last.isTieBehind ? 1 : 0);
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

/** Rows whose value lies in the range. */
function narrowTo(
  column: LatestColumn,
  range: Range,
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
  let kept = selectRange(runOf(column, rowCount), within, false, out);
  const bytes = bitmapBytes(rowCount);
  if (count < rowCount && kept > 0) {
    const selected = arena.scratchBitmap(1);
    u8.set(bitmap.subarray(0, bytes), selected);
    kept = kernels.and(out, selected, rowCount, out);
  }
  bitmap.set(u8.subarray(out, out + bytes));
  return kept;
}
