/**
 * Converts exact integers to numbers of a result: rationals rounded once to the nearest double
 * (ties to even), and doubles and scaled decimals as JSON tokens that always have a fraction.
 */
import { formatDecimal } from '../schema/index.js';

/** Integers up to this magnitude are exact doubles. */
const EXACT_MAX = 2n ** 53n;
/** Bits of a quotient before rounding: more than a double's 53 and one for ties. */
const BITS = 66;

const isExact = (value: bigint): boolean => value <= EXACT_MAX && value >= -EXACT_MAX;
const bitLength = (value: bigint): number => value.toString(2).length;

/** numerator / denominator; the denominator must be above 0, and the result must neither overflow nor be subnormal. */
export function nearestDouble(numerator: bigint, denominator: bigint): number {
  // A division of two doubles rounds only once.
  if (isExact(numerator) && isExact(denominator)) return Number(numerator) / Number(denominator);
  if (numerator < 0n) return -nearestDouble(-numerator, denominator);
  const shift = BITS - bitLength(numerator) + bitLength(denominator);
  const scaled = shift > 0 ? numerator << BigInt(shift) : numerator;
  const divisor = shift < 0 ? denominator << BigInt(-shift) : denominator;
  const quotient = scaled / divisor;
  return scaleBack(quotient, quotient * divisor !== scaled, shift);
}

/** bits / 2^shift, where `bits` is the integer part; `more`: whether a remainder follows. */
function scaleBack(bits: bigint, more: boolean, shift: number): number {
  // The last bit is far below the rounding position of Number(): setting it represents the remainder.
  return Number(more ? bits | 1n : bits) * 2 ** -shift;
}

/** The double in JavaScript notation, but without an exponent and always with a fraction. */
export function floatToken(value: number): string {
  const text = String(value);
  const exponentAt = text.indexOf('e');
  return withFraction(exponentAt < 0 ? text : plainText(text, exponentAt));
}

function plainText(text: string, exponentAt: number): string {
  const exponent = Number(text.slice(exponentAt + 1));
  const sign = text.startsWith('-') ? '-' : '';
  const [whole, fraction = ''] = text.slice(sign.length, exponentAt).split('.');
  const digits = whole + fraction;
  const point = whole.length + exponent;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const padded = digits.padEnd(point, '0');
  return `${sign}${padded.slice(0, point)}.${padded.slice(point) || '0'}`;
}

/** An exact scaled decimal without trailing zeros, except the one of "12.0". */
export function decimalToken(scaled: bigint, places: number): string {
  return withFraction(formatDecimal(scaled, places));
}

function withFraction(text: string): string {
  return text.includes('.') ? text : `${text}.0`;
}
