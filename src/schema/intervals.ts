/**
 * Intervals of time as histograms cut it: half-open buckets [start, next start), aligned to UTC; weeks begin on
 * Mondays, months on their first day. All instants are whole seconds since 1970-01-01.
 */
import { INTERVALS } from '../interface/index.js';
import { civilFromDays, daysFromCivil, SECONDS_PER_DAY } from './dates.js';

export { INTERVALS };
export type Interval = (typeof INTERVALS)[number];

/** Seconds of a bucket; months differ and have none. */
const BUCKET_SECONDS: Readonly<Record<Exclude<Interval, 'months'>, number>> = {
  seconds: 1,
  minutes: 60,
  hours: 3_600,
  days: SECONDS_PER_DAY,
  weeks: 7 * SECONDS_PER_DAY,
};
/** The Monday before 1970-01-01, a Thursday. */
const FIRST_MONDAY = -3 * SECONDS_PER_DAY;

const originOf = (interval: Interval): number => (interval === 'weeks' ? FIRST_MONDAY : 0);

/** Months since 1970-01 of an instant. */
function monthOf(seconds: number): number {
  const { year, month } = civilFromDays(Math.floor(seconds / SECONDS_PER_DAY));
  return (year - 1970) * 12 + month - 1;
}

function startOfMonth(months: number): number {
  const year = 1970 + Math.floor(months / 12);
  return daysFromCivil(year, months - (year - 1970) * 12 + 1, 1) * SECONDS_PER_DAY;
}

/** The bucket that holds the instant, by its number: consecutive buckets have consecutive numbers. */
export function bucketNumber(interval: Interval, seconds: number): number {
  if (interval === 'months') return monthOf(seconds);
  return Math.floor((seconds - originOf(interval)) / BUCKET_SECONDS[interval]);
}

/** The instant at which a bucket begins: its first one, and the end of the bucket before. */
export function bucketStart(interval: Interval, number: number): number {
  if (interval === 'months') return startOfMonth(number);
  return originOf(interval) + number * BUCKET_SECONDS[interval];
}

/** Buckets that hold some instant of [from, to], both inside; from <= to. */
export function bucketCount(interval: Interval, from: number, to: number): number {
  return bucketNumber(interval, to) - bucketNumber(interval, from) + 1;
}
