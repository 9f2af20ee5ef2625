/**
 * One sort key of an order of rows within one shard.
 * Invariants  every row has a number for each key, and rows with different numbers are ordered by them. Numbers are
 *             negated for descending order; a missing value's number is Infinity, so it sorts last in both
 *             directions. `compareTied` compares rows with equal numbers. Nearly all rows are therefore decided by
 *             one comparison of doubles.
 */
import type { OrderValue, RowPosition } from '../../ir/index.js';

/** A position as a limit by one key. */
export interface KeyBound {
  readonly number: number;
  /** For a row with the same number: negative if it sorts before the position, 0 if it ties with it. */
  compareTied(row: number): number;
}

export interface RowSortKey {
  /** The range of the numbers of the segment's rows. */
  zone(segmentIndex: number): { readonly low: number; readonly high: number };
  /**
   * Removes from `words` (from word 0 on) rows of the segment whose number is certainly below `low` or above `high`;
   * may leave some. Not worthwhile for a few rows.
   */
  narrow(segmentIndex: number, low: number, high: number, words: Uint32Array): void;
  /** Writes the numbers of the first `count` rows in `segmentRows` of the segment. */
  fill(segmentIndex: number, segmentRows: Uint32Array, count: number, numbers: Float64Array): void;
  number(row: number): number;
  /** Compares two rows with the same number. */
  compareTied(a: number, b: number): number;
  bound(position: RowPosition): KeyBound;
}

/** A key of the plan's order, whose value is part of a row's position. */
export interface OrderSortKey extends RowSortKey {
  value(row: number): OrderValue;
}

export const NO_ZONE = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY } as const;
/** The range of a segment whose values are all missing. */
export const MISSING_ZONE = { low: Number.POSITIVE_INFINITY, high: Number.POSITIVE_INFINITY } as const;

/** A limit that is decided by its number only. */
export const exactBound = (number: number): KeyBound => ({ number, compareTied: () => 0 });
