/**
 * Date arithmetic by units, on days and seconds since 1970-01-01, which may be negative.
 */
import { invariant } from '../../base/index.js';
import type { DateUnit } from '../../ir/index.js';
import {
  countedFromOne,
  dayOf,
  daysFromCivil,
  daysInMonth,
  daysSinceMonday,
  firstDayOf,
  INSTANT_SECONDS_MAX,
  INSTANT_SECONDS_MIN,
  isoWeek,
  modulo,
  monthNumber,
  monthOf,
  packedDate,
  SECONDS_PER_DAY,
  thursdayOf,
  yearOf,
} from '../../schema/index.js';
import { expressionError, outOfYears } from '../error.js';

/** Lengths in seconds of the units of constant length. */
const UNIT_SECONDS: Partial<Readonly<Record<DateUnit, number>>> = {
  week: 7 * SECONDS_PER_DAY,
  day: SECONDS_PER_DAY,
  hour: 3_600,
  minute: 60,
  second: 1,
};
/** Lengths in months of the other units. */
const UNIT_MONTHS: Partial<Readonly<Record<DateUnit, number>>> = {
  millennium: 12_000,
  century: 1_200,
  decade: 120,
  year: 12,
  quarter: 3,
  month: 1,
};
/** Months from year 0000 to the start of a unit: the century 1 begins with year 1. */
const UNIT_ORIGIN: Partial<Readonly<Record<DateUnit, number>>> = { millennium: 12, century: 12 };

/** The Julian day of 1970-01-01. */
const JULIAN_EPOCH = 2_440_588;

/** Whether the unit is a length of time; the others are only parts of a date. */
export const isLength = (unit: DateUnit): boolean =>
  UNIT_SECONDS[unit] !== undefined || UNIT_MONTHS[unit] !== undefined;

/** Whether the unit is shorter than a day. */
export const isOfDay = (unit: DateUnit): boolean => UNIT_SECONDS_OF_DAY.has(unit);

const UNIT_SECONDS_OF_DAY: ReadonlySet<DateUnit> = new Set([
  ...(['hour', 'minute', 'second', 'millisecond', 'microsecond'] as const),
]);

/** Returns the function that extracts the unit from an instant in seconds. */
export function datePart(unit: DateUnit): (seconds: number) => number {
  switch (unit) {
    case 'hour':
      return (seconds) => Math.floor(modulo(seconds, SECONDS_PER_DAY) / 3_600);
    case 'minute':
      return (seconds) => Math.floor(modulo(seconds, 3_600) / 60);
    case 'second':
      return (seconds) => modulo(seconds, 60);
    case 'millisecond':
      return (seconds) => modulo(seconds, 60) * 1_000;
    case 'microsecond':
      return (seconds) => modulo(seconds, 60) * 1_000_000;
    case 'epoch':
      return (seconds) => seconds;
    default: {
      const part = dayPart(unit);
      return (seconds) => part(Math.floor(seconds / SECONDS_PER_DAY));
    }
  }
}

/** Returns the function that extracts the unit from a date in days. */
export function dayPart(unit: DateUnit): (days: number) => number {
  switch (unit) {
    case 'millennium':
      return (days) => countedFromOne(yearOf(packedDate(days)), 1_000);
    case 'century':
      return (days) => countedFromOne(yearOf(packedDate(days)), 100);
    case 'decade':
      return (days) => Math.floor(yearOf(packedDate(days)) / 10);
    case 'year':
      return (days) => yearOf(packedDate(days));
    case 'iso-year':
      return (days) => yearOf(packedDate(thursdayOf(days)));
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
    case 'weekday-from-zero':
      return (days) => modulo(days + 4, 7);
    case 'iso-weekday':
      return (days) => daysSinceMonday(days) + 1;
    case 'epoch':
      return (days) => days * SECONDS_PER_DAY;
    case 'julian':
      return (days) => days + JULIAN_EPOCH;
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
  const origin = UNIT_ORIGIN[unit] ?? 0;
  if (months !== undefined) {
    return (days) => {
      const number = monthNumber(packedDate(days));
      return firstDay(number - modulo(number - origin, months));
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
function firstDay(month: number): number {
  if (month < 0) throw outOfYears();
  return firstDayOf(Math.floor(month / 12), modulo(month, 12) + 1);
}

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
    const origin = UNIT_ORIGIN[unit] ?? 0;
    const number = (seconds: number): number =>
      Math.floor((monthNumber(packedDate(Math.floor(seconds / SECONDS_PER_DAY))) - origin) / months);
    return (from, to) => number(to) - number(from);
  }
  if (unit === 'week') {
    return (from, to) =>
      Math.trunc((Math.floor(to / SECONDS_PER_DAY) - Math.floor(from / SECONDS_PER_DAY)) / 7) + 0;
  }
  const length = UNIT_SECONDS[unit] as number;
  return (from, to) => Math.floor(to / length) - Math.floor(from / length);
}

/** Returns the function that counts the whole units from `from` to `to`; negative if `to` is before `from`. */
export function wholeUnitsBetween(unit: DateUnit): (from: number, to: number) => number {
  const months = UNIT_MONTHS[unit];
  const length = UNIT_SECONDS[unit] as number;
  if (months === undefined) return (from, to) => Math.trunc((to - from) / length) + 0;
  return (from, to) => {
    const whole = from <= to ? wholeMonths(from, to) : -wholeMonths(to, from);
    return Math.trunc(whole / months) + 0;
  };
}

/** Whole months from an instant to a later one. The last day of a month completes a month that has no such day. */
export function wholeMonths(from: number, to: number): number {
  const [first, last] = [Math.floor(from / SECONDS_PER_DAY), Math.floor(to / SECONDS_PER_DAY)];
  const [start, end] = [packedDate(first), packedDate(last)];
  const months = monthNumber(end) - monthNumber(start);
  const endsMonth = dayOf(packedDate(last + 1)) === 1;
  const day = endsMonth ? Math.max(dayOf(end), dayOf(start)) : dayOf(end);
  const reaches =
    day > dayOf(start) ||
    (day === dayOf(start) && to - last * SECONDS_PER_DAY >= from - first * SECONDS_PER_DAY);
  return reaches ? months : months - 1;
}

/** Returns seconds since 1970-01-01. Throws 6000 for a date or time that does not exist. */
export function makeDatetime(
  date: readonly [year: number, month: number, day: number],
  hour: number,
  minute: number,
  second: number,
): number {
  const known = hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second < 60;
  if (!known) throw expressionError(`there is no time ${hour}:${minute}:${second}`);
  return makeDate(...date) * SECONDS_PER_DAY + (hour * 60 + minute) * 60 + Math.floor(second);
}

/** Returns days since 1970-01-01. Throws 6000 for a date that does not exist. */
export function makeDate(year: number, month: number, day: number): number {
  const known = year >= 0 && year <= 9_999 && month >= 1 && month <= 12 && day >= 1;
  if (!known || day > daysInMonth(year, month))
    throw expressionError(`there is no date ${year}-${month}-${day}`);
  return daysFromCivil(year, month, day);
}
