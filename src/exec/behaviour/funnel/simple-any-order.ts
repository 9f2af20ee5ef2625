/**
 * Finds the best or first attempt of one entity in a funnel in any order, if each of its events satisfies one step: then the
 * first event of each step behind the start makes the earliest attempt.
 * Cost  per step one pass over the events, and per start a sort of at most as many dates as steps.
 */
import type { AttemptRules, MutableAttempt } from './rules.js';

const NONE = Number.POSITIVE_INFINITY;
/** Steps of one word of bits. */
const STEPS_MAX = 32;

export class SimpleAnyOrder {
  readonly #rules: AttemptRules;
  readonly #dates: Uint32Array;
  readonly #masks: Uint32Array;
  /** By step: its first event from the current start on. */
  readonly #next: Int32Array;
  readonly #found: Float64Array;
  readonly #attempt: MutableAttempt;
  #from = 0;
  #to = 0;
  /** Bits of the steps that the entity may take. */
  #open = 0;
  /** Attempts that begin before this event were returned. */
  #cursor = 0;

  static supports({ stepCount, distinctInstants }: AttemptRules): boolean {
    return stepCount <= STEPS_MAX && !distinctInstants;
  }

  constructor(columns: readonly Uint32Array[], rules: AttemptRules) {
    this.#rules = rules;
    [this.#dates, this.#masks] = columns;
    this.#next = new Int32Array(rules.stepCount);
    this.#found = new Float64Array(rules.stepCount);
    this.#attempt = { length: 0, skipped: 0, dates: new Array<number>(rules.stepCount).fill(NONE) };
  }

  /** Sets the entity: its events [from, to), and the bits of the steps that it may take. */
  load(from: number, to: number, open: number): void {
    this.#from = from;
    this.#to = to;
    this.#cursor = from;
    this.#open = open;
    for (let step = 0; step < this.#next.length; step++) this.#next[step] = from;
  }

  /** Whether the attempts are exact. */
  canSearch(): boolean {
    for (let at = this.#from; at < this.#to; at++) {
      const mask = this.#masks[at] & this.#open;
      if ((mask & (mask - 1)) !== 0) return false;
    }
    return true;
  }

  /** The best attempt; null = none begins. Valid until the next call, as all attempts. */
  best(): MutableAttempt | null {
    const { within, stepCount } = this.#rules;
    let length = 0;
    for (let start = this.#startFrom(this.#from); start >= 0; start = this.#startFrom(start + 1)) {
      const reached = this.#follow(start);
      if (reached <= length) continue;
      length = reached;
      this.#note(length);
      if (length === stepCount || within === NONE) break;
    }
    return length === 0 ? null : this.#attempt;
  }

  /** The attempt that begins first after the date `bound`, which ascends from call to call; null = none. */
  firstAfter(bound: number): MutableAttempt | null {
    let start = this.#startFrom(this.#cursor);
    while (start >= 0 && this.#dates[start] <= bound) start = this.#startFrom(start + 1);
    if (start < 0) return null;
    this.#cursor = start;
    this.#note(this.#follow(start));
    return this.#attempt;
  }

  #startFrom(at: number): number {
    const { from, to } = this.#rules;
    for (let start = at; start < this.#to && this.#dates[start] <= to; start++) {
      if ((this.#masks[start] & this.#open) !== 0 && this.#dates[start] >= from) return start;
    }
    return -1;
  }

  /** The length of the longest attempt from a start; its dates are in `#found`, sorted. */
  #follow(start: number): number {
    const dates = this.#dates;
    const latest = dates[start] + this.#rules.within;
    let count = 0;
    for (let step = 0; step < this.#next.length; step++) {
      const flag = 1 << step;
      if ((this.#open & flag) === 0) continue;
      let at = Math.max(this.#next[step], start);
      while (at < this.#to && (this.#masks[at] & flag) === 0) at++;
      this.#next[step] = at;
      if (at < this.#to && dates[at] <= latest) insertSorted(this.#found, count++, dates[at]);
    }
    return count;
  }

  #note(length: number): void {
    const { dates } = this.#attempt;
    for (let step = length; step < this.#attempt.length; step++) dates[step] = NONE;
    for (let step = 0; step < length; step++) dates[step] = this.#found[step];
    this.#attempt.length = length;
  }
}

/** Inserts a value in the first `count` ones, which ascend. */
function insertSorted(values: Float64Array, count: number, value: number): void {
  let at = count;
  for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
  values[at] = value;
}
