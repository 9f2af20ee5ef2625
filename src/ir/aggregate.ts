/**
 * Aggregations as plain data: what is counted over which entities, and the partial results of shards.
 *
 * An AggregatePlan is answered in rounds, one per level: a round asks every shard for the values of one level within
 * the groups that the rounds before decided, and their exact sum decides this level's groups. So the top values are
 * exact whatever the number of shards.
 *
 * A group is a path of values, one per decided level. An entity belongs to a group when it has each of these values:
 * a list has each of its items, an event column the value of each event in its level's window. Without decided levels
 * there is one group, number 0, of all entities that satisfy `entities`.
 */
import { METRICS } from '../interface/index.js';
import type { Interval, ValueForm, ValueKind } from '../schema/index.js';
import type { Condition, ValueTest, Window } from './condition.js';

/** Whose values a level looks at, each by itself: those that pass every test. */
export interface LevelPlan {
  readonly source: ValueSource;
  /** Per value or item, whatever the column's storage: a negated test passes where it does not hold. */
  readonly tests: readonly ValueTest[];
}

export type ValueSource =
  | { readonly from: 'entity-id' }
  /** Of latest-value and list-of-values columns. */
  | { readonly from: 'attribute'; readonly columnId: number; readonly kind: ValueKind }
  | {
      readonly from: 'events';
      readonly columnId: number;
      readonly kind: ValueKind;
      /** Events outside are not looked at. */
      readonly window: Window;
    };

/** How a histogram cuts time. Buckets are numbered from 0. */
export type Buckets =
  /** Bucket 0 holds the first instant of the level's window. */
  | { readonly by: 'interval'; readonly interval: Interval }
  /** Half-open: `to` is outside. They may overlap: an event counts in each. */
  | { readonly by: 'windows'; readonly windows: readonly Window[] };

export { METRICS };
export type Metric = (typeof METRICS)[number];

export interface TopLevel extends LevelPlan, ValueForm {
  /** Values wanted, from 1. */
  readonly limit: number;
  /** Values of fewer entities are left out; 1 = none are. */
  readonly minQuantity: number;
}

export interface MetricLevel extends LevelPlan, ValueForm {
  readonly metric: Metric;
  /** null = one result for all of them. */
  readonly buckets: Buckets | null;
}

/** Top values of top values, and at last perhaps a metric. There is at least one level of either kind. */
export interface AggregatePlan {
  readonly databaseId: number;
  readonly dimensionId: number;
  /** null = all. */
  readonly entities: Condition | null;
  /** Outermost first. */
  readonly levels: readonly TopLevel[];
  readonly metric: MetricLevel | null;
}

/** The answer of one level within one group of the level above. */
export type AggregateAnswer =
  /** Quantity falling, then value rising as text. */
  | { readonly answers: 'values'; readonly rows: readonly ValueRow[] }
  /** `token`: a JSON token such as 12, 12.5, null or "2016-01-01". */
  | { readonly answers: 'metric'; readonly token: string }
  /** Of buckets that hold something, ascending (windows: in the order asked). `from` inside, `to` outside, seconds since 1970-01-01. */
  | { readonly answers: 'buckets'; readonly rows: readonly BucketRow[] };

export interface ValueRow {
  readonly value: string;
  readonly quantity: number;
  /** Of the next level; null at the last one. */
  readonly next: AggregateAnswer | null;
}

export interface BucketRow {
  readonly token: string;
  readonly from: number;
  readonly to: number;
}

// Rounds: what a shard is asked, and what it answers

/**
 * A list of values, one behind the other.
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

/** What of a metric's values a shard adds up. */
export type Moment =
  /** Their number alone. */
  | 'count'
  /** Number and sum. */
  | 'sum'
  /** Number, least and greatest. */
  | 'extremes'
  /** Number, sum, and sum of squares. */
  | 'squares'
  /** Each distinct value and how often it occurs. */
  | 'values';

export type RoundAsk =
  /**
   * Entities of each value in each group: an entity counts once per group and value. With `best`, which is asked of one
   * group only, about so many values suffice: those of most entities.
   */
  | { readonly asks: 'values'; readonly level: LevelPlan; readonly best: number | null }
  /** Moments of the values (items of lists, events in the window) of each group's entities, by bucket. */
  | {
      readonly asks: 'moments';
      readonly level: LevelPlan;
      readonly moment: Moment;
      readonly buckets: Buckets | null;
    };

export interface RoundPlan {
  readonly databaseId: number;
  readonly dimensionId: number;
  readonly entities: Condition | null;
  /** Outermost first. */
  readonly decided: readonly DecidedLevel[];
  readonly ask: RoundAsk;
}

/**
 * Value v of `values` within cell cells[v] (null: all are cell 0) stands counts[v] times, at least once; a pair of cell
 * and value stands here once per shard. A cell is a group, or group x bucketCount + bucket.
 */
export interface ValueCounts {
  readonly answers: 'values';
  readonly values: ValueList;
  readonly counts: Float64Array;
  readonly cells: Uint32Array | null;
  /** No value that was left out counts more than this here; 0 = none was left out that matters. */
  readonly restMax: number;
}

/** Moments of cell cells[i] (null: of cell 0 alone); cells of no value are left out, or have count 0. */
export interface CellMoments {
  readonly answers: 'moments';
  readonly cells: Uint32Array | null;
  readonly counts: Float64Array;
  /** Exact, in the column's stored form; null where the moment does not hold them. */
  readonly sums: readonly bigint[] | null;
  readonly squares: readonly bigint[] | null;
  readonly least: readonly bigint[] | null;
  readonly greatest: readonly bigint[] | null;
}

export type RoundPartial = ValueCounts | CellMoments;
