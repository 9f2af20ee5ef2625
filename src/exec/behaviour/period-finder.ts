/** Finds the period of a date without a search: a table tells which period a stretch of seconds begins in. */
import type { PeriodStarts } from '../../ir/index.js';

/** Stretches of a table at most. */
const STRETCHES_MAX = 8_192;

export class PeriodFinder {
  readonly #starts: Float64Array;
  readonly #first: number;
  readonly #last: number;
  readonly #shift: number;
  /** By stretch: the period that contains its first second. */
  readonly #periods: Uint32Array;

  /** `starts` ascend. */
  constructor(starts: PeriodStarts) {
    this.#starts = Float64Array.from(starts);
    this.#first = starts.length === 0 ? Number.POSITIVE_INFINITY : starts[0];
    this.#last = starts.length === 0 ? Number.POSITIVE_INFINITY : starts[starts.length - 1];
    const span = starts.length === 0 ? 0 : this.#last - this.#first;
    let shift = 0;
    while (span / 2 ** shift > STRETCHES_MAX) shift++;
    this.#shift = shift;
    this.#periods = new Uint32Array(Math.ceil(span / 2 ** shift) + 1);
    let period = 0;
    for (let stretch = 0; stretch < this.#periods.length; stretch++) {
      const second = this.#first + stretch * 2 ** shift;
      while (period + 1 < starts.length && starts[period + 1] <= second) period++;
      this.#periods[stretch] = period;
    }
  }

  /** The number of the period that contains an instant; -1 before the first, the number of periods from the last start on. */
  at(seconds: number): number {
    if (!(seconds >= this.#first)) return -1;
    if (seconds >= this.#last) return this.#starts.length - 1;
    let period = this.#periods[(seconds - this.#first) >>> this.#shift];
    while (this.#starts[period + 1] <= seconds) period++;
    return period;
  }
}
