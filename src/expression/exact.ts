/**
 * Arithmetic on exact values: safe integers as long as all results are safe, otherwise bigints.
 * Invariant: the double result of + - * on safe integers has a magnitude of at most 2^53 - 1 if and only if the true result
 * does, because rounding is monotonic and 2^53 is a double; the double is then the true result.
 */
import type { ExactVector } from '../vector/index.js';
import { DIGITS_MAX, exactVector } from '../vector/index.js';
import { tooManyDigits } from './error.js';
import { bigintAt } from './kinds.js';
import { bothValid, isValid, simplified, writableValid } from './validity.js';

export type ExactOperator = '+' | '-' | '*' | '%';

const SAFE = Number.MAX_SAFE_INTEGER;
/** The smallest magnitude that has too many digits. */
export const MAGNITUDE_END = 10n ** BigInt(DIGITS_MAX);

export const fits = (value: bigint): boolean => value < MAGNITUDE_END && value > -MAGNITUDE_END;

/** Throws 6000 for more than DIGITS_MAX digits. */
export function checked(value: bigint): bigint {
  if (!fits(value)) throw tooManyDigits();
  return value;
}

/** Computes row by row; x % 0 is missing. */
export function exactArithmetic(operator: ExactOperator, a: ExactVector, b: ExactVector): ExactVector {
  const { count } = a;
  const operands = bothValid(a.valid, b.valid, count);
  const valid = operator === '%' ? withoutZeros(b, operands) : operands;
  if (a.numbers !== null && b.numbers !== null) {
    const numbers = new Float64Array(count);
    if (LOOPS[operator](a.numbers, b.numbers, numbers, count)) {
      return { kind: 'exact', count, valid, numbers, wide: null };
    }
  }
  const combine = WIDE[operator];
  return wideRows(count, valid, (row) => combine(bigintAt(a, row), bigintAt(b, row)));
}

/** Computes each row that has a value with `of`. Throws 6000 for more than DIGITS_MAX digits. */
export function wideRows(count: number, valid: Uint8Array | null, of: (row: number) => bigint): ExactVector {
  const wide = new Array<bigint>(count).fill(0n);
  for (let row = 0; row < count; row++) if (isValid(valid, row)) wide[row] = checked(of(row));
  return exactVector(valid, wide);
}

/** The validity of rows whose divisor is present and not 0. */
function withoutZeros(divisor: ExactVector, operands: Uint8Array | null): Uint8Array | null {
  const valid = writableValid(operands, divisor.count);
  for (let row = 0; row < divisor.count; row++) {
    const zero = divisor.numbers === null ? divisor.wide?.[row] === 0n : divisor.numbers[row] === 0;
    if (zero) valid[row] = 0;
  }
  return simplified(valid, divisor.count);
}

/** Returns whether all results are safe, including those of missing rows. Adding 0 turns -0 into 0. */
type Loop = (a: Float64Array, b: Float64Array, out: Float64Array, count: number) => boolean;

const LOOPS: Readonly<Record<ExactOperator, Loop>> = {
  '+': addNumbers,
  '-': subtractNumbers,
  '*': multiplyNumbers,
  '%': remainderNumbers,
};

const WIDE: Readonly<Record<ExactOperator, (a: bigint, b: bigint) => bigint>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '%': (a, b) => a % b,
};

function addNumbers(a: Float64Array, b: Float64Array, out: Float64Array, count: number): boolean {
  let safe = true;
  for (let row = 0; row < count; row++) {
    const result = a[row] + b[row];
    out[row] = result;
    if (result > SAFE || result < -SAFE) safe = false;
  }
  return safe;
}

function subtractNumbers(a: Float64Array, b: Float64Array, out: Float64Array, count: number): boolean {
  let safe = true;
  for (let row = 0; row < count; row++) {
    const result = a[row] - b[row];
    out[row] = result;
    if (result > SAFE || result < -SAFE) safe = false;
  }
  return safe;
}

function multiplyNumbers(a: Float64Array, b: Float64Array, out: Float64Array, count: number): boolean {
  let safe = true;
  for (let row = 0; row < count; row++) {
    const result = a[row] * b[row] + 0;
    out[row] = result;
    if (result > SAFE || result < -SAFE) safe = false;
  }
  return safe;
}

function remainderNumbers(a: Float64Array, b: Float64Array, out: Float64Array, count: number): boolean {
  for (let row = 0; row < count; row++) out[row] = b[row] === 0 ? 0 : (a[row] % b[row]) + 0;
  return true;
}
