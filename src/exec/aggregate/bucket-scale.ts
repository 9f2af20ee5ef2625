/** Maps timestamps to the buckets of a histogram. Timestamps are seconds since 1970-01-01. */
import { lowerBound } from '../../base/index.js';
import type { Buckets, Window } from '../../ir/index.js';
import { bucketCount, bucketNumber, bucketStart, type Interval } from '../../schema/index.js';

/** Receives a run of dates [from, to) that lie in one bucket. */
export type VisitRun = (bucket: number, from: number, to: number) => void;

export interface BucketScale {
  /** At least 1. */
  readonly bucketCount: number;
  /**
   * Calls `visit` for runs of dates that lie in one bucket; each date is visited once per bucket that contains it. If
   * dates ascend (`ascending`), there are few runs; otherwise a run may be a single date.
   */
  eachRun(dates: Uint32Array, ascending: boolean, visit: VisitRun): void;
}

/** `buckets` null = one bucket for all dates. All dates must lie in `window`. */
export function bucketScaleOf(buckets: Buckets | null, window: Window): BucketScale {
  if (buckets === null) return ONE_BUCKET;
  if (buckets.by === 'windows') return new WindowScale(buckets.windows);
  return new IntervalScale(buckets.interval, window);
}

export const ONE_BUCKET: BucketScale = {
  bucketCount: 1,
  eachRun: (dates, _ascending, visit) => {
    if (dates.length > 0) visit(0, 0, dates.length);
  },
};

class IntervalScale implements BucketScale {
  readonly bucketCount: number;
  readonly #interval: Interval;
  /** The number of the first bucket, its start, and its length. */
  readonly #first: number;
  readonly #origin: number;
  readonly #seconds: number;

  constructor(interval: Interval, { from, to }: Window) {
    this.#interval = interval;
    this.#first = bucketNumber(interval, from);
    this.#origin = bucketStart(interval, this.#first);
    this.#seconds = bucketStart(interval, this.#first + 1) - this.#origin;
    this.bucketCount = Math.max(1, bucketCount(interval, from, to));
  }

  eachRun(dates: Uint32Array, ascending: boolean, visit: VisitRun): void {
    const isMonths = this.#interval === 'months';
    const origin = this.#origin;
    const seconds = this.#seconds;
    for (let from = 0, to = 0; from < dates.length; from = to) {
      // All buckets except months have the same length.
      const bucket = isMonths
        ? bucketNumber('months', dates[from]) - this.#first
        : Math.floor((dates[from] - origin) / seconds);
      const start = isMonths ? bucketStart('months', this.#first + bucket) : origin + bucket * seconds;
      const end = isMonths ? bucketStart('months', this.#first + bucket + 1) : start + seconds;
      to = ascending ? firstFrom(end, dates, from + 1, dates.length) : from + 1;
      if (!ascending) while (to < dates.length && dates[to] >= start && dates[to] < end) to++;
      visit(bucket, from, to);
    }
  }
}

/** Windows [from, to), which may overlap and leave gaps. */
class WindowScale implements BucketScale {
  readonly bucketCount: number;
  readonly #windows: readonly Window[];

  constructor(windows: readonly Window[]) {
    this.#windows = windows;
    this.bucketCount = Math.max(1, windows.length);
  }

  eachRun(dates: Uint32Array, ascending: boolean, visit: VisitRun): void {
    const count = dates.length;
    this.#windows.forEach((window, bucket) => {
      if (ascending) {
        const from = firstFrom(window.from, dates, 0, count);
        const to = firstFrom(window.to, dates, from, count);
        if (from < to) visit(bucket, from, to);
        return;
      }
      for (let from = 0; from < count; from++) {
        let to = from;
        while (to < count && dates[to] >= window.from && dates[to] < window.to) to++;
        if (to === from) continue;
        visit(bucket, from, to);
        // The date at `to` lies outside the window.
        from = to;
      }
    });
  }
}

/** The first position in [from, to) whose date is at least `date`, or `to`; fast if that position is near `from`. */
function firstFrom(date: number, dates: Uint32Array, from: number, to: number): number {
  let low = from;
  let step = 1;
  let high = from;
  while (high < to && dates[high] < date) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  return lowerBound(dates, date, low, Math.min(high, to));
}
