/** `interval`: how a histogram divides the window of its events into buckets. All errors are 4027. */
import { type BindingTime, BUCKETS_MAX, QuarryError, readTime } from '../../base/index.js';
import { PERIODS_MAX } from '../../interface/index.js';
import type { Buckets, Window } from '../../ir/index.js';
import {
  bucketCount,
  type Interval,
  type Period,
  type PeriodCalendar,
  SECONDS_PER_DAY,
} from '../../schema/index.js';
import { calendarIn, type LocalTime, readZone } from './time-zone.js';

/** Maximum time between the start of the window and the request, in seconds, for short intervals. */
const PAST_SECONDS_MAX: Partial<Record<Interval, number>> = {
  seconds: SECONDS_PER_DAY,
  minutes: SECONDS_PER_DAY,
  hours: 30 * SECONDS_PER_DAY,
};

/** Divides the window by the interval, in UTC or by the periods of a time zone. Throws 4027 if there are too many buckets. */
export function bucketsOf(interval: Interval, window: Window, path: string, local: LocalTime): Buckets {
  const { from, to } = window;
  const period = periodOf(interval, local);
  if (period !== null)
    return periodsOf(calendarIn(local.zone ?? readZone('UTC', ''), period, local.weekStart), window, path);
  const count = from > to ? 0 : bucketCount(interval, from, to);
  if (count <= BUCKETS_MAX) return { by: 'interval', interval };
  throw new QuarryError(
    4027,
    `${path} cuts the window into ${count} ${interval}; at most ${BUCKETS_MAX} buckets`,
  );
}

/** null = the buckets are those of UTC: seconds are the same everywhere. */
function periodOf(interval: Interval, { zone, weekStart }: LocalTime): Period | null {
  if (interval === 'seconds') return null;
  return zone !== null || (interval === 'weeks' && weekStart !== 'monday') ? interval : null;
}

function periodsOf(calendar: PeriodCalendar, { from, to }: Window, path: string): Buckets {
  const starts = calendar.starts(from, to, PERIODS_MAX);
  if (starts !== null) return { by: 'periods', starts };
  throw new QuarryError(
    4027,
    `${path} cuts the window into more than ${PERIODS_MAX} periods of a time zone; without one there may be ${BUCKETS_MAX}`,
  );
}

/** Throws 4027 for a short interval with a window that begins too long ago. */
export function checkResolution(
  interval: Interval,
  { from }: Window,
  nowMs: BindingTime,
  path: string,
): void {
  const secondsMax = PAST_SECONDS_MAX[interval];
  if (secondsMax === undefined || from >= Math.floor(readTime(nowMs) / 1000) - secondsMax) return;
  const past = secondsMax === SECONDS_PER_DAY ? '24 hours' : `${secondsMax / SECONDS_PER_DAY} days`;
  throw new QuarryError(4027, `${path}: ${interval} are for windows within the past ${past}`);
}
