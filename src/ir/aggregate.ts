/**
 * Aggregations as plain data: the values to count, the entities to count them for, and the partial results of shards.
 * An AggregatePlan runs in rounds, one per level. A round requests from every shard the values of one level within the
 * groups decided by earlier rounds; the exact sum over all shards decides the groups of this level. Therefore the top
 * values are exact for any number of shards.
 * A group is a path of values, one per decided level. An entity belongs to a group if it has each of these values: a
 * list has each of its items, and an event column has the value of each event in its level's window. Without decided
 * levels there is one group, number 0, of all entities that satisfy `entities`.
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
  /** A latest-value or list-of-values column. */
  | { readonly from: 'attribute'; readonly columnId: number; readonly kind: ValueKind }
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

// Rounds: requests to a shard and their results

/**
 * A list of values, concatenated.
 *   text  value v is the UTF-8 bytes [offsets[v], offsets[v + 1])
 *   i64   the (low, high) words at words[2 v]
 *   geo   (longitude, latitude) at points[2 v]
 */
export type ValueList =
  | { readonly kind: 'text'; readonly offsets: Uint32Array; readonly bytes: Uint8Array }
  | { readonly kind: 'i64'; readonly words: Uint32Array }
  | { readonly kind: 'geo'; readonly points: Float64Array };

/** Group g of this level is value g of `values` within group parents[g] of the level above. */
export interface DecidedLevel {
  readonly level: LevelPlan;
  readonly parents: Uint32Array;
  readonly values: ValueList;
}

/** The statistics of a metric's values that a shard computes. */
export type MetricStatistic =
  /** The count only. */
  | 'count'
  /** Count and sum. */
  | 'sum'
  /** Count, least and greatest value. */
  | 'extremes'
  /** Count, sum and sum of squares. */
  | 'squares'
  /** Each distinct value and its count. */
  | 'values';

export type RoundRequest =
  /**
   * The number of entities of each value in each group: an entity counts once per group and value. `best`, which is set
   * for a single group only, limits the result to about that many values with the most entities.
   */
  | { readonly kind: 'values'; readonly level: LevelPlan; readonly best: number | null }
  /** Statistics of the values (items of lists, events in the window) of each group's entities, by bucket. */
  | {
      readonly kind: 'moments';
      readonly level: LevelPlan;
      readonly moment: MetricStatistic;
      readonly buckets: Buckets | null;
    };

export interface RoundPlan {
  readonly databaseId: number;
  readonly dimensionId: number;
  readonly entities: Condition | null;
  /** Outermost first. */
  readonly decided: readonly DecidedLevel[];
  readonly request: RoundRequest;
}

/**
 * Value v of `values` in the group groupKeys[v] (null: all are in group 0) occurs counts[v] times, at least once; each
 * pair of group key and value occurs once per shard. A group key is the number of a group, or group x bucketCount + bucket.
 */
export interface ValueCounts {
  readonly answers: 'values';
  readonly values: ValueList;
  readonly counts: Float64Array;
  readonly groupKeys: Uint32Array | null;
  /** The greatest count of an omitted value; 0 = no omitted value matters. */
  readonly restMax: number;
}

/** Statistics of the group groupKeys[i] (null: of group 0 only). Groups without values are omitted or have count 0. */
export interface SlotStatistics {
  readonly answers: 'moments';
  readonly groupKeys: Uint32Array | null;
  readonly counts: Float64Array;
  /** Exact, in the column's stored form; null if the statistic does not include them. */
  readonly sums: readonly bigint[] | null;
  readonly squares: readonly bigint[] | null;
  readonly least: readonly bigint[] | null;
  readonly greatest: readonly bigint[] | null;
}

export type RoundPartial = ValueCounts | SlotStatistics;
