/**
 * The attempts of one entity in any order, if each of its events satisfies one step: then the first event of each step from a
 * start on makes the longest and earliest attempt that begins there.
 * Cost  per step one pass over the events, and per start a sort of at most as many dates as steps; no memory.
 */
import type { FunnelQuestion } from '../../../ir/index.js';
import type { Attempt, AttemptRules, MutableAttempt } from './rules.js';

/** Steps of one word of bits. */
const STEPS_MAX = 32;
const NONE = Number.POSITIVE_INFINITY;

export class SimpleAnyOrder {
  readonly #rules: AttemptRules;
  readonly #attempts: FunnelQuestion['attempts'];
  readonly #dates: Uint32Array;
  readonly #masks: Uint32Array;
  /** By step: its first event from the current start on. */
  readonly #next: Int32Array;
  /** The dates of the attempt from the current start. */
  readonly #found: Float64Array;
  readonly #attempt: MutableAttempt;
  #to = 0;
  /** Bits of the steps that the entity may take. */
  #open = 0;

  /** null = the question needs another search. `columns`: those of the current block. */
  static of(
    { order, same, attempts }: FunnelQuestion,
    rules: AttemptRules,
    columns: readonly Uint32Array[],
    isTied: boolean,
  ): SimpleAnyOrder | null {
    if (order !== 'any' || isTied || same.length > 0) return null;
    if (rules.stepCount > STEPS_MAX || rules.distinctInstants) return null;
    return new SimpleAnyOrder(attempts, rules, columns);
  }

  private constructor(
    attempts: FunnelQuestion['attempts'],
    rules: AttemptRules,
    columns: readonly Uint32Array[],
  ) {
    this.#rules = rules;
    this.#attempts = attempts;
    [this.#dates, this.#masks] = columns;
    this.#next = new Int32Array(rules.stepCount);
    this.#found = new Float64Array(rules.stepCount);
    this.#attempt = { length: 0, skipped: 0, dates: new Array<number>(rules.stepCount).fill(NONE) };
  }

  /**
   * Calls `visit` with each attempt of the entity with the events [from, to), which may take the steps with the bits `open`; the
   * attempt is valid during the call. Returns false, before any call, if the entity needs the exact search.
   */
  each(from: number, to: number, open: number, visit: (attempt: Attempt) => void): boolean {
    this.#to = to;
    this.#open = open;
    this.#next.fill(from);
    if (!this.#isExact(from)) return false;
    if (this.#attempts === 'best') this.#best(from, visit);
    else this.#inTurn(from, visit);
    return true;
  }

  #isExact(from: number): boolean {
    for (let at = from; at < this.#to; at++) {
      const mask = this.#masks[at] & this.#open;
      if ((mask & (mask - 1)) !== 0) return false;
    }
    return true;
  }

  #best(from: number, visit: (attempt: Attempt) => void): void {
    const { within, stepCount } = this.#rules;
    let length = 0;
    for (let start = this.#startFrom(from, -1); start >= 0; start = this.#startFrom(start + 1, -1)) {
      const reached = this.#follow(start);
      if (reached <= length) continue;
      length = reached;
      this.#note(length);
      if (length === stepCount || within === NONE) break;
    }
    if (length > 0) visit(this.#attempt);
  }

  /** The first attempt, or all of them, none of which begins before the one before has ended. */
  #inTurn(from: number, visit: (attempt: Attempt) => void): void {
    const { within, stepCount } = this.#rules;
    for (let start = this.#startFrom(from, -1); start >= 0; ) {
      const length = this.#follow(start);
      this.#note(length);
      visit(this.#attempt);
      if (this.#attempts === 'first') return;
      const { dates } = this.#attempt;
      const bound = length === stepCount ? dates[stepCount - 1] : dates[0] + within;
      start = this.#startFrom(start, bound);
    }
  }

  /** The first event from `at` on, after the date `bound`, with which an attempt may begin; -1 = none. */
  #startFrom(at: number, bound: number): number {
    const { from, to } = this.#rules;
    const dates = this.#dates;
    for (let start = at; start < this.#to && dates[start] <= to; start++) {
      const isOpen = (this.#masks[start] & this.#open) !== 0;
      if (isOpen && dates[start] >= from && dates[start] > bound) return start;
    }
    return -1;
  }

  /** Writes the dates of the attempt from a start; returns its length. Starts ascend. */
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
