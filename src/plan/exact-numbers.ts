/**
 * From exact integers to numbers of an answer: rationals and their roots rounded once to the nearest double (halves to
 * the even one), and doubles and scaled decimals as JSON tokens that always have a fraction.
 */
import { formatDecimal } from '../schema/index.js';

/** Integers up to here are doubles. */
const EXACT_MAX = 2n ** 53n;
/** Bits of a quotient or root before it is rounded: more than a double's 53 and one for halves. */
const BITS = 66;

const isExact = (value: bigint): boolean => value <= EXACT_MAX && value >= -EXACT_MAX;
const bitLength = (value: bigint): number => value.toString(2).length;

/** numerator / denominator; the denominator is above 0, and the result neither overflows nor is subnormal. */
export function nearestDouble(numerator: bigint, denominator: bigint): number {
  // The division of two doubles is rounded once.
  if (isExact(numerator) && isExact(denominator)) return Number(numerator) / Number(denominator);
  if (numerator < 0n) return -nearestDouble(-numerator, denominator);
  const shift = BITS - bitLength(numerator) + bitLength(denominator);
  const scaled = shift > 0 ? numerator << BigInt(shift) : numerator;
  const divisor = shift < 0 ? denominator << BigInt(-shift) : denominator;
  const quotient = scaled / divisor;
  return scaleBack(quotient, quotient * divisor !== scaled, shift);
}

/** The square root of numerator / denominator; neither is below 0, the denominator not 0. */
export function nearestRoot(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0;
  // numerator / denominator x 4^half has about twice BITS bits, its root BITS.
  const half = Math.ceil((2 * BITS - bitLength(numerator) + bitLength(denominator)) / 2);
  const scaled = half > 0 ? numerator << BigInt(2 * half) : numerator;
  const divisor = half < 0 ? denominator << BigInt(-2 * half) : denominator;
  const quotient = scaled / divisor;
  const root = integerRoot(quotient);
  return scaleBack(root, root * root !== quotient || quotient * divisor !== scaled, half);
}

/** bits / 2^shift, of which `bits` is the whole part; `more`: something follows it. */
function scaleBack(bits: bigint, more: boolean, shift: number): number {
  // The last bit lies far below the place where Number() rounds: setting it makes what follows count.
  return Number(more ? bits | 1n : bits) * 2 ** -shift;
}

/** The greatest integer whose square is not above `value`, by Newton's method from above. */
function integerRoot(value: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(bitLength(value) / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** As JavaScript writes it, but never with an exponent and always with a fraction. */
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

/** A scaled decimal, exact: its digits without trailing zeros, but for the one of "12.0". */
export function decimalToken(scaled: bigint, places: number): string {
  return withFraction(formatDecimal(scaled, places));
}

function withFraction(text: string): string {
  return text.includes('.') ? text : `${text}.0`;
}
