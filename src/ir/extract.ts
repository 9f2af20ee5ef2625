/**
 * Extraction as plain data: the rows, their order, the position after which they start, and their values.
 * The order of rows is total, so that a page can begin after any row. Scored rows are selected by score (descending),
 * then by ID; the selected rows are then returned in the order of the plan's keys (`answerOrder`). Rows without a score
 * are ordered by distance (ascending) if there is one, then by the order's keys, then by ID. Without distance and keys,
 * they are ordered by the bit-reversed hash of the ID, then by ID. Missing values are last, ascending or descending.
 * Text is compared as UTF-8 bytes.
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

/** The value of an order key: text, any other value in its stored form, null = missing. */
export type OrderValue = bigint | string | null;

/** The position of a row in the order. */
export interface RowPosition {
  readonly id: string;
  /** 0 if rows are not scored. */
  readonly score: number;
  /** 0 without `near`. */
  readonly distanceKm: number;
  /** One value per key of the order, even if the keys do not determine which rows are selected. */
  readonly values: readonly OrderValue[];
}

/** Orders entities by the distance of their value, or of their nearest passing event, from a point. */
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
  /** The condition for candidate rows; null = all rows. */
  readonly condition: Condition | null;
  /** A row's score is the number of satisfied conditions; rows of score 0 are omitted. null = rows are not scored. */
  readonly scored: readonly Condition[] | null;
  /** Computes a distance for every row. Rows without a matching point are omitted, unless rows are scored. */
  readonly near: NearPlan | null;
  readonly order: readonly OrderKey[];
  /** Rows up to and including this position are omitted; null = none. */
  readonly after: RowPosition | null;
  /** The maximum number of rows. */
  readonly limit: number;
  readonly columns: readonly OutputColumn[];
}

/** The text of a value, or the JSON of a list or of events; null = the entity has no value. */
export type ExtractedValue = string | null;

export interface ExtractedRow {
  readonly position: RowPosition;
  /** The point that determines the row's distance; null without one. */
  readonly nearest: Point | null;
  /** One per column of the plan. */
  readonly values: readonly ExtractedValue[];
}
