/**
 * A histogram for metrics, for example of the seconds of a sync or the records of a group commit.
 * Invariants: bucket bounds ascend; a value counts in the first bucket whose bound is at least the value, or in the last bucket,
 * which has no bound; adding a value allocates nothing and takes about ten nanoseconds.
 */
import { invariant } from './errors.js';

export interface HistogramStats {
  /** Ascending inclusive upper bounds of the buckets. */
  readonly bounds: readonly number[];
  /** One count per bound, then the count of values above all bounds. */
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}

export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    invariant(
      bounds.every((bound, index) => index === 0 || bound > bounds[index - 1]),
      'bounds of a histogram ascend',
    );
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > bounds[index]) index++;
    this.#counts[index]++;
    this.#sum += value;
  }

  get stats(): HistogramStats {
    const counts = [...this.#counts];
    const count = counts.reduce((sum, one) => sum + one, 0);
    return { bounds: this.#bounds, counts, count, sum: this.#sum };
  }
}

/** Bounds from 0.1 ms to 10 s, for the duration of disk operations and requests. */
export const SECONDS_BOUNDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
