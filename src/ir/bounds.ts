/**
 * A number for comparison with stored values. The number may not be storable: 1001.23 on a column with one decimal
 * place is between two stored values, 2^63 is above all of them. `floor` and `ceil` give the adjacent stored values, so
 * that every comparison is exact.
 */
import { INT64_MAX, INT64_MIN } from '../base/index.js';
import { readDecimal } from '../schema/index.js';

/**
 * The greatest stored value not above the number and the least not below it; equal if the number is storable. Numbers
 * outside 64 bits are one step outside.
 */
export interface Bound {
  readonly floor: bigint;
  readonly ceil: bigint;
}

const ABOVE: Bound = { floor: INT64_MAX, ceil: INT64_MAX + 1n };
const BELOW: Bound = { floor: INT64_MIN - 1n, ceil: INT64_MIN };

export const exactly = (value: bigint): Bound => ({ floor: value, ceil: value });

/** Returns the bound of a number's text x 10^places, or null if the text is not a number. */
export function numberBound(text: string, places: number): Bound | null {
  const read = readDecimal(text);
  if (read === null) return null;
  if (read.digits === '') return exactly(0n);
  const zeros = places - read.scale;
  if (read.digits.length + zeros > 19) return read.negative ? BELOW : ABOVE;
  if (zeros >= 0) return within(exactly(signed(BigInt(read.digits) * 10n ** BigInt(zeros), read.negative)));
  const digits = BigInt(read.digits.slice(0, Math.max(0, read.digits.length + zeros)));
  const floor = read.negative ? -digits - 1n : digits;
  return within({ floor, ceil: floor + 1n });
}

/** Returns the bound of a timestamp among values in units of `secondsPerValue`: days or seconds. */
export function instantBound(seconds: number, secondsPerValue: number): Bound {
  return {
    floor: BigInt(Math.floor(seconds / secondsPerValue)),
    ceil: BigInt(Math.ceil(seconds / secondsPerValue)),
  };
}

const signed = (magnitude: bigint, negative: boolean): bigint => (negative ? -magnitude : magnitude);

function within(bound: Bound): Bound {
  if (bound.floor > INT64_MAX) return ABOVE;
  return bound.ceil < INT64_MIN ? BELOW : bound;
}
