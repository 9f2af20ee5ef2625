/**
 * Tests of values as plain data.
 * Rules: every ordered scalar (integer, enumerated, decimal, date, datetime, boolean) is tested as a 64-bit integer in
 * its stored form against disjoint ascending ranges, both ends included; so `not-equals` is two ranges and no predicate
 * needs an operator of its own. A missing value makes a test unknown.
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
