/**
 * The steps of an attempt in any order, if each event of the entity satisfies one step: then the first event of each step from
 * the start on makes the earliest attempt.
 * Cost  per step one pass over the events, and per start a sort of at most as many dates as steps.
 */
import type { AttemptRules } from './rules.js';
import type { StepFinder } from './simple-search.js';

/** Steps of one word of bits. */
const STEPS_MAX = 32;

export class SimpleAnyOrder implements StepFinder {
  readonly #within: number;
  readonly #dates: Uint32Array;
  readonly #masks: Uint32Array;
  /** By step: its first event from the current start on. */
  readonly #next: Int32Array;
  #from = 0;
  #to = 0;
  /** Bits of the steps that the entity may take. */
  #open = 0;

  static supports({ stepCount, distinctInstants }: AttemptRules): boolean {
    return stepCount <= STEPS_MAX && !distinctInstants;
  }

  constructor(columns: readonly Uint32Array[], { within, stepCount }: AttemptRules) {
    this.#within = within;
    [this.#dates, this.#masks] = columns;
    this.#next = new Int32Array(stepCount);
  }

  load(from: number, to: number, lo: number): void {
    this.#from = from;
    this.#to = to;
    this.#open = lo;
    for (let step = 0; step < this.#next.length; step++) this.#next[step] = from;
  }

  isExact(): boolean {
    for (let at = this.#from; at < this.#to; at++) {
      const mask = this.#masks[at] & this.#open;
      if ((mask & (mask - 1)) !== 0) return false;
    }
    return true;
  }

  canBegin(event: number): boolean {
    return (this.#masks[event] & this.#open) !== 0;
  }

  follow(start: number, found: Float64Array): number {
    const dates = this.#dates;
    const latest = dates[start] + this.#within;
    let count = 0;
    for (let step = 0; step < this.#next.length; step++) {
      const flag = 1 << step;
      if ((this.#open & flag) === 0) continue;
      let at = Math.max(this.#next[step], start);
      while (at < this.#to && (this.#masks[at] & flag) === 0) at++;
      this.#next[step] = at;
      if (at < this.#to && dates[at] <= latest) insertSorted(found, count++, dates[at]);
    }
    return count;
  }
}

/** Inserts a value in the first `count` ones, which ascend. */
function insertSorted(values: Float64Array, count: number, value: number): void {
  let at = count;
  for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
  values[at] = value;
}
