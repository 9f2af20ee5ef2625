/**
 * Dates of the proleptic Gregorian calendar as numbers: days and seconds since 1970-01-01, before it as well. Nothing is
 * allocated: a date's year, month and day come packed in one number.
 */
import { invariant } from '../base/index.js';
import type { DateUnit } from '../ir/index.js';
import {
  daysFromCivil,
  daysInMonth,
  INSTANT_SECONDS_MAX,
  INSTANT_SECONDS_MIN,
  SECONDS_PER_DAY,
} from '../schema/index.js';
import { fault, outOfYears } from './fault.js';

/** Days from 0000-03-01, four centuries earlier, to 1970-01-01: no date counted from there is below 0. */
const EPOCH_DAYS = 719_468 + 146_097;

/**
 * (year x 16 + month) x 32 + day. Source: Hinnant, civil_from_days, with the whole numbers of 32 bits that divide fast.
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

/** Days since 1970-01-01 of a month's first day; years from 0000 on. Source: Hinnant, days_from_civil. */
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

/** The week of ISO 8601: 1 to 53, the first one is the one with the year's first Thursday. */
function isoWeek(days: number): number {
  const thursday = days - daysSinceMonday(days) + 3;
  const newYear = firstDayOf(yearOf(packedDate(thursday)), 1);
  return Math.floor((thursday - newYear) / 7) + 1;
}

/** Seconds of the units that always take the same time. */
const UNIT_SECONDS: Partial<Readonly<Record<DateUnit, number>>> = {
  week: 7 * SECONDS_PER_DAY,
  day: SECONDS_PER_DAY,
  hour: 3_600,
  minute: 60,
  second: 1,
};
/** Months of the others. */
const UNIT_MONTHS: Partial<Readonly<Record<DateUnit, number>>> = { year: 12, quarter: 3, month: 1 };

/** Whether there are units of it to count, beside a part of a date. */
export const isLength = (unit: DateUnit): boolean =>
  UNIT_SECONDS[unit] !== undefined || UNIT_MONTHS[unit] !== undefined;

/** Whether it divides days. */
export const isOfDay = (unit: DateUnit): boolean => unit === 'hour' || unit === 'minute' || unit === 'second';

/** The part of an instant, in seconds. */
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

/** The part of a date, in days. */
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

/** The first day of the unit; of units of a day the day itself. Throws 6000 for a week that begins before the year 0000. */
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

/** The instant at which the unit begins. Throws 6000. */
export function startInstant(unit: DateUnit): (seconds: number) => number {
  if (isOfDay(unit)) {
    const length = UNIT_SECONDS[unit] as number;
    return (seconds) => seconds - modulo(seconds, length);
  }
  const start = startDay(unit);
  return (seconds) => start(Math.floor(seconds / SECONDS_PER_DAY)) * SECONDS_PER_DAY;
}

/** The first day of a month by its number. */
const firstDay = (month: number): number => firstDayOf(Math.floor(month / 12), modulo(month, 12) + 1);

/** `amount` units later; a day that the month does not have becomes its last one. Throws 6000 where there is no such year. */
export function addUnits(unit: DateUnit): (amount: number, seconds: number) => number {
  const months = UNIT_MONTHS[unit];
  const length = UNIT_SECONDS[unit];
  if (length !== undefined) return (amount, seconds) => withinYears(seconds + amount * length);
  invariant(months !== undefined, `${unit} is a part of dates, no length`);
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

/** How often a unit begins behind `from` and not behind `to`; weeks: whole ones between the two days. */
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

/** Days since 1970-01-01. Throws 6000 for a date that there is not. */
export function makeDate(year: number, month: number, day: number): number {
  const known = year >= 0 && year <= 9_999 && month >= 1 && month <= 12 && day >= 1;
  if (!known || day > daysInMonth(year, month)) throw fault(`there is no date ${year}-${month}-${day}`);
  return daysFromCivil(year, month, day);
}
