/**
 * Dates and times as shippers write them, in the form that events and datetime columns take: whole seconds of UTC. Fractions of a
 * second are cut off.
 */
import { formatDateTime, parseDateTime } from '../../schema/index.js';

const ISO = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?$/;
const EPOCH = /^-?\d{1,19}(?:\.\d+)?$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** The digits before the point of a number of seconds, milliseconds and microseconds; longer ones are nanoseconds. */
const DIGITS_MAX_BY_UNIT = [
  { digits: 11, zeros: 0 },
  { digits: 14, zeros: 3 },
  { digits: 17, zeros: 6 },
] as const;
const NANOSECOND_ZEROS = 9;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const SECONDS_MIN = -62_135_596_800;
const SECONDS_MAX = 253_402_300_799;

/**
 * The instant that `text` names, as YYYY-MM-DDThh:mm:ssZ, or the day, as YYYY-MM-DD; null if it is neither ISO 8601 nor seconds,
 * milliseconds, microseconds or nanoseconds since 1970 (by the number of digits). A time without an offset is UTC.
 */
export function instantIn(text: string): string | null {
  if (DAY.test(text)) return text;
  if (EPOCH.test(text)) return written(epochSeconds(text));
  const parts = ISO.exec(text);
  if (parts === null) return null;
  const [, day, hours, minutes, seconds = '00', offset = 'Z'] = parts;
  const local = parseDateTime(`${day}T${hours}:${minutes}:${seconds}Z`);
  const shift = offsetSeconds(offset);
  return local === null || shift === null ? null : written(local - shift);
}

function offsetSeconds(offset: string): number | null {
  if (offset === 'Z' || offset === 'z') return 0;
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > 23 || minutes > 59) return null;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3_600 + minutes * 60);
}

function epochSeconds(text: string): number {
  const [whole, fraction = ''] = text.split('.');
  const digits = whole.replace('-', '');
  const zeros = DIGITS_MAX_BY_UNIT.find(({ digits: max }) => digits.length <= max)?.zeros ?? NANOSECOND_ZEROS;
  const unit = 10n ** BigInt(zeros);
  const units = BigInt(whole);
  // The division rounds towards zero; an instant before 1970 belongs to the second that has begun.
  const isCut = units % unit !== 0n || /[1-9]/.test(fraction);
  return Number(units / unit) - (whole.startsWith('-') && isCut ? 1 : 0);
}

const written = (seconds: number): string | null =>
  seconds < SECONDS_MIN || seconds > SECONDS_MAX ? null : formatDateTime(seconds);
