/**
 * Values of consecutive rows in a query: the input and output of expressions, the results of shards and the input of encoders.
 * Read-only once made; arrays may be longer than `count`.
 *   exact    integers; decimals as value x 10^scale; dates as days, datetimes as seconds since 1970-01-01, intervals as in
 *            schema/calendar/interval.ts. `numbers` while every value is a safe integer (at most 2^53 - 1 either way),
 *            else `wide`: one of the two is null. Integers of 64 bits are a BigInt64Array where kernels made them
 *   float    doubles, never NaN or infinite
 *   boolean  0 or 1
 *   text     row r has text codes[r] of `texts`; codes null = text r
 * `valid`: 1 if the row has a value, else 0; null = every row has one. The array element of a missing value is arbitrary but in
 * range (a code is valid in `texts`, which then is not empty).
 */
import type { Texts } from './texts.js';

interface Rows {
  readonly count: number;
  readonly valid: Uint8Array | null;
}

/** Integers of any size, or those of 64 bits side by side. */
export type WideIntegers = readonly bigint[] | BigInt64Array<ArrayBufferLike>;

export type ExactVector = Rows & {
  readonly kind: 'exact';
  readonly numbers: Float64Array | null;
  readonly wide: WideIntegers | null;
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

/** The type of a value, independent of its layout. `json` is a text of JSON (lists, points) that is output unchanged. */
export type SqlType =
  | { readonly type: 'integer' | 'float' | 'boolean' | 'text' | 'date' | 'interval' }
  /** `items`: the type of the items of a list; unknown for other JSON. */
  | { readonly type: 'json'; readonly items?: SqlType }
  /** `local`: the time that the clocks of some zone show, the result of AT TIME ZONE; otherwise an instant. */
  | { readonly type: 'datetime'; readonly local?: true }
  /** 0 <= scale <= DIGITS_MAX. */
  | { readonly type: 'decimal'; readonly scale: number };

/** The number of fractional digits of an exact type; 0 for every other type. */
export const scaleOf = (type: SqlType): number => (type.type === 'decimal' ? type.scale : 0);

/** Most digits of an exact value; a result with more is an error. */
export const DIGITS_MAX = 38;

/** The vector layout of a type. */
export function vectorKindOf({ type }: SqlType): VectorKind {
  switch (type) {
    case 'integer':
    case 'decimal':
    case 'date':
    case 'datetime':
    case 'interval':
      return 'exact';
    case 'text':
    case 'json':
      return 'text';
    default:
      return type;
  }
}

/** A column of an answer: its name and type. */
export interface Field {
  readonly name: string;
  readonly type: SqlType;
}
