/**
 * Excludes rows that cannot be among the first of an order before they are read, by the leading number of their first key (see
 * sort-key-column.ts): whole segments by the range of their numbers, rows by kernels. Rows sort before the last row kept, and
 * after the position at which the plan begins.
 */
import type { SelectPlan } from '../../ir/index.js';
import type { EntitySegment } from '../../storage/index.js';
import { type BoundKey, boundKeyOf } from './bound-key.js';
import { leadingNumberOf } from './sort-key-column.js';

/** The last row kept by a bounded sort. */
export interface SortBound {
  /** The leading number of its first key; Infinity = missing. */
  readonly leading: number;
  /** Whether a row with the same leading number sorts after it. */
  readonly isTieAfter: boolean;
}

export class TopBound {
  readonly #key: BoundKey;
  /** The least leading number of a row that is not left out. */
  readonly #low: number;
  readonly #last: () => SortBound | null;

  private constructor(key: BoundKey, low: number, last: () => SortBound | null) {
    this.#key = key;
    this.#low = low;
    this.#last = last;
  }

  /** `last` returns null while every row is among the first. Returns null if the first key has no such numbers. */
  static of(plan: SelectPlan, last: () => SortBound | null): TopBound | null {
    const [first] = plan.order;
    const key =
      plan.events === null && first.of.op === 'input' ? boundKeyOf(plan.inputs[first.of.input], first) : null;
    if (key === null) return null;
    const low = plan.after === undefined ? Number.NEGATIVE_INFINITY : leadingNumberOf(first, plan.after[0]);
    return new TopBound(key, low, last);
  }

  /** Whether the last row kept excludes any rows. */
  get isKnown(): boolean {
    return this.#high !== Number.POSITIVE_INFINITY;
  }

  get #high(): number {
    const last = this.#last();
    if (last === null) return Number.POSITIVE_INFINITY;
    return this.#key.isExact && last.isTieAfter ? last.leading - 1 : last.leading;
  }

  /**
   * Narrows the `count` rows of a segment that are set in `bitmap` (which is ignored if they are all rows) to those
   * that may be among the first; returns their number.
   */
  narrow(segment: EntitySegment, count: number, bitmap: Uint8Array<ArrayBuffer>): number {
    const high = this.#high;
    const isOpen = high === Number.POSITIVE_INFINITY && this.#low === Number.NEGATIVE_INFINITY;
    return isOpen || count === 0 ? count : this.#key.narrow(segment, { low: this.#low, high }, count, bitmap);
  }

  /** Whether no row of the segment can be among the first. */
  skips(segment: EntitySegment): boolean {
    const { low, high } = this.#key.range(segment);
    return low > this.#high || high < this.#low;
  }

  /** The indexes of the segments, those that may contain the first rows first. */
  inOrder(segments: readonly EntitySegment[]): Uint32Array {
    const ranges = segments.map((segment, index) => ({ index, low: this.#key.range(segment).low }));
    ranges.sort((a, b) => (a.low === b.low ? a.index - b.index : a.low < b.low ? -1 : 1));
    return Uint32Array.from(ranges, ({ index }) => index);
  }
}
