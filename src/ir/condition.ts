/**
 * Bound conditions as plain data: api and sql produce them, every shard evaluates them. They cross threads by
 * structured clone, so they contain no functions.
 * Rules: every ordered scalar (integer, enumerated, decimal, date, datetime, boolean) is tested as a 64-bit integer in
 * its stored form against disjoint ascending ranges, both ends included; so `not-equals` is two ranges and no predicate
 * needs an operator of its own. Three-valued logic: a missing value makes a test unknown; `not` keeps unknown. `not` is
 * explicit, so exec pushes it down to the leaves.
 */

export interface IntRange {
  readonly low: bigint;
  readonly high: bigint;
}

/** like: a pattern, in which % matches any text, _ any one code point, and \ makes the next character literal. */
export type TextMatch = 'equals' | 'contains' | 'starts-with' | 'ends-with' | 'like';

/** A test of one value. `negated` inverts the result for a present value; a missing value remains unknown. */
export type ValueTest =
  /** Some range contains the value; no ranges = never. */
  | { readonly kind: 'ranges'; readonly ranges: readonly IntRange[]; readonly negated: boolean }
  /** Some text matches; texts are in the form in which the column stores them. */
  | {
      readonly kind: 'text';
      readonly match: TextMatch;
      readonly texts: readonly string[];
      readonly negated: boolean;
      /** The lower-case forms of values are compared; the texts are in lower case. Absent = false. */
      readonly ignoresCase?: boolean;
    }
  /** The great-circle distance is at most radiusKm. Degrees; geolocation columns. */
  | {
      readonly kind: 'geo-radius';
      readonly longitude: number;
      readonly latitude: number;
      readonly radiusKm: number;
      readonly negated: boolean;
    }
  /** The point is in the box; west > east means that the box crosses the antimeridian. Degrees. */
  | {
      readonly kind: 'geo-box';
      readonly west: number;
      readonly south: number;
      readonly east: number;
      readonly north: number;
      readonly negated: boolean;
    }
  /** Some area contains the point; areas are not negated. Only in levels of aggregations. */
  | { readonly kind: 'geo-any'; readonly areas: readonly GeoTest[]; readonly negated: boolean };

export type GeoTest = Extract<ValueTest, { readonly kind: 'geo-radius' | 'geo-box' }>;

/** Seconds since 1970-01-01, both ends included; `from` > `to` = empty. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Events of one column inside a window whose value satisfies every test. */
export interface EventTest {
  readonly columnId: number;
  readonly window: Window;
  readonly tests: readonly ValueTest[];
}

export type Condition =
  /** The value of an attribute column satisfies every test; in a list column: some item satisfies all of them
   *  (a negated test: no item satisfies it unnegated). */
  | { readonly op: 'attribute'; readonly columnId: number; readonly tests: readonly ValueTest[] }
  /** The entity has no value of the attribute column, or no item of the list; never unknown. */
  | { readonly op: 'missing'; readonly columnId: number }
  /** The entity ID satisfies every test; never unknown. */
  | { readonly op: 'entity-id'; readonly tests: readonly ValueTest[] }
  /** At least minfreq matching events; unknown for an entity without any event of the column. */
  | { readonly op: 'event'; readonly event: EventTest; readonly minfreq: number }
  /** The matching events of all members together are at least minfreq; never unknown. */
  | { readonly op: 'freqgroup'; readonly events: readonly EventTest[]; readonly minfreq: number }
  | { readonly op: 'and' | 'or'; readonly members: readonly Condition[] }
  | { readonly op: 'not'; readonly member: Condition };

/** The entities of one dimension that satisfy a condition; null = all of them. */
export interface CountEntityPlan {
  readonly databaseId: number;
  readonly dimensionId: number;
  readonly condition: Condition | null;
}
