/**
 * Converts date and datetime tokens to days and seconds. The plain forms "YYYY-MM-DD" and "YYYY-MM-DDThh:mm:ssZ" are read four
 * bytes at a time; all other forms (offsets, fractions, lower-case letters, escapes) are parsed as text by src/schema.
 * Readers take the offset of the opening quote, write the value or NO_DATE to result[0] and return the offset after the closing
 * quote.
 */
import {
  daysFromCivil,
  daysInMonth,
  parseDate,
  parseDateTime,
  parseInstant,
  SECONDS_PER_DAY,
} from '../../schema/index.js';
import { skipString, stringAt } from '../json.js';
import { QUOTE, type Source, wordOf } from '../source.js';

/** Marks a text that is not a date; no timestamp or day of the years 0000 to 9999 has this number. */
export const NO_DATE = 2 ** 52;

/** Lengths of the plain forms in bytes, quotes included. */
const DATE_BYTES = 12;
const DATETIME_BYTES = 22;
/** The longest text that can be a date: fraction, offset and every byte as a \\u escape. */
const DATE_TEXT_BYTES_MAX = 256;

const YEAR = wordOf('0000');
const MONTH = wordOf('-00-');
const DAY_T = wordOf('00T0');
const HOUR_MINUTE = wordOf('0:00');
const SECOND_Z = wordOf(':00Z');
const MONTH_FIXED = 0xff0000ff | 0;
const DAY_T_FIXED = 0x00ff0000;
const HOUR_MINUTE_FIXED = 0x0000ff00;
const SECOND_Z_FIXED = 0xff0000ff | 0;

/**
 * Returns whether the XOR of a word and its pattern has a digit (0 to 9) for each "0" of the pattern and 0 for each other byte.
 */
function fits(difference: number, fixedMask: number): boolean {
  return (((difference + 0x06060606) | difference) & 0xf0f0f0f0) === 0 && (difference & fixedMask) === 0;
}

/** Returns the days of the plain date at `at` (after the quote), whatever follows it, or NO_DATE. */
function plainDays(source: Source, at: number): number {
  const { view, bytes } = source;
  const yearWord = view.getInt32(at, true) ^ YEAR;
  const monthWord = view.getInt32(at + 4, true) ^ MONTH;
  const tens = bytes[at + 8] - 0x30;
  const ones = bytes[at + 9] - 0x30;
  if (!fits(yearWord, 0) || !fits(monthWord, MONTH_FIXED)) return NO_DATE;
  if (tens < 0 || tens > 3 || ones < 0 || ones > 9) return NO_DATE;
  const century = (yearWord & 0xff) * 10 + ((yearWord >> 8) & 0xff);
  const year = century * 100 + ((yearWord >> 16) & 0xff) * 10 + (yearWord >> 24);
  const month = ((monthWord >> 8) & 0xff) * 10 + ((monthWord >> 16) & 0xff);
  const day = tens * 10 + ones;
  if (month < 1 || month > 12 || day < 1) return NO_DATE;
  if (day > 28 && day > daysInMonth(year, month)) return NO_DATE;
  return daysFromCivil(year, month, day);
}

/** Returns the seconds of the plain datetime at `at` (its quote), or NO_DATE if the text has another form. */
function plainSeconds(source: Source, at: number): number {
  const { view } = source;
  if (source.bytes[at + DATETIME_BYTES - 1] !== QUOTE) return NO_DATE;
  const dayWord = view.getInt32(at + 9, true) ^ DAY_T;
  const hourWord = view.getInt32(at + 13, true) ^ HOUR_MINUTE;
  const secondWord = view.getInt32(at + 17, true) ^ SECOND_Z;
  const formed =
    fits(dayWord, DAY_T_FIXED) && fits(hourWord, HOUR_MINUTE_FIXED) && fits(secondWord, SECOND_Z_FIXED);
  if (!formed) return NO_DATE;
  const hour = (dayWord >> 24) * 10 + (hourWord & 0xff);
  const minute = ((hourWord >> 16) & 0xff) * 10 + (hourWord >> 24);
  const second = ((secondWord >> 8) & 0xff) * 10 + ((secondWord >> 16) & 0xff);
  if (hour > 23 || minute > 59 || second > 59) return NO_DATE;
  const days = plainDays(source, at + 1);
  return days === NO_DATE ? NO_DATE : days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
}

/** Parses the string at `at` with a parser of src/schema. */
function byText(
  source: Source,
  at: number,
  result: Float64Array,
  parse: (text: string) => number | null,
): number {
  const end = skipString(source, at + 1);
  const text = end - at > DATE_TEXT_BYTES_MAX ? '' : stringAt(source, at);
  result[0] = parse(text) ?? NO_DATE;
  return end;
}

/** Reads "YYYY-MM-DD" as days since 1970-01-01. */
export function parseDays(source: Source, at: number, result: Float64Array): number {
  if (source.bytes[at + DATE_BYTES - 1] === QUOTE) {
    result[0] = plainDays(source, at + 1);
    if (result[0] !== NO_DATE) return at + DATE_BYTES;
  }
  return byText(source, at, result, parseDate);
}

/** Reads a datetime as seconds since 1970-01-01T00:00:00Z. */
export function readDateTime(source: Source, at: number, result: Float64Array): number {
  result[0] = plainSeconds(source, at);
  return result[0] !== NO_DATE ? at + DATETIME_BYTES : byText(source, at, result, parseDateTime);
}

/** Reads a datetime, or a date as its midnight, as seconds since 1970-01-01T00:00:00Z. */
export function readInstant(source: Source, at: number, result: Float64Array): number {
  result[0] = plainSeconds(source, at);
  if (result[0] !== NO_DATE) return at + DATETIME_BYTES;
  if (source.bytes[at + DATE_BYTES - 1] === QUOTE) {
    result[0] = plainDays(source, at + 1) * SECONDS_PER_DAY;
    if (result[0] < NO_DATE) return at + DATE_BYTES;
  }
  return byText(source, at, result, parseInstant);
}
