/** The parts of an instant that formats write, computed for one row at a time in an object that is reused. */
import { QuarryError } from '../../base/index.js';
import { SECONDS_PER_DAY } from '../dates.js';
import {
  countedFromOne,
  dayOf,
  firstDayOf,
  isoWeek,
  modulo,
  monthOf,
  packedDate,
  thursdayOf,
  yearOf,
} from './civil.js';

export const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
] as const;
export const WEEKDAYS = [
  ...['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
] as const;

export class DateFields {
  /** Days since 1970-01-01. */
  days = 0;
  year = 0;
  /** 1 to 12. */
  month = 1;
  day = 1;
  hour = 0;
  minute = 0;
  second = 0;

  /** Reads an instant, in seconds since 1970-01-01. */
  set(seconds: number): void {
    this.days = Math.floor(seconds / SECONDS_PER_DAY);
    const rest = seconds - this.days * SECONDS_PER_DAY;
    const packed = packedDate(this.days);
    this.year = yearOf(packed);
    this.month = monthOf(packed);
    this.day = dayOf(packed);
    this.hour = Math.floor(rest / 3_600);
    this.minute = Math.floor((rest % 3_600) / 60);
    this.second = rest % 60;
  }

  /** 0 = Sunday. */
  get weekday(): number {
    return modulo(this.days + 4, 7);
  }

  /** 1 = Monday, ..., 7 = Sunday. */
  get isoWeekday(): number {
    return this.weekday === 0 ? 7 : this.weekday;
  }

  get isoYear(): number {
    return yearOf(packedDate(thursdayOf(this.days)));
  }

  get isoWeek(): number {
    return isoWeek(this.days);
  }

  get dayOfYear(): number {
    return this.days - firstDayOf(this.year, 1) + 1;
  }

  get quarter(): number {
    return Math.floor((this.month + 2) / 3);
  }

  get century(): number {
    return countedFromOne(this.year, 100);
  }

  /** The hour of a clock of 12 hours, 1 to 12. */
  get hour12(): number {
    return this.hour % 12 === 0 ? 12 : this.hour % 12;
  }
}

/** Longer formats are refused. */
const FORMAT_CHARS_MAX = 1_000;

/** Error 6000 without a source position. */
export const dateError = (what: string): QuarryError => new QuarryError(6000, what, { message: what });

/** Throws 6000 for a format that is too long. */
export function checkFormat(format: string): void {
  if (format.length > FORMAT_CHARS_MAX) {
    throw dateError(`a format has at most ${FORMAT_CHARS_MAX} characters`);
  }
}

/** The day number of 1970-01-01 in the Julian count. */
export const JULIAN_EPOCH = 2_440_588;

/** Writes a part of the date as text. */
export type FieldWriter = (fields: DateFields) => string;

/** `value` with leading zeros. */
export const padded = (value: number, width: number): string => String(value).padStart(width, '0');
