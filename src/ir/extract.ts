/**
 * Extraction as plain data: which rows, in which order, from where on, with which cells.
 * The order of rows is total, so that a page can begin after any row. Scored rows are chosen by score (falling), then by
 * ID; the chosen rows are then answered by the order's keys (`answerOrder`). Other rows come by distance (rising) if there
 * is one, then by the order's keys, then by ID; without any of these by the hash of the ID with its bits reversed, then by
 * ID. Missing values come last, rising or falling. Text is compared as UTF-8 bytes.
 */
import type { Point, ValueForm, ValueKind } from '../schema/index.js';
import type { Condition, ValueTest, Window } from './condition.js';

export type OrderKey =
  | { readonly by: 'entity-id'; readonly descending: boolean }
  /** A latest-value column; points have no order. */
  | {
      readonly by: 'attribute';
      readonly columnId: number;
      readonly kind: Exclude<ValueKind, 'geo'>;
      readonly descending: boolean;
    };

/** The value of an order's key: a text, any other value in its stored form, null = missing. */
export type OrderValue = bigint | string | null;

/** Where a row stands in the order. */
export interface RowPosition {
  readonly id: string;
  /** 0 where rows are not scored. */
  readonly score: number;
  /** 0 without `near`. */
  readonly distanceKm: number;
  /** One per key of the order, also where they do not choose the rows. */
  readonly values: readonly OrderValue[];
}

/** Entities by their distance from a point: of their value, or of the nearest of their events that pass. */
export type NearPlan = Point &
  (
    | { readonly from: 'attribute'; readonly columnId: number; readonly tests: readonly ValueTest[] }
    | {
        readonly from: 'events';
        readonly columnId: number;
        readonly window: Window;
        readonly tests: readonly ValueTest[];
      }
  );

export type OutputColumn = ValueForm &
  (
    | { readonly from: 'entity-id' }
    | { readonly from: 'attribute'; readonly columnId: number }
    | { readonly from: 'events'; readonly columnId: number; readonly window: Window }
  );

export interface ExtractPlan {
  readonly databaseId: number;
  readonly dimensionId: number;
  /** Rows that may be answered; null = all. */
  readonly condition: Condition | null;
  /** A row's score is how many of these hold; rows of score 0 are left out. null = rows are not scored. */
  readonly scored: readonly Condition[] | null;
  /** Every row gets its distance. Rows without such a point are left out, unless rows are scored. */
  readonly near: NearPlan | null;
  readonly order: readonly OrderKey[];
  /** Rows at or before this one are left out; null = none are. */
  readonly after: RowPosition | null;
  /** Rows at most. */
  readonly limit: number;
  readonly columns: readonly OutputColumn[];
}

export interface EventCell {
  readonly value: string;
  /** YYYY-MM-DDThh:mm:ssZ */
  readonly date: string;
}

/** null = the entity has no value; lists and events hold at least one. */
export type Cell = null | string | readonly string[] | readonly EventCell[];

export interface ExtractedRow {
  readonly position: RowPosition;
  /** The point whose distance is the row's; null without one. */
  readonly nearest: Point | null;
  /** One per column of the plan. */
  readonly cells: readonly Cell[];
}
