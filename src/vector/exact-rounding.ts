/**
 * Rounds exact rationals and their square roots to the nearest double (ties to even) over the whole range of doubles,
 * and converts doubles to exact integers: multiples of the least double, 2^-1074.
 */

/** A double is an integer times 2^-UNIT_BITS. */
export const UNIT_BITS = 1_074;
/** Bits of a quotient before rounding: more than a double's 53 and one for ties. */
const BITS = 66;
/** Doubles below 2^NORMAL_MIN have fewer than 53 bits. */
const NORMAL_MIN = -1_022;
const EXACT_MAX = 2n ** 53n;
const MANTISSA = 2n ** 52n - 1n;

const isExact = (value: bigint): boolean => value <= EXACT_MAX && value >= -EXACT_MAX;

/** The bit length of an integer above 0. */
function bitLength(value: bigint): number {
  const digits = value.toString(16);
  return digits.length * 4 - Math.clz32(Number.parseInt(digits[0], 16)) + 28;
}

/** `value` x 2^exponent; the result must be exact or infinite. */
function scaled(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return value * 2 ** half * 2 ** (exponent - half);
}

/**
 * The double nearest to numerator / denominator x 2^exponent; the denominator must be above 0. Infinity above all
 * doubles.
 */
export function nearest(numerator: bigint, denominator: bigint, exponent = 0): number {
  if (exponent === 0 && isExact(numerator) && isExact(denominator)) {
    // A division of two doubles rounds only once. Adding 0 turns -0 into 0.
    return Number(numerator) / Number(denominator) + 0;
  }
  if (numerator < 0n) return -nearest(-numerator, denominator, exponent);
  if (numerator === 0n) return 0;
  const length = bitLength(numerator) - bitLength(denominator);
  if (length + exponent - 1 < NORMAL_MIN) return nearestTiny(numerator, denominator, exponent);
  const shift = BITS - length;
  const above = shift > 0 ? numerator << BigInt(shift) : numerator;
  const below = shift < 0 ? denominator << BigInt(-shift) : denominator;
  const quotient = above / below;
  // The last bit is far below the rounding position: setting it represents the remainder.
  const bits = quotient * below === above ? quotient : quotient | 1n;
  return scaled(Number(bits), exponent - shift);
}

/** Handles subnormal doubles, which are whole numbers of units. */
function nearestTiny(numerator: bigint, denominator: bigint, exponent: number): number {
  const shift = exponent + UNIT_BITS;
  const above = shift > 0 ? numerator << BigInt(shift) : numerator;
  const below = shift < 0 ? denominator << BigInt(-shift) : denominator;
  return scaled(Number(halfEven(above, below)), -UNIT_BITS);
}

function halfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = 2n * (numerator - quotient * denominator);
  if (twice > denominator || (twice === denominator && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}

/**
 * The double nearest to the square root of numerator / denominator x 4^exponent; the numerator must not be negative,
 * the denominator must be above 0. Infinity above all doubles.
 */
export function nearestRootOfUnits(numerator: bigint, denominator: bigint, exponent = 0): number {
  if (numerator === 0n) return 0;
  const half = Math.ceil((2 * BITS - bitLength(numerator) + bitLength(denominator)) / 2);
  // Subnormal roots are cut at their last bit, not at bit BITS.
  const shift = Math.min(half, exponent + UNIT_BITS + 1);
  const above = shift > 0 ? numerator << BigInt(2 * shift) : numerator;
  const below = shift < 0 ? denominator << BigInt(-2 * shift) : denominator;
  const quotient = above / below;
  const root = integerRoot(quotient);
  const isWhole = root * root === quotient && quotient * below === above;
  if (half <= shift) return scaled(Number(isWhole ? root : root | 1n), exponent - shift);
  // One more bit than the units of a subnormal double, to represent a half.
  const up = root % 2n === 1n && (!isWhole || root % 4n === 3n) ? 1n : 0n;
  return scaled(Number(root / 2n + up), -UNIT_BITS);
}

/** The greatest integer whose square is not above `value`, by Newton's method from above. */
function integerRoot(value: bigint): bigint {
  if (value === 0n) return 0n;
  let root = 1n << BigInt(Math.ceil(bitLength(value) / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** A finite double in units of 2^-UNIT_BITS. */
export function unitsOf(value: number): bigint {
  const double = new Float64Array([value]);
  const bits = new BigUint64Array(double.buffer)[0];
  const exponent = (bits >> 52n) & 0x7ffn;
  const mantissa = bits & MANTISSA;
  const units = exponent === 0n ? mantissa : (mantissa | (MANTISSA + 1n)) << (exponent - 1n);
  return value < 0 ? -units : units;
}

/** numerator / denominator rounded to an integer, halves away from zero; the denominator must be above 0. */
export function roundedQuotient(numerator: bigint, denominator: bigint): bigint {
  if (numerator < 0n) return -roundedQuotient(-numerator, denominator);
  return (2n * numerator + denominator) / (2n * denominator);
}
