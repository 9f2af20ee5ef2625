/**
 * Calendar arithmetic and the date forms of the interface, in whole seconds or days of the Unix epoch, UTC.
 * Rule: a date is YYYY-MM-DD of the proleptic Gregorian calendar, years 0000 to 9999; a datetime adds
 * `T`hh:mm:ss, an optional fraction of a second (dropped) and `Z` or an offset ±hh:mm; letters in either case.
 */
export const SECONDS_PER_DAY = 86_400;

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar. Source: Hinnant, days_from_civil. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The first and the last instant that can be written: 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
export const INSTANT_SECONDS_MIN = daysFromCivil(0, 1, 1) * SECONDS_PER_DAY;
export const INSTANT_SECONDS_MAX = daysFromCivil(10_000, 1, 1) * SECONDS_PER_DAY - 1;

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATETIME = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** Converts "YYYY-MM-DD" to days since 1970-01-01; returns null for any other text. */
export function parseDate(text: string): number | null {
  const match = DATE.exec(text);
  if (match === null) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  return daysFromCivil(year, month, day);
}

/** Converts a datetime to seconds since 1970-01-01T00:00:00Z; returns null for any other text. */
export function parseDateTime(text: string): number | null {
  const match = DATETIME.exec(text);
  if (match === null) return null;
  const days = parseDate(match[1]);
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4])];
  if (days === null || hour > 23 || minute > 59 || second > 59) return null;
  const offset = parseOffset(match[5]);
  if (offset === null) return null;
  const seconds = days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second - offset;
  // The offset may shift the instant outside years 0000 to 9999.
  return seconds >= INSTANT_SECONDS_MIN && seconds <= INSTANT_SECONDS_MAX ? seconds : null;
}

/** The offset in seconds of a zone suffix, `Z` or ±hh:mm; null when out of range. */
function parseOffset(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/**
 * Converts a date (its midnight) or a datetime to seconds; returns null for any other text. Event dates and `between` use
 * this form.
 */
export function parseInstant(text: string): number | null {
  const days = parseDate(text);
  return days === null ? parseDateTime(text) : days * SECONDS_PER_DAY;
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0');

/** "YYYY-MM-DD" */
export function formatDate(days: number): string {
  const { year, month, day } = civilFromDays(days);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** "YYYY-MM-DDThh:mm:ssZ" */
export function formatDateTime(seconds: number): string {
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  const rest = seconds - days * SECONDS_PER_DAY;
  const time = `${pad(Math.floor(rest / 3600), 2)}:${pad(Math.floor((rest % 3600) / 60), 2)}:${pad(rest % 60, 2)}`;
  return `${formatDate(days)}T${time}Z`;
}
