/** `interval`: how a histogram cuts the window of its events. All refusals are 4027. */
import { type BindingTime, BUCKETS_MAX, QuarryError, readTime } from '../../base/index.js';
import type { Buckets, Window } from '../../ir/index.js';
import { bucketCount, type Interval, SECONDS_PER_DAY } from '../../schema/index.js';

/** How long before the request's time a window may begin whose events are counted by such an interval. */
const PAST_SECONDS_MAX: Partial<Record<Interval, number>> = {
  seconds: SECONDS_PER_DAY,
  minutes: SECONDS_PER_DAY,
  hours: 30 * SECONDS_PER_DAY,
};

/** The window cut by the interval; refused when that makes too many buckets. */
export function bucketsOf(interval: Interval, { from, to }: Window, place: string): Buckets {
  const count = from > to ? 0 : bucketCount(interval, from, to);
  if (count <= BUCKETS_MAX) return { by: 'interval', interval };
  throw new QuarryError(
    4027,
    `${place} cuts the window into ${count} ${interval}; at most ${BUCKETS_MAX} buckets`,
  );
}

/** Refuses short intervals over windows that begin long ago. */
export function checkResolution(
  interval: Interval,
  { from }: Window,
  nowMs: BindingTime,
  place: string,
): void {
  const secondsMax = PAST_SECONDS_MAX[interval];
  if (secondsMax === undefined || from >= Math.floor(readTime(nowMs) / 1000) - secondsMax) return;
  const past = secondsMax === SECONDS_PER_DAY ? '24 hours' : `${secondsMax / SECONDS_PER_DAY} days`;
  throw new QuarryError(4027, `${place}: ${interval} are for windows within the past ${past}`);
}
