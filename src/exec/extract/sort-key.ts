/**
 * One key of an order of rows within one shard.
 * Invariants: every row has a number for each key, and rows whose numbers differ stand in the order of the numbers,
 * which are turned round where the order falls; a missing value's number is Infinity, so it is last both ways. Rows with
 * equal numbers are told apart by `compareTied`. So nearly all rows are decided by one comparison of doubles.
 */
import type { OrderValue, RowPosition } from '../../ir/index.js';

/** Where a position stands by one key. */
export interface KeyBound {
  readonly number: number;
  /** Below 0 when the row, whose number is the same, stands before the position, 0 when it ties with it. */
  compareTied(row: number): number;
}

export interface SortKey {
  /** Bounds of the numbers of the segment's rows. */
  zone(segmentIndex: number): { readonly low: number; readonly high: number };
  /**
   * Takes rows of the segment out of `words` (from word 0 on) whose number is surely below `low` or above `high`; may
   * leave some. Not worth it for a few rows.
   */
  narrow(segmentIndex: number, low: number, high: number, words: Uint32Array): void;
  /** Writes the numbers of the rows at the first `count` of `places` of the segment. */
  fill(segmentIndex: number, places: Uint32Array, count: number, numbers: Float64Array): void;
  number(row: number): number;
  /** For two rows with the same number. */
  compareTied(a: number, b: number): number;
  bound(position: RowPosition): KeyBound;
}

/** A key of the plan's order: its value stands in a row's position. */
export interface OrderSortKey extends SortKey {
  value(row: number): OrderValue;
}

export const NO_ZONE = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY } as const;
/** Every value is missing. */
export const MISSING_ZONE = { low: Number.POSITIVE_INFINITY, high: Number.POSITIVE_INFINITY } as const;

/** A bound that its number alone decides. */
export const exactBound = (number: number): KeyBound => ({ number, compareTied: () => 0 });
