/**
 * The proleptic Gregorian calendar on days since 1970-01-01, which may be negative. Year, month and day are packed into one number, so that
 * nothing is allocated.
 */

/** Days from 0000-03-01 minus 400 years to 1970-01-01; dates counted from there are never negative. */
const EPOCH_DAYS = 719_468 + 146_097;

/**
 * Returns (year x 16 + month) x 32 + day. Source: Hinnant, civil_from_days, with 32-bit integers, which divide fast.
 */
export function packedDate(days: number): number {
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
export function firstDayOf(year: number, month: number): number {
  const shifted = (month <= 2 ? year + 399 : year + 400) | 0;
  const era = (shifted / 400) | 0;
  const yearOfEra = (shifted - era * 400) | 0;
  const dayOfYear = ((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) | 0;
  const leapDays = ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0);
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - EPOCH_DAYS;
}

export const yearOf = (packed: number): number => packed >> 9;
export const monthOf = (packed: number): number => (packed >> 5) & 15;
export const dayOf = (packed: number): number => packed & 31;

/** Months since 0000-01. */
export const monthNumber = (packed: number): number => yearOf(packed) * 12 + monthOf(packed) - 1;
/** Days since the last Monday; 1970-01-01 was a Thursday. */
export const daysSinceMonday = (days: number): number => modulo(days + 3, 7);

export const modulo = (value: number, divisor: number): number =>
  value - Math.floor(value / divisor) * divisor;

/** The Thursday of the ISO week, whose year is the year of the week. */
export const thursdayOf = (days: number): number => days - daysSinceMonday(days) + 3;

/** The ISO 8601 week, 1 to 53; week 1 contains the first Thursday of the year. */
export function isoWeek(days: number): number {
  const thursday = thursdayOf(days);
  const newYear = firstDayOf(yearOf(packedDate(thursday)), 1);
  return Math.floor((thursday - newYear) / 7) + 1;
}

/** The number of a century or millennium: years 1 to 100 are century 1, year 0 belongs to century -1. */
export const countedFromOne = (year: number, years: number): number =>
  year > 0 ? Math.floor((year - 1) / years) + 1 : -1;
