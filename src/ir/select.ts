/**
 * SELECT as plain data, bound to the columns of a dimension: the rows, the expressions over them, the grouping, the
 * order and the limit. The stages, in the order of evaluation:
 *   rows      entities that satisfy `condition` and `filter`; with `events` one row per passing event of such an entity
 *   joins     each row finds at most one entity of each joined dimension by its ID
 *   items     each row is repeated for every combination of its items; only with a grouping
 *   grouping  rows become one row per group; optional
 *   having    filters groups
 *   outputs   the columns of the result
 *   distinct  keeps one of several equal outputs
 *   order     followed by offset and limit
 * Before the grouping, `input` i of an expression is `inputs[i]`. After it (having, outputs and order of a grouped
 * plan) input i is key i of the grouping, and input keys.length + a its aggregate a.
 */

import type { ValueKind } from '../schema/index.js';
import type { Field, SqlType, Value, WireVector } from '../vector/index.js';
import type { Buckets } from './aggregate.js';
import type { Condition, EventTest, ValueTest, Window } from './condition.js';
import type { Expression } from './expression.js';
import type { NearPlan, OutputColumn } from './extract.js';

/** The values of a row that expressions read. */
export type Input = { readonly type: SqlType } & (
  | { readonly from: 'entity-id' }
  /** A latest-value column; points as json. */
  | { readonly from: 'attribute'; readonly columnId: number; readonly kind: ValueKind }
  /** A list-of-values column, as json: an array of its items in their SQL form. */
  | {
      readonly from: 'list';
      readonly columnId: number;
      readonly kind: ValueKind;
      /** The type of one item. */
      readonly itemType: SqlType;
    }
  /** The row's event if rows are events, or the event that an aggregate over events reads. */
  | { readonly from: 'event-value'; readonly columnId: number; readonly kind: ValueKind }
  | { readonly from: 'event-date'; readonly columnId: number }
  /** A number that the row's event shares with the related events of its entity in other columns; missing if there are none. */
  | { readonly from: 'event-link'; readonly columnId: number }
  /** Whether the row's entity satisfies the condition: true, false or missing (unknown). */
  | { readonly from: 'condition'; readonly condition: Condition }
  /** The item of source `source` of the plan's `items`: a value, or the number of a bucket as an integer. */
  | { readonly from: 'item'; readonly source: number }
  /** Column `column` of the entity that join `join` found; missing if it found none. */
  | { readonly from: 'joined'; readonly join: number; readonly column: number }
  | ExtractInput
);

/** What only extractions read of an entity. */
export type ExtractInput =
  /** A text: the value as an extraction writes it, lists and events as JSON; missing if there is none. */
  | { readonly from: 'written'; readonly column: OutputColumn }
  /** An integer: the number of these conditions that the entity satisfies. */
  | { readonly from: 'score'; readonly conditions: readonly Condition[] }
  /** An integer: the bit-reversed hash of the entity's ID. */
  | { readonly from: 'rank' }
  /** A float: the distance in km of the entity's nearest matching point, or its coordinate; missing without such a point. */
  | {
      readonly from: 'nearest';
      readonly near: NearPlan;
      readonly part: 'distance' | 'longitude' | 'latitude';
    };

/** Makes one row of each item that belongs to a row, and none of a row without items. */
export type ItemSource =
  /** The items of the entity's list that pass every test on their own. */
  | {
      readonly from: 'list';
      readonly columnId: number;
      readonly kind: ValueKind;
      readonly tests: readonly ValueTest[];
      /** Whether equal items of one entity make one row. */
      readonly distinct: boolean;
    }
  /** The distinct values of the entity's events that pass. */
  | { readonly from: 'events'; readonly event: EventTest }
  /** The buckets that contain the date of the row's event; rows must be events. */
  | { readonly from: 'buckets'; readonly buckets: Buckets; readonly window: Window };

export interface Join {
  readonly dimensionId: number;
  /** The entities of the joined dimension that can be found; null = all. */
  readonly condition: Condition | null;
  /** inner: rows without a match are omitted. */
  readonly kind: 'inner' | 'left';
  /** The ID to look up, as text, over `inputs` (including those of earlier joins). */
  readonly on: Expression;
  /** The columns read from the joined dimension: entity-id, attribute, list. */
  readonly columns: readonly Input[];
}

export type AggregateFunction =
  | 'count'
  | 'sum'
  | 'avg'
  | 'mean' // AVG of PostgreSQL: a decimal of exact numbers, not rounded to 6 decimals
  | 'min'
  | 'max'
  // Statistics of a sample, missing for fewer than two values.
  | 'stddev'
  | 'variance'
  // Statistics of a population.
  | 'stddev-pop'
  | 'variance-pop'
  | 'percentile' // interpolated; the median is 0.5
  | 'percentile-disc' // a value: the first whose share of the values up to it is at least the fraction
  | 'percentile-disc-down' // the same in descending order
  | 'mode' // the most frequent value; of several, the least
  | 'bit-and'
  | 'bit-or'
  | 'bit-xor'
  | 'list'; // the packed texts in their order, without their keys, concatenated (src/expression/functions/packed.ts)

/** Aggregates of the sums of values and of their squares. */
export const isOfSquares = (name: AggregateFunction): boolean =>
  name === 'stddev' || name === 'variance' || name === 'stddev-pop' || name === 'variance-pop';

const OF_ALL_VALUES: readonly AggregateFunction[] = [
  ...(['percentile', 'percentile-disc', 'percentile-disc-down', 'mode'] as const),
  ...(['bit-and', 'bit-or', 'bit-xor', 'list'] as const),
];

/** Aggregates of all values of a group, each with the number of its occurrences. */
export const isOfAllValues = (name: AggregateFunction): boolean => OF_ALL_VALUES.includes(name);

/**
 * The values that an aggregate combines within each group:
 *   rows      one value per row
 *   entities  one value per entity, regardless of its number of rows in the group; used if rows are events
 *   a number  one value per event that passes feeds[n], for each of the group's entities; used if rows are entities
 */
export type Feed = 'rows' | 'entities' | number;

export interface Aggregate {
  readonly function: AggregateFunction;
  /** null = COUNT(*). Missing values are ignored. */
  readonly of: Expression | null;
  /** Equal values count once. */
  readonly distinct: boolean;
  readonly feed: Feed;
  /** For percentiles, 0 to 1. */
  readonly fraction: number | null;
  /**
   * count: integer. sum: integer, the operand's decimal, or float. min, max: the operand's type. avg and stddev: float,
   * avg with at most 6 decimals. mean: a decimal with MEAN_SCALE or more places, of floats a float. percentile, variance: float. list: text. The others: the operand's type.
   */
  readonly type: SqlType;
}

export interface Grouping {
  /** Empty: one group, even without rows. */
  readonly keys: readonly Expression[];
  /** Every entity is a group of its own, regardless of its keys. */
  readonly perEntity: boolean;
  readonly aggregates: readonly Aggregate[];
}

export interface Output extends Field {
  readonly of: Expression;
}

/** Missing values are last, ascending or descending. */
export interface SortKey {
  readonly of: Expression;
  readonly descending: boolean;
}

export interface SelectPlan {
  readonly databaseId: number;
  /** null = no FROM: one row without inputs. */
  readonly dimensionId: number | null;
  /** null = all entities. */
  readonly condition: Condition | null;
  /**
   * The part of WHERE that is not a condition of the interface, over `inputs` including joined ones; keeps rows for
   * which it is true.
   */
  readonly filter: Expression | null;
  /** Rows are the passing events of entities that satisfy `condition`; null = rows are entities. */
  readonly events: EventTest | null;
  readonly joins: readonly Join[];
  readonly inputs: readonly Input[];
  /** Absent = none. */
  readonly items?: readonly ItemSource[];
  /** Events that aggregates read; a feed's aggregates read event-value and event-date of its column. */
  readonly feeds: readonly EventTest[];
  readonly grouping: Grouping | null;
  readonly having: Expression | null;
  readonly outputs: readonly Output[];
  /** Only with a grouping; the order then reads the outputs. */
  readonly distinct: boolean;
  readonly order: readonly SortKey[];
  /**
   * Rows up to and including this position of the order are left out: a value per key. Only without a grouping, and with
   * an order. Absent = none.
   */
  readonly after?: readonly Value[];
  readonly offset: number;
  /** null = all. */
  readonly limit: number | null;
}

/** Whether the shards may return so many distinct texts that workers count them. */
export const countsTexts = ({ grouping }: SelectPlan): boolean =>
  grouping?.aggregates.some(({ function: name, distinct }) => distinct && name === 'count') === true;

/** Whether the shards may return many values of groups, in memory that is sent back to them for reuse. */
export const collectsValues = ({ grouping }: SelectPlan): boolean =>
  grouping?.aggregates.some(({ function: name, distinct }) => distinct || isOfAllValues(name)) === true;

/** The rows of a joined dimension, as sent to the workers. */
export interface JoinTable {
  /** The entity IDs, each once. */
  readonly ids: WireVector;
  /** One per column of the join, a row per ID. */
  readonly columns: readonly WireVector[];
}

/**
 * The groups of one shard: their key values, and per aggregate the state from which groups of all shards are merged.
 */
export interface GroupPartial {
  readonly groupCount: number;
  /**
   * The greatest count of an omitted group, if only the groups with the greatest counts were requested; absent = no group
   * was omitted.
   */
  readonly restMax?: number;
  /** One per key, a row per group; no two groups have equal keys, unless groups are entities. */
  readonly keys: readonly WireVector[];
  /** One per aggregate. */
  readonly states: readonly AggregateState[];
}

/**
 * One value per group each; `counts` is the number of values that are not missing. Sums of exact values have the stored
 * form; squares are of stored forms. Sums of floats are exact, too: integers, always `wide`, in units of 2^-1074, the
 * least double (a sum), or 2^-2148 (a sum of squares).
 */
export type AggregateState =
  | { readonly holds: 'count'; readonly counts: Float64Array }
  /** For sum and avg. */
  | { readonly holds: 'sum'; readonly counts: Float64Array; readonly sums: WireVector }
  | {
      readonly holds: 'squares';
      readonly counts: Float64Array;
      readonly sums: WireVector;
      readonly squares: WireVector;
    }
  /** For min and max; missing if the group has no value. */
  | { readonly holds: 'extreme'; readonly values: WireVector }
  /**
   * For percentiles and distinct values. Value v belongs to group groups[v] (null = group 0) and occurs counts[v] times
   * (null = once, or irrelevant). Each pair of group and value occurs once, and no value is missing.
   */
  | {
      readonly holds: 'values';
      readonly groups: Uint32Array | null;
      readonly counts: Float64Array | null;
      readonly values: WireVector;
    }
  /**
   * For percentiles and numbers of distinct values: the values of group g, in stored form, are values[starts[g],
   * starts[g + 1]), ascending. Equal values may be repeated only for a percentile.
   */
  | {
      readonly holds: 'runs';
      readonly starts: Uint32Array;
      readonly values: Float64Array;
      /** Whether the values are integers as putOrdered writes them, of which only the number may be asked. */
      readonly areOrdered: boolean;
    }
  /**
   * For the number of distinct values of a single group: bit v - least is set if value v occurs. `least` is a multiple
   * of 32; bit 0 is the lowest of the first word.
   */
  | { readonly holds: 'bits'; readonly least: number; readonly words: Uint32Array }
  /** The distinct values of a single group with many texts. */
  | { readonly holds: 'texts'; readonly texts: PartitionedTexts };

/**
 * A power of two. Writing to this many partition ends causes no memory stalls, and each partition of a few million
 * texts fits in a core's cache.
 */
export const TEXT_PARTITIONS = 256;

/** Distinct texts in shared memory, partitioned by their hashes: a hash whose low bits are p belongs to partition p. */
export interface PartitionedTexts {
  readonly count: number;
  /** The number of texts per partition. */
  readonly counts: Uint32Array;
  /** Partition p is words[starts[p], starts[p + 1]). */
  readonly starts: Float64Array;
  /**
   * Per text: its hash (hashBytes), its length in bytes, and its bytes in whole blocks, padded with 0; little-endian.
   */
  readonly words: Uint32Array;
}

/** The words before the bytes of a text in PartitionedTexts. */
export const TEXT_HEAD_WORDS = 2;
/** Most texts of a column take the same number of blocks, so that branch prediction works in loops over them. */
export const TEXT_BLOCK_BYTES = 8;

/** The number of words of a text in PartitionedTexts. */
export const textWords = (byteCount: number): number =>
  TEXT_HEAD_WORDS + ((byteCount + TEXT_BLOCK_BYTES - 1) >>> 3) * 2;
