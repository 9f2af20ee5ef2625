/**
 * Converts number tokens to stored numbers without losing a digit. A token uses exact double arithmetic only while every
 * intermediate is an integer below 2^53; longer tokens use BigInt.
 * All readers take the offset of the token, write the value at `index` of an array and return the offset after the token. They
 * throw InsertError 2007 or 2004. A token that is not valid JSON may throw any error, because the body's syntax is
 * checked before an error is reported. The caller checks what follows the token.
 */
import { INT64_MAX, INT64_MIN } from '../../base/index.js';
import { type DecimalText, scaleDecimal } from '../../schema/index.js';
import { InsertError } from '../insert-error.js';
import { skipNumber } from '../json.js';
import { DOT, isNumberByte, MINUS, type Source, ZERO } from '../source.js';

/** Every integer with at most this many digits is below 2^53. */
const EXACT_DIGITS_MAX = 15;
const INT64_DIGITS_MAX = 19;
const TWO_32 = 2 ** 32;
const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= 0x39;

/** Writes a whole number below 2^53 in magnitude as (low, high) words. */
export function writeNumberWords(words: Int32Array, index: number, value: number): void {
  words[index] = value;
  words[index + 1] = Math.floor(value / TWO_32);
}

export function writeBigWords(words: Int32Array, index: number, value: bigint): void {
  words[index] = Number(BigInt.asIntN(32, value));
  words[index + 1] = Number(BigInt.asIntN(32, value >> 32n));
}

/** Returns the token's text, shortened, for messages and BigInt. */
function tokenText(source: Source, from: number, to: number): string {
  let text = '';
  for (let at = from; at < Math.min(to, from + 40); at++) text += String.fromCharCode(source.bytes[at]);
  return to > from + 40 ? `${text}…` : text;
}

function wrongType(source: Source, at: number, expected: string): InsertError {
  const byte = source.bytes[at];
  const number = byte === MINUS || isDigit(byte);
  const seen = number ? tokenText(source, at, skipNumber(source, at)) : kindOfValue(byte);
  return new InsertError(2007, at, `${seen} is not ${expected}`);
}

/** Names the kind of a value by its first byte, for messages. */
export function kindOfValue(byte: number): string {
  if (byte === 0x22) return 'a string';
  if (byte === 0x7b) return 'an object';
  if (byte === 0x5b) return 'a list';
  if (byte === 0x74 || byte === 0x66) return 'a boolean';
  return byte === 0x6e ? 'null' : 'a number';
}

/** JSON forbids leading zeros. The next byte shows whether the token was read to its end. */
function startsBadly(first: number, digitCount: number): boolean {
  return digitCount === 0 || (first === ZERO && digitCount > 1);
}

/** Reads a 64-bit integer as (low, high) words at words[index]. */
export function readInteger(source: Source, from: number, words: Int32Array, index: number): number {
  const { bytes } = source;
  const negative = bytes[from] === MINUS;
  const start = negative ? from + 1 : from;
  let at = start;
  let value = 0;
  let byte = bytes[at];
  while (byte >= ZERO && byte <= 0x39 && at - start < EXACT_DIGITS_MAX) {
    value = value * 10 + (byte - ZERO);
    byte = bytes[++at];
  }
  if (startsBadly(bytes[start], at - start)) throw wrongType(source, from, 'an integer');
  if (!isNumberByte(byte)) {
    writeNumberWords(words, index, negative ? -value : value);
    return at;
  }
  return readLongInteger(source, from, words, index);
}

function readLongInteger(source: Source, from: number, words: Int32Array, index: number): number {
  const { bytes } = source;
  const end = skipNumber(source, from);
  const start = bytes[from] === MINUS ? from + 1 : from;
  for (let at = start; at < end; at++) if (!isDigit(bytes[at])) throw wrongType(source, from, 'an integer');
  const value = end - start > INT64_DIGITS_MAX ? INT64_MAX + 1n : BigInt(tokenText(source, from, end));
  if (value > INT64_MAX || value < INT64_MIN) {
    throw new InsertError(2007, from, `${tokenText(source, from, end)} is outside -2^63 to 2^63-1`);
  }
  writeBigWords(words, index, value);
  return end;
}

/** Reads a decimal times 10^places as (low, high) words at words[index]. */
export function readDecimal(
  source: Source,
  from: number,
  places: number,
  words: Int32Array,
  index: number,
): number {
  const { bytes } = source;
  const negative = bytes[from] === MINUS;
  const start = negative ? from + 1 : from;
  let at = start;
  let value = 0;
  let byte = bytes[at];
  while (byte >= ZERO && byte <= 0x39 && at - start < EXACT_DIGITS_MAX) {
    value = value * 10 + (byte - ZERO);
    byte = bytes[++at];
  }
  const wholeDigits = at - start;
  if (startsBadly(bytes[start], wholeDigits)) throw wrongType(source, from, 'a decimal');
  let fractionDigits = 0;
  if (byte === DOT) {
    const pointAt = at;
    byte = bytes[++at];
    while (byte >= ZERO && byte <= 0x39 && wholeDigits + fractionDigits < EXACT_DIGITS_MAX) {
      value = value * 10 + (byte - ZERO);
      byte = bytes[++at];
      fractionDigits++;
    }
    if (at === pointAt + 1) fractionDigits = places + 1;
  }
  const zeros = places - fractionDigits;
  if (!isNumberByte(byte) && zeros >= 0 && wholeDigits + places <= EXACT_DIGITS_MAX) {
    const scaled = value * POWERS_OF_TEN[zeros];
    writeNumberWords(words, index, negative ? -scaled : scaled);
    return at;
  }
  return readLongDecimal(source, from, places, words, index);
}

function readLongDecimal(
  source: Source,
  from: number,
  places: number,
  words: Int32Array,
  index: number,
): number {
  const end = skipNumber(source, from);
  const scaled = scaleDecimal(canonicalText(readNumberText(source, from, end)), places);
  if ('value' in scaled) {
    writeBigWords(words, index, scaled.value);
    return end;
  }
  const text = tokenText(source, from, end);
  if (scaled.reason === 'too-many-places') {
    throw new InsertError(2004, from, `${text} has more than ${places} decimal places`);
  }
  throw new InsertError(2007, from, `${text} is out of the range of a decimal with ${places} places`);
}

/** The longest run of significant digits that is kept. A token with more is out of range or has too many places anyway. */
const SIGNIFICANT_DIGITS_MAX = 64;
const SCALE_MAX = 1_000_000_000;

/**
 * Returns the token at [from, end) as sign, significant digits and scale, in one pass over any number of bytes. Digits beyond
 * SIGNIFICANT_DIGITS_MAX are replaced with ones: their count still determines range and places.
 */
export function readNumberText(source: Source, from: number, end: number): DecimalText {
  const { bytes } = source;
  let digits = '';
  let digitCount = 0;
  let zeroRun = 0;
  let pointSeen = false;
  let fractionDigits = 0;
  let at = bytes[from] === MINUS ? from + 1 : from;
  for (; at < end && (isDigit(bytes[at]) || bytes[at] === DOT); at++) {
    if (bytes[at] === DOT) {
      pointSeen = true;
      continue;
    }
    if (pointSeen) fractionDigits++;
    if (bytes[at] === ZERO) {
      if (digitCount > 0) zeroRun++;
      continue;
    }
    digitCount += zeroRun + 1;
    if (digitCount <= SIGNIFICANT_DIGITS_MAX) digits += '0'.repeat(zeroRun) + String.fromCharCode(bytes[at]);
    zeroRun = 0;
  }
  const exponent = at < end ? readExponent(source, at + 1, end) : 0;
  if (digitCount > SIGNIFICANT_DIGITS_MAX) digits = '1'.repeat(SIGNIFICANT_DIGITS_MAX);
  const scale = fractionDigits - exponent - zeroRun - Math.max(0, digitCount - SIGNIFICANT_DIGITS_MAX);
  return { negative: bytes[from] === MINUS, digits, scale: digitCount === 0 ? 0 : scale };
}

function readExponent(source: Source, from: number, end: number): number {
  const { bytes } = source;
  let exponent = 0;
  for (let at = from; at < end; at++) {
    if (isDigit(bytes[at])) exponent = Math.min(SCALE_MAX, exponent * 10 + (bytes[at] - ZERO));
  }
  return bytes[from] === MINUS ? -exponent : exponent;
}

function canonicalText(number: DecimalText): string {
  return `${number.negative ? '-' : ''}${number.digits === '' ? '0' : number.digits}e${-number.scale}`;
}

/** Reads the nearest double into floats[index]; minus zero becomes zero. */
export function readFloat(source: Source, from: number, floats: Float64Array, index: number): number {
  const { bytes } = source;
  const negative = bytes[from] === MINUS;
  const start = negative ? from + 1 : from;
  let at = start;
  let value = 0;
  let pointAt = -1;
  let byte = bytes[at];
  while (
    ((byte >= ZERO && byte <= 0x39) || (byte === DOT && pointAt < 0)) &&
    at - start <= EXACT_DIGITS_MAX
  ) {
    if (byte === DOT) pointAt = at;
    else value = value * 10 + (byte - ZERO);
    byte = bytes[++at];
  }
  const wholeDigits = (pointAt < 0 ? at : pointAt) - start;
  if (startsBadly(bytes[start], wholeDigits)) throw wrongType(source, from, 'a number');
  const fractionDigits = pointAt < 0 ? 0 : at - pointAt - 1;
  const whole = !isNumberByte(byte) && (pointAt < 0 ? wholeDigits <= EXACT_DIGITS_MAX : fractionDigits > 0);
  if (whole) {
    // Both operands are exact, so their quotient is the nearest double.
    value /= POWERS_OF_TEN[fractionDigits];
    floats[index] = negative ? 0 - value : value;
    return at;
  }
  const end = skipNumber(source, from);
  floats[index] = Number(new TextDecoder().decode(bytes.subarray(from, end))) + 0;
  return end;
}
