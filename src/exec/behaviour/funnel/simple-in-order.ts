/**
 * The steps of an attempt in order, if no two events of the entity are in one second, or instants have to be distinct: then the
 * earliest event of each step after the one before makes the earliest attempt.
 * Cost  per step one pass over the events, because the event that a later start takes for a step is never an earlier one.
 */
import type { AttemptRules } from './rules.js';
import type { StepFinder } from './simple-search.js';

export class SimpleInOrder implements StepFinder {
  readonly #rules: AttemptRules;
  readonly #dates: Uint32Array;
  /** By step: the word with its bit, and the bit. */
  readonly #words: readonly Uint32Array[];
  readonly #flags: Int32Array;
  /** By step: the first event that may be taken for it. */
  readonly #next: Int32Array;
  #from = 0;
  #to = 0;
  /** Steps that the entity may take, up to the first that it may not. */
  #stepCount = 0;

  /** `columns`: dates and words of bits of the current block. */
  constructor(columns: readonly Uint32Array[], rules: AttemptRules) {
    const { stepCount } = rules;
    this.#rules = rules;
    [this.#dates] = columns;
    this.#words = Array.from({ length: stepCount }, (_, step) => columns[1 + (step >> 5)]);
    this.#flags = Int32Array.from({ length: stepCount }, (_, step) => 1 << (step & 31));
    this.#next = new Int32Array(stepCount);
  }

  load(from: number, to: number, lo: number, hi: number): void {
    this.#from = from;
    this.#to = to;
    let step = 0;
    for (; step < this.#rules.stepCount && (((step < 32 ? lo : hi) >>> (step & 31)) & 1) === 1; step++) {
      this.#next[step] = from;
    }
    this.#stepCount = step;
  }

  isExact(): boolean {
    if (this.#rules.distinctInstants) return true;
    const dates = this.#dates;
    for (let at = this.#from + 1; at < this.#to; at++) if (dates[at] === dates[at - 1]) return false;
    return true;
  }

  canBegin(event: number): boolean {
    return this.#stepCount > 0 && (this.#words[0][event] & 1) !== 0;
  }

  follow(start: number, found: Float64Array): number {
    const dates = this.#dates;
    const latest = dates[start] + this.#rules.within;
    let date = dates[start];
    found[0] = date;
    for (let step = 1; step < this.#stepCount; step++) {
      const words = this.#words[step];
      const flag = this.#flags[step];
      let at = this.#next[step];
      while (at < this.#to && (dates[at] <= date || (words[at] & flag) === 0)) at++;
      this.#next[step] = at;
      if (at === this.#to || dates[at] > latest) return step;
      date = dates[at];
      found[step] = date;
    }
    return this.#stepCount;
  }
}
