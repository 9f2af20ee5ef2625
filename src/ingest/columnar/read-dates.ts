/** Arrow dates, timestamps and texts of dates -> days, and seconds since 1970-01-01T00:00:00Z. Fractions of a second are cut off. */
import {
  INSTANT_SECONDS_MAX,
  INSTANT_SECONDS_MIN,
  parseDate,
  parseInstant,
  SECONDS_PER_DAY,
} from '../../schema/index.js';
import { instantIn } from '../records/instants.js';
import { writeNumberWords } from '../values/numbers.js';
import type { ArrowArray } from './arrow-array.js';
import { hasValue, presentRows, RowRefused } from './column-values.js';
import { integerTexts, wordsOf } from './read-numbers.js';
import { rawTextsOf } from './read-texts.js';

type Present = Uint8Array | null;

const MS_PER_SECOND = 1_000;
const MS_PER_DAY = 86_400_000;

/** Days since 1970-01-01 by row; null = the type has no dates. Throws RowRefused 2014. */
export function daysOf(array: ArrowArray, present: Present): Int32Array | null {
  const { type } = array.field;
  if (type.is === 'text' || type.is === 'text-view') return daysOfTexts(array, present);
  const isDays = type.is === 'date' && type.unit === 'day';
  const seconds = isDays ? null : secondsOf(array, present);
  if (seconds === null && !isDays) return null;
  const days = new Int32Array(array.length);
  const own = isDays ? wordsOf(array, 1) : null;
  for (let row = 0; row < array.length; row++) {
    if (!hasValue(present, row)) continue;
    const day =
      own === null || seconds !== null ? (seconds as Float64Array)[row] / SECONDS_PER_DAY : own[row];
    if (!Number.isInteger(day))
      throw new RowRefused(row, 2014, 'the timestamp is not the midnight of a date');
    checkInstant(day * SECONDS_PER_DAY, row, 2014);
    days[row] = day;
  }
  return days;
}

function daysOfTexts(array: ArrowArray, present: Present): Int32Array {
  const texts = textsOf(array);
  const days = new Int32Array(array.length);
  for (let row = 0; row < array.length; row++) {
    if (!hasValue(present, row)) continue;
    const day = parseDate(texts(row));
    if (day === null)
      throw new RowRefused(row, 2014, `${JSON.stringify(texts(row))} is not a date YYYY-MM-DD`);
    days[row] = day;
  }
  return days;
}

/** The text of a row. */
function textsOf(array: ArrowArray): (row: number) => string {
  const { offsets, bytes } = rawTextsOf(array);
  const own = Buffer.from(bytes.slice(offsets[0], offsets[array.length]));
  return (row) => own.toString('utf8', offsets[row] - offsets[0], offsets[row + 1] - offsets[0]);
}

/** Seconds as (low, high) words by row, for a datetime column; null = the type has no times. Throws RowRefused 2007. */
export function secondWordsOf(array: ArrowArray, present: Present): Int32Array | null {
  const seconds = secondsOf(array, present) ?? secondsOfTexts(array, present, 2007);
  if (seconds === null) return null;
  const words = new Int32Array(seconds.length * 2);
  for (let row = 0; row < seconds.length; row++) {
    if (!hasValue(present, row)) continue;
    checkInstant(seconds[row], row, 2007);
    writeNumberWords(words, row * 2, seconds[row]);
  }
  return words;
}

/** The dates of events, in seconds; null = the type has no times. Throws RowRefused 2010, also for missing dates of `needed` rows. */
export function eventSecondsOf(array: ArrowArray, needed: Present): Float64Array | null {
  const present = presentRows(array);
  const both = needed === null || present === null ? (needed ?? present) : bothPresent(needed, present);
  const seconds =
    secondsOf(array, both) ?? secondsOfTexts(array, both, 2010) ?? secondsOfIntegers(array, both);
  if (seconds === null || present === null) return seconds;
  for (let row = 0; row < array.length; row++) {
    if (hasValue(needed, row) && present[row] === 0) throw new RowRefused(row, 2010, 'the date has no value');
  }
  return seconds;
}

function bothPresent(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((value, row) => value & b[row]);
}

function checkInstant(seconds: number, row: number, code: 2007 | 2014): void {
  if (seconds >= INSTANT_SECONDS_MIN && seconds <= INSTANT_SECONDS_MAX) return;
  throw new RowRefused(row, code, 'the year of the date does not have four digits');
}

/** Of dates and timestamps; elements of rows without a value mean nothing. */
function secondsOf(array: ArrowArray, present: Present): Float64Array | null {
  const { type } = array.field;
  const { length } = array;
  if (type.is === 'date' && type.unit === 'day') {
    return Float64Array.from(wordsOf(array, 1), (day) => day * SECONDS_PER_DAY);
  }
  if (type.is === 'timestamp') return wholeQuotients(wordsOf(array), length, type.perSecond);
  if (type.is !== 'date') return null;
  const seconds = wholeQuotients(wordsOf(array), length, MS_PER_SECOND);
  const days = wholeQuotients(wordsOf(array), length, MS_PER_DAY);
  for (let row = 0; row < length; row++) {
    if (hasValue(present, row)) seconds[row] = days[row] * SECONDS_PER_DAY;
  }
  return seconds;
}

/**
 * floor(v / divisor) of 64-bit integers v. The quotient in floating point is wrong by one at most, and then the lowest 32 bits of
 * the remainder show it: it is between -divisor and 2 x divisor, and the divisor is below 2^30.
 */
function wholeQuotients(words: Int32Array, length: number, divisor: number): Float64Array {
  const quotients = new Float64Array(length);
  for (let row = 0; row < length; row++) {
    const low = words[row * 2];
    const value = words[row * 2 + 1] * 2 ** 32 + (low >>> 0);
    let quotient = Math.floor(value / divisor);
    if (divisor > 1) {
      // The lowest 32 bits of the quotient, whatever its size.
      const remainder = (low - Math.imul((quotient % 2 ** 32) | 0, divisor)) >>> 0;
      if (remainder >= 2 ** 32 - divisor) quotient--;
      else if (remainder >= divisor) quotient++;
    }
    quotients[row] = quotient;
  }
  return quotients;
}

function secondsOfTexts(array: ArrowArray, present: Present, code: 2007 | 2010): Float64Array | null {
  const { type } = array.field;
  if (type.is !== 'text' && type.is !== 'text-view') return null;
  const texts = textsOf(array);
  return secondsOfEach(array.length, present, code, texts);
}

function secondsOfIntegers(array: ArrowArray, present: Present): Float64Array | null {
  const { type } = array.field;
  if (type.is !== 'int') return null;
  const texts = integerTexts(array, type, present);
  return secondsOfEach(array.length, present, 2010, (row) => texts[row]);
}

/** Of texts as records have them. */
function secondsOfEach(
  length: number,
  present: Present,
  code: 2007 | 2010,
  textOf: (row: number) => string,
): Float64Array {
  const seconds = new Float64Array(length);
  for (let row = 0; row < length; row++) {
    if (!hasValue(present, row)) continue;
    const text = textOf(row);
    const instant = parseInstant(instantIn(text) ?? '');
    if (instant === null)
      throw new RowRefused(row, code, `${JSON.stringify(text.slice(0, 80))} is not a date`);
    seconds[row] = instant;
  }
  return seconds;
}
