/** Reads dates from texts field by field, for TO_TIMESTAMP and STRPTIME. Texts are matched whole; fractions of a second are dropped. */
import { quoted, rememberLast } from '../../base/index.js';
import {
  daysFromCivil,
  daysInMonth,
  INSTANT_SECONDS_MAX,
  INSTANT_SECONDS_MIN,
  SECONDS_PER_DAY,
} from '../dates.js';
import { daysSinceMonday, isoWeek } from './civil.js';
import { dateError, JULIAN_EPOCH, MONTHS, WEEKDAYS } from './date-fields.js';

export type DateField =
  | 'year'
  /** Two digits: 00 to 68 are 2000 to 2068, 69 to 99 are 1969 to 1999. */
  | 'year-of-century'
  /** The same with 70 as the first year of the last century. */
  | 'year-of-century-70'
  | 'month'
  | 'month-name'
  | 'day'
  | 'day-of-year'
  | 'weekday-name'
  | 'iso-year'
  | 'iso-week'
  | 'iso-weekday'
  | 'julian-day'
  | 'hour'
  | 'hour12'
  | 'half-day'
  | 'minute'
  | 'second'
  | 'second-of-day'
  | 'fraction'
  | 'offset';

export type FieldReader =
  /** The pattern is sticky. */
  | { readonly field: DateField; readonly form: RegExp; readonly skipsBlanks?: true }
  | { readonly field: 'literal'; readonly text: string }
  /** A pattern whose match has no meaning. */
  | { readonly field: 'ignored'; readonly form: RegExp };

/** Seconds since 1970-01-01, or null. */
export type ReadDate = (text: string, format: string) => number | null;

type Fields = Map<DateField, number>;

/** Returns a reader that remembers the last format. Throws 6000 for a text that does not match unless `lenient`. */
export function makeReader(compile: (format: string) => readonly FieldReader[], lenient: boolean): ReadDate {
  const readers = rememberLast(compile);
  return (text, format) => {
    const fields = fieldsIn(text, readers(format));
    const seconds = fields === null ? null : secondsOf(fields);
    if (seconds !== null || lenient) return seconds;
    if (fields === null) {
      throw dateError(`${quoted(text)} does not match the format ${quoted(format)}`);
    }
    throw dateError(
      `${quoted(text)} is not a date of the years 0000 to 9999 in the format ${quoted(format)}`,
    );
  };
}

/** null if the text does not match. */
function fieldsIn(text: string, readers: readonly FieldReader[]): Fields | null {
  const fields: Fields = new Map();
  let at = 0;
  for (const reader of readers) {
    if (reader.field === 'literal') {
      if (!text.startsWith(reader.text, at)) return null;
      at += reader.text.length;
      continue;
    }
    if (reader.field !== 'ignored' && reader.skipsBlanks === true) while (text[at] === ' ') at++;
    reader.form.lastIndex = at;
    const match = reader.form.exec(text);
    if (match === null) return null;
    at += match[0].length;
    if (reader.field === 'ignored') continue;
    const value = fieldValue(reader.field, match[0]);
    if (value === null) return null;
    fields.set(reader.field, value);
  }
  return text.slice(at).trim() === '' ? fields : null;
}

function fieldValue(field: DateField, text: string): number | null {
  switch (field) {
    case 'month-name':
      return named(text, MONTHS);
    case 'weekday-name':
      return named(text, WEEKDAYS);
    case 'half-day':
      return /^p/i.test(text) ? 12 : 0;
    case 'offset': {
      const [, sign, hours, minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(text) as RegExpExecArray;
      if (Number(hours) > 23 || Number(minutes) > 59) return null;
      return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60);
    }
    default:
      return Number(text.replace(',', ''));
  }
}

/** The number of a name or of its first three letters, from 1. */
function named(text: string, names: readonly string[]): number | null {
  const lower = text.toLowerCase();
  const index = names.findIndex((name) => {
    const known = name.toLowerCase();
    return known === lower || known.slice(0, 3) === lower;
  });
  return index === -1 ? null : index + 1;
}

/** null if there is no such date or time. */
function secondsOf(fields: Fields): number | null {
  const days = daysOf(fields);
  const time = timeOf(fields);
  if (days === null || time === null) return null;
  const seconds = days * SECONDS_PER_DAY + time - (fields.get('offset') ?? 0);
  return seconds >= INSTANT_SECONDS_MIN && seconds <= INSTANT_SECONDS_MAX ? seconds : null;
}

function timeOf(fields: Fields): number | null {
  const ofDay = fields.get('second-of-day');
  if (ofDay !== undefined) return ofDay < SECONDS_PER_DAY ? ofDay : null;
  const minute = fields.get('minute') ?? 0;
  const second = fields.get('second') ?? 0;
  const hour12 = fields.get('hour12');
  if (hour12 !== undefined && (hour12 < 1 || hour12 > 12)) return null;
  const hour =
    hour12 === undefined ? (fields.get('hour') ?? 0) : (hour12 % 12) + (fields.get('half-day') ?? 0);
  return hour > 23 || minute > 59 || second > 59 ? null : (hour * 60 + minute) * 60 + second;
}

function yearOf(fields: Fields): number | null {
  const year = fields.get('year');
  if (year !== undefined) return year;
  const from69 = fields.get('year-of-century');
  if (from69 !== undefined) return from69 + (from69 < 69 ? 2_000 : 1_900);
  const from70 = fields.get('year-of-century-70');
  return from70 === undefined ? null : from70 + (from70 < 70 ? 2_000 : 1_900);
}

function daysOf(fields: Fields): number | null {
  const julian = fields.get('julian-day');
  if (julian !== undefined) return julian - JULIAN_EPOCH;
  const isoYear = fields.get('iso-year');
  if (isoYear !== undefined)
    return isoDays(isoYear, fields.get('iso-week') ?? 1, fields.get('iso-weekday') ?? 1);
  const year = yearOf(fields);
  if (year === null) return null;
  const dayOfYear = fields.get('day-of-year');
  if (dayOfYear !== undefined) {
    const days = daysFromCivil(year, 1, 1) + dayOfYear - 1;
    return dayOfYear >= 1 && days < daysFromCivil(year + 1, 1, 1) ? days : null;
  }
  const month = fields.get('month') ?? fields.get('month-name') ?? 1;
  const day = fields.get('day') ?? 1;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  return daysFromCivil(year, month, day);
}

/** January 4 is always in week 1. */
function isoDays(year: number, week: number, weekday: number): number | null {
  if (weekday < 1 || weekday > 7 || week < 1 || week > 53) return null;
  const january4 = daysFromCivil(year, 1, 4);
  const monday = january4 - daysSinceMonday(january4) + (week - 1) * 7;
  return isoWeek(monday) === week ? monday + weekday - 1 : null;
}
