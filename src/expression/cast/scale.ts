/** Converts exact values between scales, and rounds them. */
import type { ExactVector } from '../../vector/index.js';
import { DIGITS_MAX, exactVector } from '../../vector/index.js';
import { fits, wideRows } from '../exact.js';
import { bigintAt, powerOfTen } from '../kinds.js';
import { isValid, writableValid } from '../validity.js';

export type Rounding = 'half-away' | 'down' | 'up' | 'toward-zero';

const SAFE = Number.MAX_SAFE_INTEGER;
/** Up to this exponent, powers of ten and twice their remainders are safe integers. */
const SAFE_PLACES = 15;

/** Multiplies by 10^places, rounding half away from zero. Throws 6000 for more than DIGITS_MAX digits. */
export function rescaled(vector: ExactVector, places: number): ExactVector {
  if (places === 0) return vector;
  return places > 0 ? scaledUp(vector, places) : scaledDown(vector, -places, 'half-away');
}

/** Like `rescaled`, but values with too many digits become missing. */
export function rescaledLeniently(vector: ExactVector, places: number): ExactVector {
  if (places <= 0) return rescaled(vector, places);
  const numbers = scaledNumbers(vector, places);
  if (numbers !== null) return numbers;
  const factor = 10n ** BigInt(places);
  const valid = writableValid(vector.valid, vector.count);
  const wide = new Array<bigint>(vector.count).fill(0n);
  for (let row = 0; row < vector.count; row++) {
    if (valid[row] === 0) continue;
    const value = bigintAt(vector, row) * factor;
    if (fits(value)) wide[row] = value;
    else valid[row] = 0;
  }
  return exactVector(valid, wide);
}

function scaledUp(vector: ExactVector, places: number): ExactVector {
  const numbers = scaledNumbers(vector, places);
  if (numbers !== null) return numbers;
  // With this exponent every value except 0 already has too many digits.
  const factor = 10n ** BigInt(Math.min(places, DIGITS_MAX));
  return wideRows(vector.count, vector.valid, (row) => bigintAt(vector, row) * factor);
}

/** Returns null if a result is not a safe integer. */
function scaledNumbers({ numbers, valid, count }: ExactVector, places: number): ExactVector | null {
  if (numbers === null || places > SAFE_PLACES) return null;
  const factor = powerOfTen(places);
  const results = new Float64Array(count);
  let safe = true;
  for (let row = 0; row < count; row++) {
    const result = numbers[row] * factor + 0;
    results[row] = result;
    if (result > SAFE || result < -SAFE) safe = false;
  }
  return safe ? { kind: 'exact', count, valid, numbers: results, wide: null } : null;
}

/** Divides by 10^places; requires places > 0. */
export function scaledDown(vector: ExactVector, places: number, rounding: Rounding): ExactVector {
  const { numbers, valid, count } = vector;
  if (numbers !== null && places <= SAFE_PLACES) {
    const results = new Float64Array(count);
    divideNumbers(numbers, powerOfTen(places), rounding, results, count);
    return { kind: 'exact', count, valid, numbers: results, wide: null };
  }
  // Every value is below half of the greatest divisor.
  const divisor = 10n ** BigInt(Math.min(places, DIGITS_MAX + 1));
  const wide = new Array<bigint>(count).fill(0n);
  for (let row = 0; row < count; row++) {
    if (isValid(valid, row)) wide[row] = divided(bigintAt(vector, row), divisor, rounding);
  }
  return exactVector(valid, wide);
}

function divideNumbers(
  numbers: Float64Array,
  divisor: number,
  rounding: Rounding,
  results: Float64Array,
  count: number,
): void {
  for (let row = 0; row < count; row++) {
    // Subtracting the remainder first makes the division exact.
    const remainder = numbers[row] % divisor;
    const quotient = (numbers[row] - remainder) / divisor;
    results[row] = quotient + step(remainder, divisor, rounding) + 0;
  }
}

function step(remainder: number, divisor: number, rounding: Rounding): number {
  switch (rounding) {
    case 'half-away':
      return Math.abs(remainder) * 2 >= divisor ? Math.sign(remainder) : 0;
    case 'down':
      return remainder < 0 ? -1 : 0;
    case 'up':
      return remainder > 0 ? 1 : 0;
    case 'toward-zero':
      return 0;
  }
}

function divided(value: bigint, divisor: bigint, rounding: Rounding): bigint {
  const remainder = value % divisor;
  const quotient = (value - remainder) / divisor;
  const magnitude = remainder < 0n ? -remainder : remainder;
  switch (rounding) {
    case 'half-away':
      return magnitude * 2n < divisor ? quotient : quotient + (value < 0n ? -1n : 1n);
    case 'down':
      return remainder < 0n ? quotient - 1n : quotient;
    case 'up':
      return remainder > 0n ? quotient + 1n : quotient;
    case 'toward-zero':
      return quotient;
  }
}

/**
 * Rounds to `digits` fractional digits (negative: before the point) and converts to another scale. Throws 6000 for more than
 * DIGITS_MAX digits.
 */
export function roundedTo(
  vector: ExactVector,
  scale: number,
  digits: number,
  rounding: Rounding,
  resultScale: number,
): ExactVector {
  if (digits >= scale) return rescaled(vector, resultScale - scale);
  return rescaled(scaledDown(vector, scale - digits, rounding), resultScale - digits);
}
