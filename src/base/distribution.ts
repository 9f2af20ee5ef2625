/**
 * How often values of which size occurred, for figures that an operator watches: seconds of a sync, records of a group.
 * Invariants: bounds rise; a value counts in the first bucket whose bound is not below it, or in the last one, which has
 * none; noting a value allocates nothing and takes some ten nanoseconds.
 */
import { invariant } from './errors.js';

export interface DistributionFigures {
  /** Ascending, both ends inside: a bucket holds what is above the bound before its own. */
  readonly bounds: readonly number[];
  /** Per bound, and at last of what is above all of them. */
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}

export class Distribution {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    invariant(
      bounds.every((bound, index) => index === 0 || bound > bounds[index - 1]),
      'bounds of a distribution rise',
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

  get figures(): DistributionFigures {
    const counts = [...this.#counts];
    const count = counts.reduce((sum, one) => sum + one, 0);
    return { bounds: this.#bounds, counts, count, sum: this.#sum };
  }
}

/** Of 0.1 ms to 10 s: what a disk or a request takes. */
export const SECONDS_BOUNDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
