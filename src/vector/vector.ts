/**
 * Values of consecutive rows on their way through a query: what expressions take and give, what shards answer with, and
 * what encoders write. Read-only once made; arrays may be longer than `count`.
 *   exact    integers; decimals as value x 10^scale; dates as days, datetimes as seconds since 1970-01-01. `numbers` while
 *            every value is a safe integer (at most 2^53 - 1 either way), else `wide`: one of the two is null
 *   float    doubles, never NaN or infinite
 *   boolean  0 or 1
 *   text     row r has text codes[r] of `texts`; codes null = text r
 * `valid`: 1 where the row has a value, else 0; null = every row has one. What an array holds for a missing value is not
 * looked at, but is in range (a code is one of `texts`, which is then not empty).
 */
import type { Texts } from './texts.js';

interface Rows {
  readonly count: number;
  readonly valid: Uint8Array | null;
}

export type ExactVector = Rows & {
  readonly kind: 'exact';
  readonly numbers: Float64Array | null;
  readonly wide: readonly bigint[] | null;
};
export type FloatVector = Rows & { readonly kind: 'float'; readonly numbers: Float64Array };
export type BooleanVector = Rows & { readonly kind: 'boolean'; readonly bits: Uint8Array };
export type TextVector = Rows & {
  readonly kind: 'text';
  readonly codes: Uint32Array | null;
  readonly texts: Texts;
};

export type Vector = ExactVector | FloatVector | BooleanVector | TextVector;
export type VectorKind = Vector['kind'];

/** What a value is, beyond how it lies. `json`: a text that holds JSON (lists, points), written as it stands. */
export type SqlType =
  | { readonly type: 'integer' | 'float' | 'boolean' | 'text' | 'date' | 'datetime' | 'json' }
  /** 0 <= scale <= DIGITS_MAX. */
  | { readonly type: 'decimal'; readonly scale: number };

/** Exact values have at most so many digits; what would have more is refused. */
export const DIGITS_MAX = 38;

/** How vectors of a type lie. */
export function vectorKindOf({ type }: SqlType): VectorKind {
  switch (type) {
    case 'integer':
    case 'decimal':
    case 'date':
    case 'datetime':
      return 'exact';
    case 'text':
    case 'json':
      return 'text';
    default:
      return type;
  }
}

/** A column of an answer: its name in a row, and what its values are. */
export interface Field {
  readonly name: string;
  readonly type: SqlType;
}
