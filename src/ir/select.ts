/**
 * SELECT as plain data, bound to the columns of a dimension: which rows, what is worked out of them, grouped or not, in
 * which order, and how many. The stages, in the order in which they take effect:
 *
 *   rows      entities that satisfy `condition` and `filter`; with `events` one row per event of such an entity that passes
 *   joins     each row finds at most one entity of each joined dimension by its ID
 *   grouping  rows become one row per group; without it they stay
 *   having    of groups
 *   outputs   the answer's columns
 *   distinct  of equal outputs one stays
 *   order     then offset and limit
 *
 * Before the grouping, `input` i of an expression is `inputs[i]`. Behind it (having, outputs and order of a grouped plan)
 * input i is key i of the grouping, and input keys.length + a its aggregate a.
 */

import type { ValueKind } from '../schema/index.js';
import type { Field, SqlType, WireVector } from '../vector/index.js';
import type { Condition, EventTest } from './condition.js';
import type { Expression } from './expression.js';

/** What a row gives to expressions. */
export type Input = { readonly type: SqlType } & (
  | { readonly from: 'entity-id' }
  /** Of a latest-value column; points as json. */
  | { readonly from: 'attribute'; readonly columnId: number; readonly kind: ValueKind }
  /** Of a list-of-values column, as json: an array of its items as SQL would answer them. */
  | {
      readonly from: 'list';
      readonly columnId: number;
      readonly kind: ValueKind;
      /** Of one item. */
      readonly itemType: SqlType;
    }
  /** Of the row's event, where rows are events, or of the event that an aggregate over events looks at. */
  | { readonly from: 'event-value'; readonly columnId: number; readonly kind: ValueKind }
  | { readonly from: 'event-date'; readonly columnId: number }
  /** Whether the row's entity satisfies it: true, false or missing (unknown). */
  | { readonly from: 'condition'; readonly condition: Condition }
  /** Column `column` of the entity that join `join` found; missing where it found none. */
  | { readonly from: 'joined'; readonly join: number; readonly column: number }
);

export interface Join {
  readonly dimensionId: number;
  /** Entities of the joined dimension that can be found; null = all. */
  readonly condition: Condition | null;
  /** inner: rows that find none are left out. */
  readonly kind: 'inner' | 'left';
  /** The ID looked for, as text, over `inputs` (those of earlier joins among them). */
  readonly on: Expression;
  /** What of the joined dimension is asked for: entity-id, attribute, list. */
  readonly columns: readonly Input[];
}

export type AggregateFunction =
  | 'count'
  | 'sum'
  | 'avg'
  | 'min'
  | 'max'
  | 'stddev' // of the sample; missing below two values
  | 'percentile'; // interpolated; the median is 0.5

/**
 * Which values an aggregate adds up, within each group:
 *   rows      one of each row
 *   entities  one of each entity, however many of the group's rows it has: where rows are events
 *   a number  one of each event that passes feeds[n] of each of the group's entities: where rows are entities
 */
export type Feed = 'rows' | 'entities' | number;

export interface Aggregate {
  readonly function: AggregateFunction;
  /** null = COUNT(*). Missing values are left out. */
  readonly of: Expression | null;
  /** Equal values count once. */
  readonly distinct: boolean;
  readonly feed: Feed;
  /** Of a percentile, 0 to 1. */
  readonly fraction: number | null;
  /**
   * count: integer. sum: integer, the operand's decimal, or float. min, max: the operand's. avg and stddev: float, avg of at
   * most 6 decimals. percentile: float.
   */
  readonly type: SqlType;
}

export interface Grouping {
  /** None: one group, also over no rows. */
  readonly keys: readonly Expression[];
  /** Every entity is a group of its own, whatever its keys. */
  readonly perEntity: boolean;
  readonly aggregates: readonly Aggregate[];
}

export interface Output extends Field {
  readonly of: Expression;
}

/** Missing values stand last, rising or falling. */
export interface SortKey {
  readonly of: Expression;
  readonly descending: boolean;
}

export interface SelectPlan {
  readonly databaseId: number;
  /** null = there is no FROM: one row without inputs. */
  readonly dimensionId: number | null;
  /** null = all entities. */
  readonly condition: Condition | null;
  /** What of WHERE is no condition of the interface; rows for which it is true stay. Over `inputs`, joined ones too. */
  readonly filter: Expression | null;
  /** Rows are the events that pass, of entities that satisfy `condition`; null = rows are entities. */
  readonly events: EventTest | null;
  readonly joins: readonly Join[];
  readonly inputs: readonly Input[];
  /** Events that aggregates look at; a feed's aggregates read event-value and event-date of its column. */
  readonly feeds: readonly EventTest[];
  readonly grouping: Grouping | null;
  readonly having: Expression | null;
  readonly outputs: readonly Output[];
  /** Only with a grouping; the order then reads what is put out. */
  readonly distinct: boolean;
  readonly order: readonly SortKey[];
  readonly offset: number;
  /** null = all. */
  readonly limit: number | null;
}

/** Whether the different texts that shards give may be so many that lanes are asked to count them. */
export const countsTexts = ({ grouping }: SelectPlan): boolean =>
  grouping?.aggregates.some(({ function: name, distinct }) => distinct && name === 'count') === true;

/** The rows of a joined dimension that the lanes are sent. */
export interface JoinTable {
  /** The entity IDs, each once. */
  readonly ids: WireVector;
  /** One per column of the join, a row per ID. */
  readonly columns: readonly WireVector[];
}

/** Group g of one shard: its key values, and of each aggregate what the groups of all shards are merged from. */
export interface GroupPartial {
  readonly groupCount: number;
  /** One per key, a row per group; no two groups have equal keys, unless groups are entities. */
  readonly keys: readonly WireVector[];
  /** One per aggregate. */
  readonly states: readonly AggregateState[];
}

/**
 * One value per group each; `counts`: of the values that are not missing. Sums of exact values are of the stored form,
 * squares of stored forms. Those of floats are exact too: integers, always `wide`, that count units of 2^-1074, the least
 * double (a sum) or of 2^-2148 (a sum of squares).
 */
export type AggregateState =
  | { readonly holds: 'count'; readonly counts: Float64Array }
  /** Of sum and avg. */
  | { readonly holds: 'sum'; readonly counts: Float64Array; readonly sums: WireVector }
  | {
      readonly holds: 'squares';
      readonly counts: Float64Array;
      readonly sums: WireVector;
      readonly squares: WireVector;
    }
  /** Of min or max; missing where the group has no value. */
  | { readonly holds: 'extreme'; readonly values: WireVector }
  /**
   * Of percentiles and of what is distinct. Value v belongs to group groups[v] (null = to group 0) and stands counts[v]
   * times (null = once, or it does not matter); a pair of group and value stands here once, and no value is missing.
   */
  | {
      readonly holds: 'values';
      readonly groups: Uint32Array | null;
      readonly counts: Float64Array | null;
      readonly values: WireVector;
      /** hashBytes of text t of `values`, where it is known without work. */
      readonly hashes: Uint32Array | null;
    }
  /** The same of many texts of one group. */
  | { readonly holds: 'texts'; readonly texts: PartitionedTexts };

/** A power of two: the ends of so many partitions are written at once without waiting for memory, and those of some million texts lie in a core's own cache. */
export const TEXT_PARTITIONS = 256;

/** Different texts in shared memory, put together by their hashes: those that end with the bits of p are partition p. */
export interface PartitionedTexts {
  readonly count: number;
  /** Texts of each partition. */
  readonly counts: Uint32Array;
  /** Partition p is words[starts[p], starts[p + 1]). */
  readonly starts: Float64Array;
  /** Text by text: its hash (hashBytes), its length in bytes, and its bytes in whole blocks, filled up with 0; little-endian. */
  readonly words: Uint32Array;
}

/** Words that stand before the bytes of a text among PartitionedTexts. */
export const TEXT_HEAD_WORDS = 2;
/** Most texts of a column take equally many blocks, so that loops over them are foreseen. */
export const TEXT_BLOCK_BYTES = 8;

/** The words of a text among PartitionedTexts. */
export const textWords = (byteCount: number): number =>
  TEXT_HEAD_WORDS + ((byteCount + TEXT_BLOCK_BYTES - 1) >>> 3) * 2;
