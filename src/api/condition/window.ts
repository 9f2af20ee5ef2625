/**
 * `between`: the window of an event condition, resolved against the request's time. Both ends are instants and inclusive;
 * reversed ends are swapped; a relative end is relative to the other one. Months and years follow the calendar, with
 * the day clamped to the month's length.
 */
import { type BindingTime, QuarryError, quoted, readTime } from '../../base/index.js';
import { eventWindow, type Window } from '../../ir/index.js';
import {
  civilFromDays,
  daysFromCivil,
  daysInMonth,
  INSTANT_SECONDS_MAX,
  INSTANT_SECONDS_MIN,
  PeriodCalendar,
  parseDate,
  parseInstant,
  SECONDS_PER_DAY,
  type ZoneOffsets,
} from '../../schema/index.js';
import { isList, type Json, kindOf } from '../body/json.js';

const RELATIVE = /^([+-])(\d{1,10})(sec|min|hr|d|w|m|y)$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = {
  sec: 1,
  min: 60,
  hr: 3600,
  d: SECONDS_PER_DAY,
  w: 7 * SECONDS_PER_DAY,
};
/**
 * The window of a `between`, clamped to the times that events can have. Days, months and dates without a time are those of
 * `zone`; null = UTC. Throws 4053 for a bad date or form, 4003 for a bad relative part.
 */
export function readWindow(
  json: Json,
  nowMs: BindingTime,
  path: string,
  zone: ZoneOffsets | null = null,
): Window {
  return eventWindow(readSpan(json, nowMs, path, zone));
}

/** The two instants of a `between`, in order. */
function readSpan(json: Json, nowMs: BindingTime, path: string, zone: ZoneOffsets | null = null): Window {
  if (!isList(json)) throw new QuarryError(4053, `${path} must be a list of two dates, not ${kindOf(json)}`);
  if (isToday(json)) {
    return todayOf(secondsOf(nowMs), zone);
  }
  if (json.length !== 2) throw new QuarryError(4053, `${path} must contain two dates or "today"`);
  const first = readInstant(json[0], nowMs, `${path}[0]`, zone);
  const second = isRelative(json[1])
    ? shiftInstant(first, json[1], `${path}[1]`, zone)
    : readInstant(json[1], nowMs, `${path}[1]`, zone);
  return { from: Math.min(first, second), to: Math.max(first, second) };
}

/**
 * The window of a `between` as a half-open window with exclusive `to`: "today" ends where tomorrow begins. Its ends are
 * not clamped to the times that events can have.
 */
export function readHalfOpenWindow(
  json: Json,
  nowMs: BindingTime,
  path: string,
  zone: ZoneOffsets | null = null,
): Window {
  const { from, to } = readSpan(json, nowMs, path, zone);
  return isList(json) && isToday(json) ? { from, to: to + 1 } : { from, to };
}

function isToday(json: readonly Json[]): boolean {
  return json.length === 1 && json[0] === 'today';
}

function isRelative(json: Json): json is string {
  return typeof json === 'string' && /^[+-]/.test(json);
}

const secondsOf = (time: BindingTime): number => Math.floor(readTime(time) / 1000);

function todayOf(now: number, zone: ZoneOffsets | null): Window {
  const day = Math.floor((zone === null ? now : zone.localOf(now)) / SECONDS_PER_DAY);
  return { from: midnightOf(day, zone), to: midnightOf(day + 1, zone) - 1 };
}

/** The first instant of a day, counted from 1970-01-01. */
const midnightOf = (day: number, zone: ZoneOffsets | null): number =>
  zone === null ? day * SECONDS_PER_DAY : new PeriodCalendar(zone, 'days', 0).dayStart(day);

/** A date (`now` too) as an instant; dates without a time are midnight in `zone`. Throws 4003, 4053. */
export function readInstant(
  json: Json,
  nowMs: BindingTime,
  path: string,
  zone: ZoneOffsets | null = null,
): number {
  if (json === 'now') return secondsOf(nowMs);
  if (isRelative(json))
    throw new QuarryError(4003, `${path} ${quoted(json)} has no date before it to count from`);
  const day = typeof json === 'string' ? parseDate(json) : null;
  if (day !== null) return midnightOf(day, zone);
  const seconds = typeof json === 'string' ? parseInstant(json) : null;
  if (seconds !== null) return seconds;
  throw new QuarryError(
    4053,
    `${path} is not a date: ${typeof json === 'string' ? quoted(json) : kindOf(json)}`,
  );
}

/** Moves `start` by a relative part such as -30sec, -1m or +1w. Throws 4003. */
function shiftInstant(start: number, text: string, path: string, zone: ZoneOffsets | null): number {
  const match = RELATIVE.exec(text);
  if (match === null) throw new QuarryError(4003, `${path} ${quoted(text)} is not a relative time interval`);
  const amount = Number(match[2]) * (match[1] === '-' ? -1 : 1);
  const unit = match[3];
  const end =
    unit === 'm' || unit === 'y'
      ? shiftMonths(start, unit === 'y' ? amount * 12 : amount, zone)
      : start + amount * UNIT_SECONDS[unit];
  if (end >= INSTANT_SECONDS_MIN && end <= INSTANT_SECONDS_MAX) return end;
  throw new QuarryError(4003, `${path} ${quoted(text)} is outside the years 0000 to 9999`);
}

function shiftMonths(instant: number, months: number, zone: ZoneOffsets | null): number {
  const start = zone === null ? instant : zone.localOf(instant);
  const days = Math.floor(start / SECONDS_PER_DAY);
  const { year, month, day } = civilFromDays(days);
  const total = year * 12 + (month - 1) + months;
  const newYear = Math.floor(total / 12);
  const newMonth = total - newYear * 12 + 1;
  const newDay = Math.min(day, daysInMonth(newYear, newMonth));
  const shifted =
    daysFromCivil(newYear, newMonth, newDay) * SECONDS_PER_DAY + (start - days * SECONDS_PER_DAY);
  return zone === null ? shifted : zone.instantOf(shifted);
}
