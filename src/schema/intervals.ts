/**
 * Histogram intervals: half-open buckets [start, next start), aligned to UTC. Weeks begin on Mondays, months on their
 * first day. All instants are whole seconds since 1970-01-01.
 */
import { INTERVALS } from '../interface/index.js';
import { civilFromDays, daysFromCivil, SECONDS_PER_DAY } from './dates.js';

export { INTERVALS };
export type Interval = (typeof INTERVALS)[number];

/** Length of a bucket in seconds; months vary and have no entry. */
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

/** The month that contains an instant, counted from 1970-01. */
function monthOf(seconds: number): number {
  const { year, month } = civilFromDays(Math.floor(seconds / SECONDS_PER_DAY));
  return (year - 1970) * 12 + month - 1;
}

function startOfMonth(months: number): number {
  const year = 1970 + Math.floor(months / 12);
  return daysFromCivil(year, months - (year - 1970) * 12 + 1, 1) * SECONDS_PER_DAY;
}

/** The number of the bucket that contains an instant. Consecutive buckets have consecutive numbers. */
export function bucketNumber(interval: Interval, seconds: number): number {
  if (interval === 'months') return monthOf(seconds);
  return Math.floor((seconds - originOf(interval)) / BUCKET_SECONDS[interval]);
}

/** The same for many instants: each is one call of the returned function. */
export function bucketNumbers(interval: Interval): (seconds: number) => number {
  if (interval === 'months') return monthOf;
  const origin = originOf(interval);
  const length = BUCKET_SECONDS[interval];
  return (seconds) => Math.floor((seconds - origin) / length);
}

/** The first instant of a bucket, which is also the end of the previous bucket. */
export function bucketStart(interval: Interval, number: number): number {
  if (interval === 'months') return startOfMonth(number);
  return originOf(interval) + number * BUCKET_SECONDS[interval];
}

/** The number of buckets that overlap [from, to], both ends included; requires from <= to. */
export function bucketCount(interval: Interval, from: number, to: number): number {
  return bucketNumber(interval, to) - bucketNumber(interval, from) + 1;
}
