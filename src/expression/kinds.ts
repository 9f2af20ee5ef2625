/** Vectors as what their types say they are. Whoever binds sees to it that types fit, so another kind is a bug. */
import { invariant } from '../base/index.js';
import type {
  BooleanVector,
  ExactVector,
  FloatVector,
  SqlType,
  TextVector,
  Vector,
} from '../vector/index.js';

export function exactOf(vector: Vector): ExactVector {
  invariant(vector.kind === 'exact', `exact values are meant to come here, not ${vector.kind}`);
  return vector;
}

export function floatOf(vector: Vector): FloatVector {
  invariant(vector.kind === 'float', `floats are meant to come here, not ${vector.kind}`);
  return vector;
}

export function booleanOf(vector: Vector): BooleanVector {
  invariant(vector.kind === 'boolean', `booleans are meant to come here, not ${vector.kind}`);
  return vector;
}

export function textOf(vector: Vector): TextVector {
  invariant(vector.kind === 'text', `texts are meant to come here, not ${vector.kind}`);
  return vector;
}

/** Numbers of values that are never wide: days and seconds of dates, small counts. */
export function numbersOf(vector: Vector): Float64Array {
  const { numbers } = exactOf(vector);
  invariant(numbers !== null, 'dates are safe integers');
  return numbers;
}

/** The stored form of a row. */
export const bigintAt = ({ numbers, wide }: ExactVector, row: number): bigint =>
  numbers === null ? (wide as readonly bigint[])[row] : BigInt(numbers[row]);

/** Digits after the point of an exact type. */
export const scaleOf = (type: SqlType): number => (type.type === 'decimal' ? type.scale : 0);

/** The double nearest to 10^places: powers by multiplication can be another one. */
export const powerOfTen = (places: number): number => Number(`1e${places}`);
