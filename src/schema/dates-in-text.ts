/**
 * Converts common date texts to the interface's form: YYYY-MM-DD and YYYY/MM/DD, optionally followed by T or a space and a
 * time (hh:mm or hh:mm:ss, with a fraction that is dropped) and a zone (Z, ±hh:mm, ±hhmm, ±hh or " UTC"; UTC if absent).
 * Other orders of day and month are refused, because they are ambiguous.
 */
import {
  formatDateTime,
  INSTANT_SECONDS_MAX,
  INSTANT_SECONDS_MIN,
  parseDate,
  parseDateTime,
} from './dates.js';

const DAY = /^(\d{4})([-/])(\d{2})\2(\d{2})$/;
const DATE_TIME =
  /^(\d{4})([-/])(\d{2})\2(\d{2})[Tt ](\d{2}:\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?: ?([Zz]|UTC|[+-]\d{2}(?::?\d{2})?))?$/;

/** "YYYY-MM-DD", or null when the text is not a date. */
export function dateIn(text: string): string | null {
  const match = DAY.exec(text);
  if (match === null) return null;
  const date = `${match[1]}-${match[3]}-${match[4]}`;
  return parseDate(date) === null ? null : date;
}

/** "YYYY-MM-DDThh:mm:ssZ" of a text with a date and a time; null for another text. */
export function dateTimeIn(text: string): string | null {
  const match = DATE_TIME.exec(text);
  if (match === null) return null;
  const [, year, , month, day, time, second = '00', zone = 'Z'] = match;
  const seconds = parseDateTime(`${year}-${month}-${day}T${time}:${second}${zoneOf(zone)}`);
  return seconds === null ? null : formatDateTime(seconds);
}

function zoneOf(zone: string): string {
  if (!/^[+-]/.test(zone)) return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

/** Converts seconds, milliseconds, microseconds or nanoseconds since 1970; the unit follows from the size; null = no date. */
export function dateTimeOfUnixTime(value: bigint): string | null {
  const size = value < 0n ? -value : value;
  const perSecond =
    size < 10n ** 11n ? 1n : size < 10n ** 14n ? 1_000n : size < 10n ** 17n ? 1_000_000n : 1_000_000_000n;
  const whole = value / perSecond;
  const seconds = Number(value < 0n && whole * perSecond !== value ? whole - 1n : whole);
  return seconds < INSTANT_SECONDS_MIN || seconds > INSTANT_SECONDS_MAX ? null : formatDateTime(seconds);
}
