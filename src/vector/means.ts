/** Means of exact sums: rounded to millionths, halves away from zero, and then to the nearest double. */
import { nearest, roundedQuotient, UNIT_BITS } from './exact-rounding.js';
import type { SqlType } from './vector.js';

/** The scale of a sum's integers: a value is an integer / unit x 2^exponent. */
export interface Form {
  readonly unit: bigint;
  readonly exponent: number;
}

export function formOf(type: SqlType): Form {
  if (type.type === 'float') return { unit: 1n, exponent: -UNIT_BITS };
  return { unit: type.type === 'decimal' ? 10n ** BigInt(type.scale) : 1n, exponent: 0 };
}

/** Means have a resolution of one millionth. */
export const MEAN_UNIT = 10 ** 6;

/** sum / divisor in millionths, halves away from zero; null if doubles are not exact enough. */
export function fewMillionths(sum: number, divisor: number): number | null {
  const scaled = Math.abs(sum) * MEAN_UNIT;
  if (scaled > Number.MAX_SAFE_INTEGER || divisor > Number.MAX_SAFE_INTEGER) return null;
  const rest = scaled % divisor;
  const whole = (scaled - rest) / divisor + (2 * rest >= divisor ? 1 : 0);
  return sum < 0 && whole > 0 ? -whole : whole;
}

/** Least number of fractional digits of quotients and means in PostgreSQL's dialect. */
export const MEAN_SCALE = 16;

/** The integer that represents sum / count with `scale` fractional digits, halves away from zero. */
export const decimalMean = (sum: bigint, count: bigint, { unit }: Form, scale: number): bigint =>
  roundedQuotient(sum * 10n ** BigInt(scale), count * unit);

/** The mean of `count` values with this sum. */
export function exactMean(sum: bigint, count: bigint, { unit, exponent }: Form): number {
  const divisor = (count * unit) << BigInt(-exponent);
  return nearest(roundedQuotient(sum * BigInt(MEAN_UNIT), divisor), BigInt(MEAN_UNIT));
}
