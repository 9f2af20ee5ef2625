/** Narrows vectors to the kind that their type requires. The binder guarantees the types, so another kind is a bug. */
import { invariant } from '../base/index.js';
import type {
  BooleanVector,
  ExactVector,
  FloatVector,
  TextVector,
  Vector,
  WideIntegers,
} from '../vector/index.js';

export function exactOf(vector: Vector): ExactVector {
  invariant(vector.kind === 'exact', `expected an exact vector, got ${vector.kind}`);
  return vector;
}

export function floatOf(vector: Vector): FloatVector {
  invariant(vector.kind === 'float', `expected a float vector, got ${vector.kind}`);
  return vector;
}

export function booleanOf(vector: Vector): BooleanVector {
  invariant(vector.kind === 'boolean', `expected a boolean vector, got ${vector.kind}`);
  return vector;
}

export function textOf(vector: Vector): TextVector {
  invariant(vector.kind === 'text', `expected a text vector, got ${vector.kind}`);
  return vector;
}

/** The numbers of a vector that never contains bigints: days and seconds of dates, small counts. */
export function numbersOf(vector: Vector): Float64Array {
  const { numbers } = exactOf(vector);
  invariant(numbers !== null, 'dates are safe integers');
  return numbers;
}

/** The stored form of a row's value. */
export const bigintAt = ({ numbers, wide }: ExactVector, row: number): bigint =>
  numbers === null ? (wide as WideIntegers)[row] : BigInt(numbers[row]);

/** The double nearest to 10^places; repeated multiplication may give another double. */
export const powerOfTen = (places: number): number => Number(`1e${places}`);
