/** Converts constants between types, only if the conversion is exact. */
import { BOOLEAN, type Constant, FLOAT, INTEGER } from '../../../ir/index.js';
import { formatDecimal, SECONDS_PER_DAY } from '../../../schema/index.js';
import { DIGITS_MAX, type SqlType, scaleOf } from '../../../vector/index.js';
import { constantOf } from './build.js';
import { readBeside } from './literals.js';
import { isExactNumber, sameType } from './types.js';

const EXACT_END = 10n ** BigInt(DIGITS_MAX);

export const fitsDigits = (value: bigint): boolean => value < EXACT_END && value > -EXACT_END;

/** The double nearest to an exact number. */
export const nearestFloat = (value: bigint, scale: number): number => Number(formatDecimal(value, scale));

/**
 * The number of steps of `from` in a step of `to`: 10^(difference of scales) for numbers, seconds per day for dates, 1 between
 * integers and decimals of scale 0. null if the types have no common unit or `from` is not finer.
 */
export function stepBetween(from: SqlType, to: SqlType): bigint | null {
  if (from.type === 'datetime' && to.type === 'date') return BigInt(SECONDS_PER_DAY);
  if (!isExactNumber(from) || !isExactNumber(to)) return null;
  const places = scaleOf(from) - scaleOf(to);
  return places > 0 || (places === 0 && from.type !== to.type) ? 10n ** BigInt(places) : null;
}

export function floorDivide(
  value: bigint,
  step: bigint,
): { readonly floor: bigint; readonly exact: boolean } {
  const quotient = value / step;
  const exact = quotient * step === value;
  return { floor: !exact && value < 0n ? quotient - 1n : quotient, exact };
}

/** Converts the constant to `type` if the value stays the same (texts are parsed); otherwise returns null. */
export function exactly(constant: Constant, type: SqlType): Constant | null {
  const { value } = constant;
  if (value === null) return constantOf(type, null);
  if (sameType(constant.type, type)) return constant;
  if (constant.type.type === 'text') {
    const read = readBeside(String(value), type);
    return read === null ? null : exactly(read, type);
  }
  return typeof value === 'bigint' ? exactlyFrom(value, constant.type, type) : null;
}

/**
 * Prepares a constant for comparison with values of `type`: a float next to exact numbers becomes the decimal of its shortest
 * digits, so that exact numbers are not rounded. Other constants, and floats of more than DIGITS_MAX digits, stay unchanged.
 */
export function exactBeside(constant: Constant, type: SqlType): Constant {
  if (typeof constant.value !== 'number' || !isExactNumber(type)) return constant;
  const [mantissa, exponent = '0'] = String(constant.value).split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction) * 10n ** BigInt(Math.max(-places, 0));
  if (places > DIGITS_MAX || !fitsDigits(digits)) return constant;
  const exact = constantOf(places > 0 ? { type: 'decimal', scale: places } : INTEGER, digits);
  return stepBetween(exact.type, type) !== null || exactly(exact, type) !== null ? exact : constant;
}

function exactlyFrom(value: bigint, from: SqlType, type: SqlType): Constant | null {
  if (type.type === 'float')
    return isExactNumber(from) ? constantOf(FLOAT, nearestFloat(value, scaleOf(from))) : null;
  if (type.type === 'boolean') {
    const truth = sameType(from, INTEGER) && (value === 0n || value === 1n);
    return truth ? constantOf(BOOLEAN, value === 1n) : null;
  }
  const finer = stepBetween(from, type);
  if (finer !== null) {
    const { floor, exact } = floorDivide(value, finer);
    return exact ? constantOf(type, floor) : null;
  }
  const coarser = stepBetween(type, from);
  if (coarser === null) return null;
  const scaled = value * coarser;
  return type.type === 'datetime' || fitsDigits(scaled) ? constantOf(type, scaled) : null;
}
