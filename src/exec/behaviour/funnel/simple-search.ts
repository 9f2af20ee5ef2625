/**
 * Finds attempts of one entity that leave out no steps and do not compare values, without regard to exclusions and streams:
 * start by start, the longest and earliest one that begins there. It takes no memory.
 */
import type { AttemptRules, MutableAttempt } from './rules.js';

const NONE = Number.POSITIVE_INFINITY;

/** Finds the steps that follow a start, over the events of one entity. */
export interface StepFinder {
  /** Sets the entity: its events [from, to), and the bits of the steps that it may take. */
  load(from: number, to: number, lo: number, hi: number): void;
  /** Whether what `follow` finds is exact for the entity. */
  isExact(): boolean;
  /** Whether an attempt can begin with the event. */
  canBegin(event: number): boolean;
  /** Writes the dates of the longest and earliest attempt from a start; returns its length. Starts ascend until `load`. */
  follow(start: number, dates: Float64Array): number;
}

export class SimpleSearch {
  readonly #rules: AttemptRules;
  readonly #dates: Uint32Array;
  readonly #steps: StepFinder;
  /** The dates of the attempt from the current start. */
  readonly #found: Float64Array;
  readonly #attempt: MutableAttempt;
  #from = 0;
  #to = 0;
  /** Attempts that begin before this event were returned. */
  #cursor = 0;

  /** `dates`: those of the events of the current block. */
  constructor(dates: Uint32Array, rules: AttemptRules, steps: StepFinder) {
    this.#rules = rules;
    this.#dates = dates;
    this.#steps = steps;
    this.#found = new Float64Array(rules.stepCount);
    this.#attempt = { length: 0, skipped: 0, dates: new Array<number>(rules.stepCount).fill(NONE) };
  }

  /** Sets the entity: its events [from, to), and the bits of the steps that it may take. Returns whether the search is exact. */
  load(from: number, to: number, lo: number, hi: number): boolean {
    this.#from = from;
    this.#cursor = from;
    this.#to = to;
    this.#steps.load(from, to, lo, hi);
    return this.#steps.isExact();
  }

  /** The best attempt; null = none begins. Valid until the next call, as all attempts. */
  best(): MutableAttempt | null {
    const { within, stepCount } = this.#rules;
    let length = 0;
    for (let start = this.#startFrom(this.#from); start >= 0; start = this.#startFrom(start + 1)) {
      const reached = this.#steps.follow(start, this.#found);
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
    this.#note(this.#steps.follow(start, this.#found));
    return this.#attempt;
  }

  /** The first event from `at` on with which an attempt may begin; -1 = none. */
  #startFrom(at: number): number {
    const { from, to } = this.#rules;
    const dates = this.#dates;
    for (let start = at; start < this.#to && dates[start] <= to; start++) {
      if (dates[start] >= from && this.#steps.canBegin(start)) return start;
    }
    return -1;
  }

  #note(length: number): void {
    const { dates } = this.#attempt;
    for (let step = length; step < this.#attempt.length; step++) dates[step] = NONE;
    for (let step = 0; step < length; step++) dates[step] = this.#found[step];
    this.#attempt.length = length;
  }
}
