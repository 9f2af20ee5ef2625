/** Calendar periods of a time zone, found by their definition. */
import { dayBegin, dayOf, localClock } from './local-time.js';
import type { Shared, Unit, Weekday } from './question.js';

const DAY = 86_400;
const WEEKDAYS: readonly Weekday[] = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
];
const FIXED: Partial<Record<Unit, number>> = { minutes: 60, hours: 3600 };
const MONTHS: Partial<Record<Unit, number>> = { months: 1, quarters: 3, years: 12 };

/** Half-open. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

export interface Calendar {
  readonly unit: Unit;
  readonly zone: string;
  readonly weekStart: Weekday;
}

export const calendarOf = (shared: Shared, unit: Unit): Calendar => ({
  unit,
  zone: shared['time-zone'] ?? 'UTC',
  weekStart: shared['week-start'] ?? 'monday',
});

/** The midnight, as if in UTC, with which the period of the unit that contains the day begins. */
function firstDay(day: number, { unit, weekStart }: Calendar): number {
  const date = new Date(day * 1000);
  if (unit === 'days') return day;
  if (unit === 'weeks') {
    const days = (date.getUTCDay() - WEEKDAYS.indexOf(weekStart) + 7) % 7;
    return day - days * DAY;
  }
  const months = MONTHS[unit]!;
  const month = date.getUTCMonth();
  return Date.UTC(date.getUTCFullYear(), month - (month % months), 1) / 1000;
}

/** The first day of the period after the one that begins with that day. */
function nextFirstDay(first: number, { unit }: Calendar): number {
  if (unit === 'days') return first + DAY;
  if (unit === 'weeks') return first + 7 * DAY;
  const date = new Date(first * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + MONTHS[unit]!, 1) / 1000;
}

/** The period that contains the instant. */
export function periodOf(instant: number, calendar: Calendar): Period {
  const { unit, zone } = calendar;
  const clock = localClock(instant, zone);
  const length = FIXED[unit];
  if (length !== undefined) {
    const start = instant - (((clock % length) + length) % length);
    return { start, end: start + length };
  }
  // The clock may show the date before, when it is set back after the day began.
  let first = firstDay(dayOf(clock) - DAY, calendar);
  while (dayBegin(nextFirstDay(first, calendar), zone) <= instant) first = nextFirstDay(first, calendar);
  return { start: dayBegin(first, zone), end: dayBegin(nextFirstDay(first, calendar), zone) };
}

export const periodAfter = ({ end }: Period, calendar: Calendar): Period => periodOf(end, calendar);
export const periodBefore = ({ start }: Period, calendar: Calendar): Period => periodOf(start - 1, calendar);

/** All periods from the one that contains `from` to the one that contains `to`. */
export function periodsOf([from, to]: readonly [number, number], calendar: Calendar): Period[] {
  const periods = [periodOf(from, calendar)];
  while (periods[periods.length - 1].end <= to) {
    periods.push(periodAfter(periods[periods.length - 1], calendar));
  }
  return periods;
}

/** The period so many periods after another. */
export function periodAt(period: Period, distance: number, calendar: Calendar): Period {
  let found = period;
  for (let step = 0; step < distance; step++) found = periodAfter(found, calendar);
  for (let step = 0; step > distance; step--) found = periodBefore(found, calendar);
  return found;
}

export const contains = ({ start, end }: Period, instant: number): boolean =>
  start <= instant && instant < end;

const dateText = (instant: number): string => `${new Date(instant * 1000).toISOString().slice(0, 19)}Z`;
export const betweenOf = ({ start, end }: Period): [string, string] => [dateText(start), dateText(end)];

/** The instant of a date or datetime; a date is its first instant in the zone. */
export function instantOf(text: string, zone: string): number {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return dayBegin(Date.parse(`${text}T00:00:00Z`) / 1000, zone);
  return Math.floor(Date.parse(text) / 1000);
}

/** The window of a question, both ends inside; reversed ends are put in order. */
export function windowOf({ between, 'time-zone': zone = 'UTC' }: Shared): readonly [number, number] {
  if (between === undefined) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const [a, b] = between.map((text) => instantOf(text, zone));
  return a <= b ? [a, b] : [b, a];
}
