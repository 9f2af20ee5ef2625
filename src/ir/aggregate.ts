/**
 * Aggregations as plain data: the values to count, and the entities to count them for.
 * An AggregatePlan runs in rounds, one per level (src/plan/aggregation). A round is a SELECT that groups by one level and
 * the levels above it; the merged groups decide the values of the level before the next round begins.
 * A group is a path of values, one per decided level. An entity belongs to a group if it has each of these values: a
 * list has each of its items, and an event column has the value of each event in its level's window. Without decided
 * levels there is one group of all entities that satisfy `entities`.
 */
import { METRICS } from '../interface/index.js';
import type { Interval, ValueForm, ValueKind } from '../schema/index.js';
import type { Condition, ValueTest, Window } from './condition.js';

/** The source of a level's values: each value that passes every test counts. */
export interface LevelPlan {
  readonly source: ValueSource;
  /**
   * Applied to each value or item, regardless of the column's storage. A negated test passes if the test itself fails.
   */
  readonly tests: readonly ValueTest[];
}

export type ValueSource =
  | { readonly from: 'entity-id' }
  /** A latest-value column. */
  | { readonly from: 'attribute'; readonly columnId: number; readonly kind: ValueKind }
  /** The items of a list-of-values column. */
  | { readonly from: 'list'; readonly columnId: number; readonly kind: ValueKind }
  | {
      readonly from: 'events';
      readonly columnId: number;
      readonly kind: ValueKind;
      /** Events outside the window are ignored. */
      readonly window: Window;
    };

/** The time buckets of a histogram, numbered from 0. */
export type Buckets =
  /** Bucket 0 contains the first second of the level's window. */
  | { readonly by: 'interval'; readonly interval: Interval }
  /** The periods of a time zone: their ascending starts and the end of the last one. The first contains the start of the window. */
  | { readonly by: 'periods'; readonly starts: readonly number[] }
  /** Half-open: `to` is excluded. Windows may overlap; an event counts in each. */
  | { readonly by: 'windows'; readonly windows: readonly Window[] };

export { METRICS };
export type Metric = (typeof METRICS)[number];

export interface TopLevel extends LevelPlan, ValueForm {
  /** Maximum number of values, at least 1. */
  readonly limit: number;
  /** Values with fewer entities are omitted; 1 = none. */
  readonly minQuantity: number;
}

export interface MetricLevel extends LevelPlan, ValueForm {
  readonly metric: Metric;
  /** null = a single result without buckets. */
  readonly buckets: Buckets | null;
}

/** Nested top values, optionally with a metric at the end. There is at least one level of either kind. */
export interface AggregatePlan {
  readonly databaseId: number;
  readonly dimensionId: number;
  /** null = all entities. */
  readonly entities: Condition | null;
  /** Outermost first. */
  readonly levels: readonly TopLevel[];
  readonly metric: MetricLevel | null;
}

/** The result of one level within one group of the level above. */
export type AggregateAnswer =
  /** By descending quantity, then by value as text. */
  | { readonly answers: 'values'; readonly rows: readonly ValueRow[] }
  /** `token` is a JSON token such as 12, 12.5, null or "2016-01-01". */
  | { readonly answers: 'metric'; readonly token: string }
  /**
   * Nonempty buckets, ascending (windows: in the requested order). `from` included, `to` excluded, seconds since
   * 1970-01-01.
   */
  | { readonly answers: 'buckets'; readonly rows: readonly BucketRow[] };

export interface ValueRow {
  readonly value: string;
  readonly quantity: number;
  /** The result of the next level; null at the last level. */
  readonly next: AggregateAnswer | null;
}

export interface BucketRow {
  readonly token: string;
  readonly from: number;
  readonly to: number;
}
