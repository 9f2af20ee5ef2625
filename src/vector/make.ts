/** Conversion between vectors and values, for constants, small answers and tests. */
import { invariant } from '../base/index.js';
import { Texts } from './texts.js';
import type { ExactVector, SqlType, Vector, WideIntegers } from './vector.js';
import { vectorKindOf } from './vector.js';

/** A value of a row; exact values are bigints in stored form. */
export type Value = bigint | number | string | boolean | null;

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Whether the integer is at most 2^53 - 1 in magnitude, so that a double represents it and its neighbours exactly. */
export const isSafe = (value: bigint): boolean => value <= SAFE && value >= -SAFE;

/** An exact vector, with numbers if all values are safe integers, including those of missing rows. */
export function exactVector(valid: Uint8Array | null, wide: WideIntegers): ExactVector {
  const count = wide.length;
  return wide.every(isSafe)
    ? { kind: 'exact', count, valid, numbers: Float64Array.from(wide, Number), wide: null }
    : { kind: 'exact', count, valid, numbers: null, wide };
}

/** Makes a vector of `values`. Throws InvariantError for a value of another type. */
export function vectorOf(type: SqlType, values: readonly Value[]): Vector {
  const count = values.length;
  const valid = values.includes(null) ? Uint8Array.from(values, (value) => (value === null ? 0 : 1)) : null;
  switch (vectorKindOf(type)) {
    case 'exact': {
      const wide = values.map((value) => {
        invariant(value === null || typeof value === 'bigint', `${String(value)} is not an exact value`);
        return value ?? 0n;
      });
      return exactVector(valid, wide);
    }
    case 'float':
      return {
        kind: 'float',
        count,
        valid,
        numbers: Float64Array.from(values, (value) => Number(value ?? 0)),
      };
    case 'boolean':
      return {
        kind: 'boolean',
        count,
        valid,
        bits: Uint8Array.from(values, (value) => (value === true ? 1 : 0)),
      };
    case 'text':
      return {
        kind: 'text',
        count,
        valid,
        codes: null,
        texts: Texts.ofStrings(values.map((value) => (value === null ? '' : String(value)))),
      };
  }
}

/** A vector of `count` rows that all have `value`. */
export function constantVector(type: SqlType, value: Value, count: number): Vector {
  const valid = value === null ? new Uint8Array(count) : null;
  const one = vectorOf(type, [value]);
  switch (one.kind) {
    case 'exact': {
      const numbers = one.numbers && new Float64Array(count).fill(one.numbers[0]);
      return { kind: 'exact', count, valid, numbers, wide: one.wide && new Array(count).fill(one.wide[0]) };
    }
    case 'float':
      return { ...one, count, valid, numbers: new Float64Array(count).fill(one.numbers[0]) };
    case 'boolean':
      return { ...one, count, valid, bits: new Uint8Array(count).fill(one.bits[0]) };
    case 'text': {
      const texts = Texts.ofStrings([one.texts.text(0)], true);
      return { kind: 'text', count, valid, codes: new Uint32Array(count), texts };
    }
  }
}

export function valueAt(vector: Vector, row: number): Value {
  if (vector.valid !== null && vector.valid[row] === 0) return null;
  switch (vector.kind) {
    case 'exact':
      return vector.numbers === null ? (vector.wide as WideIntegers)[row] : BigInt(vector.numbers[row]);
    case 'float':
      return vector.numbers[row];
    case 'boolean':
      return vector.bits[row] === 1;
    case 'text':
      return vector.texts.text(vector.codes === null ? row : vector.codes[row]);
  }
}
