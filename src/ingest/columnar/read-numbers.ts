/** Arrow numbers -> integers of 64 bits: of integer columns, and of decimal columns times 10^places. No digit is lost. */
import { INT64_MAX, INT64_MIN } from '../../base/index.js';
import { formatDecimal, scaleDecimal } from '../../schema/index.js';
import { writeBigWords, writeNumberWords } from '../values/numbers.js';
import type { ArrowArray } from './arrow-array.js';
import type { ArrowType } from './arrow-type.js';
import { hasValue, RowRefused } from './column-values.js';

type Present = Uint8Array | null;

export function floatsOf(
  { length, buffers: [bytes] }: ArrowArray,
  bits: 32 | 64,
): Float32Array | Float64Array {
  const { buffer, byteOffset } = bytes;
  return bits === 32
    ? new Float32Array(buffer, byteOffset, length)
    : new Float64Array(buffer, byteOffset, length);
}

/** Integers of at most 32 bits as numbers. */
export function smallIntegers(
  { length, buffers: [bytes] }: ArrowArray,
  { bits, signed }: IntType,
): NumberArray {
  const { buffer, byteOffset } = bytes;
  switch (bits) {
    case 8:
      return signed ? new Int8Array(buffer, byteOffset, length) : new Uint8Array(buffer, byteOffset, length);
    case 16:
      return signed
        ? new Int16Array(buffer, byteOffset, length)
        : new Uint16Array(buffer, byteOffset, length);
    default:
      return signed
        ? new Int32Array(buffer, byteOffset, length)
        : new Uint32Array(buffer, byteOffset, length);
  }
}

export type IntType = Extract<ArrowType, { is: 'int' }>;
type NumberArray = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array;

/** 64-bit elements as (low, high) words. */
export const wordsOf = ({ length, buffers: [bytes] }: ArrowArray, perElement = 2): Int32Array =>
  new Int32Array(bytes.buffer, bytes.byteOffset, length * perElement);

/** The codes of a dictionary's array; a code above 2^31 becomes -1, which no dictionary has. */
export function codesOf(array: ArrowArray, type: IntType): Int32Array {
  if (type.bits < 64) {
    const codes = smallIntegers(array, type);
    return codes instanceof Int32Array
      ? codes
      : Int32Array.from(codes, (code) => (code > 0x7fffffff ? -1 : code));
  }
  const words = wordsOf(array);
  return Int32Array.from({ length: array.length }, (_, row) =>
    words[row * 2 + 1] === 0 ? words[row * 2] : -1,
  );
}

/** Integers as texts, for IDs and strings; '' for rows without a value. */
export function integerTexts(array: ArrowArray, type: IntType, present: Present): readonly string[] {
  const texts = (textOf: (row: number) => string): string[] =>
    Array.from({ length: array.length }, (_, row) => (hasValue(present, row) ? textOf(row) : ''));
  if (type.bits < 64) {
    const numbers = smallIntegers(array, type);
    return texts((row) => String(numbers[row]));
  }
  const words = wordsOf(array);
  return texts((row) => bigOf(words, row * 2, type.signed).toString());
}

const bigOf = (words: Int32Array, at: number, signed: boolean): bigint =>
  (BigInt(signed ? words[at + 1] : words[at + 1] >>> 0) << 32n) | BigInt(words[at] >>> 0);

/** The numbers of an array times 10^places. null = its type has no numbers. Throws RowRefused. */
export function scaledIntegers(array: ArrowArray, places: number, present: Present): Int32Array | null {
  const { type } = array.field;
  switch (type.is) {
    case 'int':
      return type.bits === 64
        ? ofWords(array, type, places, present)
        : ofNumbers(smallIntegers(array, type), places, present);
    case 'float':
      return ofFloats(array, type.bits, places, present);
    case 'decimal':
      return ofDecimals(array, type, places, present);
    default:
      return null;
  }
}

function ofNumbers(numbers: NumberArray, places: number, present: Present): Int32Array {
  const words = new Int32Array(numbers.length * 2);
  if (places === 0) {
    for (let row = 0; row < numbers.length; row++) {
      words[row * 2] = numbers[row];
      words[row * 2 + 1] = numbers[row] < 0 ? -1 : 0;
    }
    return words;
  }
  for (let row = 0; row < numbers.length; row++) {
    if (hasValue(present, row)) writeScaled(words, row, String(numbers[row]), places);
  }
  return words;
}

function ofWords(array: ArrowArray, type: IntType, places: number, present: Present): Int32Array {
  const words = wordsOf(array);
  if (places === 0 && type.signed) return words;
  if (places === 0) {
    for (let row = 0; row < array.length; row++) {
      if (words[row * 2 + 1] < 0 && hasValue(present, row)) {
        throw new RowRefused(row, 2007, `${bigOf(words, row * 2, false)} is outside -2^63 to 2^63-1`);
      }
    }
    return words;
  }
  const scaled = new Int32Array(words.length);
  for (let row = 0; row < array.length; row++) {
    if (hasValue(present, row))
      writeScaled(scaled, row, bigOf(words, row * 2, type.signed).toString(), places);
  }
  return scaled;
}

/** Below these, decimals with any number of places are at least two floats apart, so one of them at most reads back as a float. */
const DOUBLE_MAX = 2 ** 51;
const SINGLE_MAX = 2 ** 22;

/**
 * A float v is the shortest decimal that reads back as it. It has at most `places` places if v x 10^places, rounded to an integer
 * and divided again, is v.
 */
function ofFloats(array: ArrowArray, bits: 32 | 64, places: number, present: Present): Int32Array {
  const isSingle = bits === 32;
  const floats = floatsOf(array, bits);
  const words = new Int32Array(array.length * 2);
  const power = 10 ** places;
  const exactMax = places > PLACES_EXACT_MAX ? 0 : isSingle ? SINGLE_MAX : DOUBLE_MAX;
  for (let row = 0; row < floats.length; row++) {
    if (!hasValue(present, row)) continue;
    const value = floats[row];
    const scaled = Math.round(value * power);
    const back = scaled / power;
    const isSame = (isSingle ? Math.fround(back) : back) === value;
    if (isSame && Math.abs(scaled) < exactMax) writeNumberWords(words, row * 2, scaled);
    else writeScaled(words, row, isSingle ? shortestSingle(value) : String(value), places);
  }
  return words;
}

/** 10^22 is the greatest power of ten that is a double. */
const PLACES_EXACT_MAX = 22;
/** Every decimal of so many digits differs from others as a float, and so many are enough for every float. */
const SINGLE_DIGITS_MIN = 6;
const SINGLE_DIGITS_MAX = 9;

function shortestSingle(value: number): string {
  for (let digits = SINGLE_DIGITS_MIN; digits < SINGLE_DIGITS_MAX; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return text;
  }
  return value.toPrecision(SINGLE_DIGITS_MAX);
}

function ofDecimals(
  array: ArrowArray,
  { bits, places: ownPlaces }: Extract<ArrowType, { is: 'decimal' }>,
  places: number,
  present: Present,
): Int32Array {
  const size = bits / 32;
  const own = wordsOf(array, size);
  const words = new Int32Array(array.length * 2);
  for (let row = 0; row < array.length; row++) {
    if (!hasValue(present, row)) continue;
    const at = row * size;
    const sign = own[at + size - 1] >> 31;
    const high = size === 1 ? sign : own[at + 1];
    // The upper words of a value of 64 bits repeat its sign.
    let isWide = high >> 31 !== sign;
    for (let word = 2; word < size; word++) isWide ||= own[at + word] !== sign;
    if (ownPlaces === places && !isWide) {
      words[row * 2] = own[at];
      words[row * 2 + 1] = high;
    } else writeScaled(words, row, decimalText(own, at, size, ownPlaces), places);
  }
  return words;
}

function decimalText(words: Int32Array, at: number, size: number, places: number): string {
  let value = BigInt(words[at + size - 1]);
  for (let word = size - 2; word >= 0; word--) value = (value << 32n) | BigInt(words[at + word] >>> 0);
  return places < 0 ? `${value}e${-places}` : formatDecimal(value, places);
}

/** Throws RowRefused like the parser of JSON. */
function writeScaled(words: Int32Array, row: number, text: string, places: number): void {
  const scaled = scaleDecimal(text, places);
  if ('value' in scaled && scaled.value >= INT64_MIN && scaled.value <= INT64_MAX) {
    writeBigWords(words, row * 2, scaled.value);
    return;
  }
  const reason = 'reason' in scaled ? scaled.reason : 'out-of-range';
  if (reason === 'too-many-places') {
    if (places === 0) throw new RowRefused(row, 2007, `${text} is not an integer`);
    throw new RowRefused(row, 2004, `${text} has more than ${places} decimal places`);
  }
  const of = places === 0 ? 'an integer' : `a decimal with ${places} places`;
  const what = reason === 'not-a-number' ? `is not ${of}` : `is out of the range of ${of}`;
  throw new RowRefused(row, 2007, `${text} ${what}`);
}
