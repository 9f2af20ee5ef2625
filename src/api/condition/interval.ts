/** `interval`: how a histogram divides the window of its events into buckets. All errors are 4027. */
import { type BindingTime, BUCKETS_MAX, QuarryError, readTime } from '../../base/index.js';
import type { Buckets, Window } from '../../ir/index.js';
import { bucketCount, type Interval, SECONDS_PER_DAY } from '../../schema/index.js';

/** Maximum time between the start of the window and the request, in seconds, for short intervals. */
const PAST_SECONDS_MAX: Partial<Record<Interval, number>> = {
  seconds: SECONDS_PER_DAY,
  minutes: SECONDS_PER_DAY,
  hours: 30 * SECONDS_PER_DAY,
};

/** Divides the window by the interval. Throws 4027 if there are too many buckets. */
export function bucketsOf(interval: Interval, { from, to }: Window, path: string): Buckets {
  const count = from > to ? 0 : bucketCount(interval, from, to);
  if (count <= BUCKETS_MAX) return { by: 'interval', interval };
  throw new QuarryError(
    4027,
    `${path} cuts the window into ${count} ${interval}; at most ${BUCKETS_MAX} buckets`,
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
