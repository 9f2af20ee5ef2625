/** Casts between number types, and between numbers and booleans. */
import type { BooleanVector, ExactVector, FloatVector } from '../../vector/index.js';
import { exactVector } from '../../vector/index.js';
import { fits } from '../exact.js';
import { bigintAt, powerOfTen } from '../kinds.js';
import { isValid, simplified, writableValid } from '../validity.js';

/** Powers of ten that doubles hold exactly. */
const EXACT_POWER_MAX = 22;
/** Doubles of at most this magnitude are safe integers after rounding. */
const SAFE = Number.MAX_SAFE_INTEGER;

/** The double nearest to the exact value. */
export function exactToFloat(vector: ExactVector, scale: number): FloatVector {
  const { count, valid } = vector;
  const numbers = new Float64Array(count);
  if (vector.numbers !== null && scale <= EXACT_POWER_MAX) {
    // Both operands are exact, so the quotient is rounded once.
    const power = powerOfTen(scale);
    for (let row = 0; row < count; row++) numbers[row] = vector.numbers[row] / power + 0;
  } else {
    for (let row = 0; row < count; row++) {
      // Parsing the text also rounds once.
      if (isValid(valid, row)) numbers[row] = Number(`${bigintAt(vector, row)}e-${scale}`) + 0;
    }
  }
  return { kind: 'float', count, valid, numbers };
}

/** Rounds half to even, as DuckDB does; results of more than DIGITS_MAX digits are missing. */
export const floatToInteger = (vector: FloatVector): ExactVector => roundedFloats(vector, 1, halfToEven);

/** Rounds the double x 10^scale half away from zero, as DuckDB does; results of more than DIGITS_MAX digits are missing. */
export const floatToDecimal = (vector: FloatVector, scale: number): ExactVector =>
  roundedFloats(vector, powerOfTen(scale), halfAway);

function roundedFloats(vector: FloatVector, factor: number, round: (value: number) => number): ExactVector {
  const { count, valid } = vector;
  const numbers = new Float64Array(count);
  let safe = true;
  for (let row = 0; row < count; row++) {
    const rounded = round(vector.numbers[row] * factor) + 0;
    numbers[row] = rounded;
    if (!(rounded <= SAFE && rounded >= -SAFE)) safe = false;
  }
  if (safe) return { kind: 'exact', count, valid, numbers, wide: null };
  const wide = new Array<bigint>(count).fill(0n);
  const fitting = writableValid(valid, count);
  for (let row = 0; row < count; row++) {
    if (fitting[row] === 0) continue;
    const value = Number.isFinite(numbers[row]) ? BigInt(numbers[row]) : null;
    if (value !== null && fits(value)) wide[row] = value;
    else fitting[row] = 0;
  }
  return exactVector(simplified(fitting, count), wide);
}

export function halfToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest < 0.5) return below;
  return rest > 0.5 || below % 2 !== 0 ? below + 1 : below;
}

/** Like Math.round, but rounds halves of negative numbers away from zero, too. */
export const halfAway = (value: number): number => (value < 0 ? -Math.round(-value) : Math.round(value));

/** Converts numbers to booleans: false for 0, true otherwise. */
export function numberToBoolean(vector: ExactVector | FloatVector): BooleanVector {
  const { count, valid } = vector;
  const bits = new Uint8Array(count);
  const { numbers } = vector;
  if (numbers !== null) for (let row = 0; row < count; row++) bits[row] = numbers[row] === 0 ? 0 : 1;
  else if (vector.kind === 'exact') {
    for (let row = 0; row < count; row++) bits[row] = bigintAt(vector, row) === 0n ? 0 : 1;
  }
  return { kind: 'boolean', count, valid, bits };
}

/** Converts booleans to 1 and 0. */
export function booleanToNumbers({ bits, count }: BooleanVector): Float64Array {
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) numbers[row] = bits[row];
  return numbers;
}
