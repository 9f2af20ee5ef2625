/**
 * Finds the attempts of one entity in a funnel in order that leaves out no steps and does not compare values, without regard
 * to exclusions and streams, if no two of its events are in one second, or instants have to be distinct: then the earliest
 * event of each step behind the one before makes the earliest attempt.
 * Cost  per step one pass over the events, because the event that a later start takes for a step is never an earlier one.
 */
import type { AttemptRules, MutableAttempt } from './rules.js';

const NONE = Number.POSITIVE_INFINITY;

export class SimpleSearch {
  readonly #rules: AttemptRules;
  readonly #dates: Uint32Array;
  /** By step: the word with its bit, and the bit. */
  readonly #words: readonly Uint32Array[];
  readonly #flags: Int32Array;
  /** By step: the first event that may be taken for it. */
  readonly #next: Int32Array;
  /** The attempt from the current start. */
  readonly #current: Float64Array;
  readonly #attempt: MutableAttempt;
  #from = 0;
  #to = 0;
  /** Attempts that begin before this event were returned. */
  #cursor = 0;
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
    this.#current = new Float64Array(stepCount);
    this.#attempt = { length: 0, skipped: 0, dates: new Array<number>(stepCount).fill(NONE) };
  }

  /** Sets the entity: its events [from, to), and the number of first steps that it may take. */
  load(from: number, to: number, stepCount: number): void {
    this.#from = from;
    this.#cursor = from;
    this.#to = to;
    this.#stepCount = stepCount;
    for (let step = 0; step < stepCount; step++) this.#next[step] = from;
  }

  /** Whether the attempts are exact: no two events that satisfy steps are in one second. */
  canSearch(): boolean {
    if (this.#rules.distinctInstants) return true;
    const dates = this.#dates;
    for (let at = this.#from + 1; at < this.#to; at++) if (dates[at] === dates[at - 1]) return false;
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
    const dates = this.#dates;
    let start = this.#startFrom(this.#cursor);
    while (start >= 0 && dates[start] <= bound) start = this.#startFrom(start + 1);
    if (start < 0) return null;
    this.#cursor = start;
    this.#note(this.#follow(start));
    return this.#attempt;
  }

  /** The first event from `at` on with which an attempt may begin; -1 = none. */
  #startFrom(at: number): number {
    if (this.#stepCount === 0) return -1;
    const [words] = this.#words;
    const dates = this.#dates;
    const { from, to } = this.#rules;
    for (let start = at; start < this.#to && dates[start] <= to; start++) {
      if ((words[start] & 1) !== 0 && dates[start] >= from) return start;
    }
    return -1;
  }

  /** The length of the longest attempt from a start, whose dates are in `#current`. */
  #follow(start: number): number {
    const dates = this.#dates;
    const latest = dates[start] + this.#rules.within;
    let date = dates[start];
    this.#current[0] = date;
    for (let step = 1; step < this.#stepCount; step++) {
      const words = this.#words[step];
      const flag = this.#flags[step];
      let at = this.#next[step];
      while (at < this.#to && (dates[at] <= date || (words[at] & flag) === 0)) at++;
      this.#next[step] = at;
      if (at === this.#to || dates[at] > latest) return step;
      date = dates[at];
      this.#current[step] = date;
    }
    return this.#stepCount;
  }

  #note(length: number): void {
    const { dates } = this.#attempt;
    for (let step = length; step < this.#attempt.length; step++) dates[step] = NONE;
    for (let step = 0; step < length; step++) dates[step] = this.#current[step];
    this.#attempt.length = length;
  }
}
