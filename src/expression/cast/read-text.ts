/**
 * Parses texts as values, by the interface's rules and the forms that SQL adds: surrounding white space, a leading + and a
 * missing digit before or after the point of a number, a datetime with a space for T or without a zone (UTC). The functions
 * return null for texts that cannot be parsed.
 */
import {
  packInterval,
  parseDate,
  parseDateTime,
  readDecimal,
  readIntervalText,
  SECONDS_PER_DAY,
} from '../../schema/index.js';
import { DIGITS_MAX } from '../../vector/index.js';
import { fits } from '../exact.js';

const NUMBER = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const DATETIME =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(:\d{2})?(\.\d{1,9})?(?: ?([Zz]|[+-]\d{2}(?::?\d{2})?))?$/;
/** Longer than any date. */
const DATE_CHARS_MAX = 60;

/** Converts a number to the form of the interface. */
function plainNumber(text: string): string | null {
  const match = NUMBER.exec(text.trim());
  if (match === null) return null;
  const [, sign, digits, exponent] = match;
  const whole = digits.startsWith('.') ? `0${digits}` : digits;
  const complete = whole.endsWith('.') ? whole.slice(0, -1) : whole;
  return `${sign === '-' ? '-' : ''}${complete}${exponent ?? ''}`;
}

/** Parses `text` x 10^scale, rounding half away from zero. Returns null for more than DIGITS_MAX digits. */
export function readExact(text: string, scale: number): bigint | null {
  const plain = plainNumber(text);
  const read = plain === null ? null : readDecimal(plain);
  if (read === null) return null;
  // The number of digits to keep; if negative, the value is below a tenth of the last decimal place.
  const length = read.digits.length + scale - read.scale;
  if (read.digits === '' || length < 0) return 0n;
  if (length > DIGITS_MAX) return null;
  const digits = read.digits.slice(0, length).padEnd(length, '0');
  const roundedUp = read.digits.length > length && read.digits[length] >= '5';
  const magnitude = BigInt(digits === '' ? '0' : digits) + (roundedUp ? 1n : 0n);
  return fits(magnitude) ? (read.negative ? -magnitude : magnitude) : null;
}

export function readFloat(text: string): number | null {
  const plain = plainNumber(text);
  const value = Number(plain ?? Number.NaN);
  return Number.isFinite(value) ? value + 0 : null;
}

export function readBoolean(text: string): boolean | null {
  switch (text.length > 5 ? '' : text.toLowerCase()) {
    case 'true':
    case 't':
    case 'yes':
    case 'y':
    case '1':
      return true;
    case 'false':
    case 'f':
    case 'no':
    case 'n':
    case '0':
      return false;
    default:
      return null;
  }
}

/** Parses a datetime, or a date as its midnight, to seconds since 1970-01-01T00:00:00Z. */
export function readSeconds(text: string): number | null {
  if (text.length > DATE_CHARS_MAX) return null;
  const trimmed = text.trim();
  const days = parseDate(trimmed);
  if (days !== null) return days * SECONDS_PER_DAY;
  const match = DATETIME.exec(trimmed);
  if (match === null) return null;
  const [, date, time, seconds = ':00', fraction = '', zone = 'Z'] = match;
  return parseDateTime(`${date}T${time}${seconds}${fraction}${fullZone(zone)}`);
}

/** Completes the zone suffixes ±hh and ±hhmm to ±hh:mm. */
function fullZone(zone: string): string {
  if (zone.length === 3) return `${zone}:00`;
  return zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
}

/** Parses a date, or the date of a datetime, to days since 1970-01-01. */
export function readDays(text: string): number | null {
  const seconds = readSeconds(text);
  return seconds === null ? null : Math.floor(seconds / SECONDS_PER_DAY);
}

export function readInterval(text: string): bigint | null {
  const parts = readIntervalText(text);
  return parts === null ? null : BigInt(packInterval(parts.months, parts.seconds));
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
