/**
 * Date arithmetic in the proleptic Gregorian calendar on days and seconds since 1970-01-01, which may be negative. Year, month
 * and day are packed into one number, so that nothing is allocated.
 */
import { invariant } from '../../base/index.js';
import type { DateUnit } from '../../ir/index.js';
import {
  daysFromCivil,
  daysInMonth,
  INSTANT_SECONDS_MAX,
  INSTANT_SECONDS_MIN,
  SECONDS_PER_DAY,
} from '../../schema/index.js';
import { expressionError, outOfYears } from '../error.js';

/** Days from 0000-03-01 minus 400 years to 1970-01-01; dates counted from there are never negative. */
const EPOCH_DAYS = 719_468 + 146_097;

/**
 * Returns (year x 16 + month) x 32 + day. Source: Hinnant, civil_from_days, with 32-bit integers, which divide fast.
 */
function packedDate(days: number): number {
  const shifted = (days + EPOCH_DAYS) | 0;
  const era = (shifted / 146_097) | 0;
  const dayOfEra = (shifted - era * 146_097) | 0;
  const leapDays = (((dayOfEra / 36_524) | 0) - ((dayOfEra / 1_460) | 0) - ((dayOfEra / 146_096) | 0)) | 0;
  const yearOfEra = ((dayOfEra + leapDays) / 365) | 0;
  const dayOfYear = (dayOfEra - (yearOfEra * 365 + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0))) | 0;
  const shiftedMonth = ((5 * dayOfYear + 2) / 153) | 0;
  const day = dayOfYear - (((153 * shiftedMonth + 2) / 5) | 0) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + (era - 1) * 400 + (month <= 2 ? 1 : 0);
  return (year * 16 + month) * 32 + day;
}

/** The first day of a month, in days since 1970-01-01; years from 0000. Source: Hinnant, days_from_civil. */
function firstDayOf(year: number, month: number): number {
  const shifted = (month <= 2 ? year + 399 : year + 400) | 0;
  const era = (shifted / 400) | 0;
  const yearOfEra = (shifted - era * 400) | 0;
  const dayOfYear = ((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) | 0;
  const leapDays = ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0);
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - EPOCH_DAYS;
}

const yearOf = (packed: number): number => packed >> 9;
const monthOf = (packed: number): number => (packed >> 5) & 15;
const dayOf = (packed: number): number => packed & 31;

/** Months since 0000-01. */
const monthNumber = (packed: number): number => yearOf(packed) * 12 + monthOf(packed) - 1;
/** Days since the last Monday; 1970-01-01 was a Thursday. */
const daysSinceMonday = (days: number): number => modulo(days + 3, 7);

const modulo = (value: number, divisor: number): number => value - Math.floor(value / divisor) * divisor;

/** The ISO 8601 week, 1 to 53; week 1 contains the first Thursday of the year. */
function isoWeek(days: number): number {
  const thursday = days - daysSinceMonday(days) + 3;
  const newYear = firstDayOf(yearOf(packedDate(thursday)), 1);
  return Math.floor((thursday - newYear) / 7) + 1;
}

/** Lengths in seconds of the units of constant length. */
const UNIT_SECONDS: Partial<Readonly<Record<DateUnit, number>>> = {
  week: 7 * SECONDS_PER_DAY,
  day: SECONDS_PER_DAY,
  hour: 3_600,
  minute: 60,
  second: 1,
};
/** Lengths in months of the other units. */
const UNIT_MONTHS: Partial<Readonly<Record<DateUnit, number>>> = { year: 12, quarter: 3, month: 1 };

/** Whether the unit is a length of time; weekday and day-of-year are only parts of a date. */
export const isLength = (unit: DateUnit): boolean =>
  UNIT_SECONDS[unit] !== undefined || UNIT_MONTHS[unit] !== undefined;

/** Whether the unit is shorter than a day. */
export const isOfDay = (unit: DateUnit): boolean => unit === 'hour' || unit === 'minute' || unit === 'second';

/** Returns the function that extracts the unit from an instant in seconds. */
export function datePart(unit: DateUnit): (seconds: number) => number {
  switch (unit) {
    case 'hour':
      return (seconds) => Math.floor(modulo(seconds, SECONDS_PER_DAY) / 3_600);
    case 'minute':
      return (seconds) => Math.floor(modulo(seconds, 3_600) / 60);
    case 'second':
      return (seconds) => modulo(seconds, 60);
    default: {
      const part = dayPart(unit);
      return (seconds) => part(Math.floor(seconds / SECONDS_PER_DAY));
    }
  }
}

/** Returns the function that extracts the unit from a date in days. */
export function dayPart(unit: DateUnit): (days: number) => number {
  switch (unit) {
    case 'year':
      return (days) => yearOf(packedDate(days));
    case 'quarter':
      return (days) => Math.floor((monthOf(packedDate(days)) + 2) / 3);
    case 'month':
      return (days) => monthOf(packedDate(days));
    case 'week':
      return isoWeek;
    case 'day':
      return (days) => dayOf(packedDate(days));
    case 'weekday':
      return (days) => modulo(days + 4, 7) + 1;
    case 'day-of-year':
      return (days) => days - firstDayOf(yearOf(packedDate(days)), 1) + 1;
    default:
      return () => 0;
  }
}

/**
 * Returns the function that truncates a date to the unit; units within a day keep it. Throws 6000 for a week that begins
 * before year 0000.
 */
export function startDay(unit: DateUnit): (days: number) => number {
  const months = UNIT_MONTHS[unit];
  if (months !== undefined) {
    return (days) => {
      const number = monthNumber(packedDate(days));
      return firstDay(number - modulo(number, months));
    };
  }
  if (unit !== 'week') return (days) => days;
  return (days) => withinYears((days - daysSinceMonday(days)) * SECONDS_PER_DAY) / SECONDS_PER_DAY;
}

/** Returns the function that truncates an instant to the unit. Throws 6000 like `startDay`. */
export function startInstant(unit: DateUnit): (seconds: number) => number {
  if (isOfDay(unit)) {
    const length = UNIT_SECONDS[unit] as number;
    return (seconds) => seconds - modulo(seconds, length);
  }
  const start = startDay(unit);
  return (seconds) => start(Math.floor(seconds / SECONDS_PER_DAY)) * SECONDS_PER_DAY;
}

/** The first day of the month with this number. */
const firstDay = (month: number): number => firstDayOf(Math.floor(month / 12), modulo(month, 12) + 1);

/**
 * Returns the function that adds `amount` units. A day that the month does not have becomes its last day. Throws 6000
 * outside years 0000 to 9999.
 */
export function addUnits(unit: DateUnit): (amount: number, seconds: number) => number {
  const months = UNIT_MONTHS[unit];
  const length = UNIT_SECONDS[unit];
  if (length !== undefined) return (amount, seconds) => withinYears(seconds + amount * length);
  invariant(months !== undefined, `${unit} is a part of a date, not a length`);
  return (amount, seconds) => {
    const days = Math.floor(seconds / SECONDS_PER_DAY);
    const packed = packedDate(days);
    const month = monthNumber(packed) + amount * months;
    if (!(month >= 0 && month < 120_000)) throw outOfYears();
    const day = Math.min(dayOf(packed), daysInMonth(Math.floor(month / 12), (month % 12) + 1));
    return (firstDay(month) + day - 1) * SECONDS_PER_DAY + (seconds - days * SECONDS_PER_DAY);
  };
}

export function withinYears(seconds: number): number {
  if (!(seconds >= INSTANT_SECONDS_MIN && seconds <= INSTANT_SECONDS_MAX)) throw outOfYears();
  return seconds;
}

/** Returns the function that counts the unit boundaries after `from` up to `to`; for weeks, whole weeks between the two days. */
export function unitsBetween(unit: DateUnit): (from: number, to: number) => number {
  const months = UNIT_MONTHS[unit];
  if (months !== undefined) {
    const number = (seconds: number): number =>
      Math.floor(monthNumber(packedDate(Math.floor(seconds / SECONDS_PER_DAY))) / months);
    return (from, to) => number(to) - number(from);
  }
  if (unit === 'week') {
    return (from, to) =>
      Math.trunc((Math.floor(to / SECONDS_PER_DAY) - Math.floor(from / SECONDS_PER_DAY)) / 7) + 0;
  }
  const length = UNIT_SECONDS[unit] as number;
  return (from, to) => Math.floor(to / length) - Math.floor(from / length);
}

/** Returns days since 1970-01-01. Throws 6000 for a date that does not exist. */
export function makeDate(year: number, month: number, day: number): number {
  const known = year >= 0 && year <= 9_999 && month >= 1 && month <= 12 && day >= 1;
  if (!known || day > daysInMonth(year, month))
    throw expressionError(`there is no date ${year}-${month}-${day}`);
  return daysFromCivil(year, month, day);
}
