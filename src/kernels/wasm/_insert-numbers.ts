/**
 * Parses numbers of an insert body with at most 18 digits, which always fit in 64 bits. All readers write the value to `to` and
 * return the offset after the token; 0 = not plain: an exponent, more digits, or not a number. The caller checks what follows a
 * token, including a point after an integer.
 */
const MINUS: u32 = 0x2d;
const DOT: u32 = 0x2e;
const DIGITS_MAX: u32 = 18;
/** Every integer with at most this many digits is exact in a double. */
const FLOAT_DIGITS_MAX: u32 = 15;

// @ts-ignore: decorator
@inline
function digitAt(at: usize): u32 {
  return <u32>load<u8>(at) - 0x30;
}

/** Returns whether no valid number starts at `start`: no digit, or a zero followed by digits. */
// @ts-ignore: decorator
@inline
function startsBadly(start: usize): bool {
  const first = digitAt(start);
  return first > 9 || (first == 0 && digitAt(start + 1) <= 9);
}

export function readInteger(from: usize, to: usize): usize {
  const negative = <u32>load<u8>(from) == MINUS;
  const start = negative ? from + 1 : from;
  if (startsBadly(start)) return 0;
  let at = start;
  let value: i64 = 0;
  for (let digit = digitAt(at); digit <= 9; digit = digitAt(++at)) value = value * 10 + digit;
  if (at - start > DIGITS_MAX) return 0;
  store<i64>(to, negative ? -value : value);
  return at;
}

/** A decimal times 10^places. */
export function readDecimal(from: usize, places: u32, to: usize): usize {
  const negative = <u32>load<u8>(from) == MINUS;
  const start = negative ? from + 1 : from;
  if (startsBadly(start)) return 0;
  let at = start;
  let value: i64 = 0;
  for (let digit = digitAt(at); digit <= 9; digit = digitAt(++at)) value = value * 10 + digit;
  if (at - start + places > DIGITS_MAX) return 0;
  let zeros = places;
  if (<u32>load<u8>(at) == DOT) {
    const fraction = at + 1;
    at = fraction;
    for (let digit = digitAt(at); digit <= 9; digit = digitAt(++at)) value = value * 10 + digit;
    if (at == fraction || at - fraction > places) return 0;
    zeros -= <u32>(at - fraction);
  }
  for (; zeros > 0; zeros--) value *= 10;
  store<i64>(to, negative ? -value : value);
  return at;
}

/** Reads the nearest double, between -bound and bound; minus zero becomes zero. */
export function readDegrees(from: usize, bound: f64, to: usize): usize {
  const negative = <u32>load<u8>(from) == MINUS;
  const start = negative ? from + 1 : from;
  if (startsBadly(start)) return 0;
  let at = start;
  let digits: i64 = 0;
  for (let digit = digitAt(at); digit <= 9; digit = digitAt(++at)) digits = digits * 10 + digit;
  let digitCount = <u32>(at - start);
  let power: f64 = 1;
  if (<u32>load<u8>(at) == DOT) {
    const fraction = at + 1;
    at = fraction;
    for (let digit = digitAt(at); digit <= 9; digit = digitAt(++at)) {
      digits = digits * 10 + digit;
      power *= 10;
    }
    if (at == fraction) return 0;
    digitCount += <u32>(at - fraction);
  }
  if (digitCount > FLOAT_DIGITS_MAX) return 0;
  // Both operands are exact, so their quotient is the nearest double.
  const value = <f64>digits / power;
  if (value > bound) return 0;
  store<f64>(to, negative ? 0 - value : value);
  return at;
}
