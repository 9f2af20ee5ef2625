/** The rules of a funnel's attempts, and the dates of one entity's events that no attempt may enclose. */
import { lowerBoundOf } from '../../../base/index.js';
import type { FunnelQuestion } from '../../../ir/index.js';

export interface AttemptRules {
  readonly stepCount: number;
  readonly optional: readonly boolean[];
  /** Seconds from the first to the last event. */
  readonly within: number;
  readonly distinctInstants: boolean;
  readonly isStrict: boolean;
  /** Steps counted from 1. */
  readonly exclusions: readonly { readonly after: number; readonly before: number }[];
  /** The dates of first events, inclusive. */
  readonly from: number;
  readonly to: number;
}

/** An attempt: the date of each step, Infinity for a step that it does not have. */
export interface Attempt {
  readonly length: number;
  readonly skipped: number;
  readonly dates: readonly number[];
}

/** An attempt that a search uses again. */
export interface MutableAttempt extends Attempt {
  length: number;
  readonly dates: number[];
}

/** Whether attempt `a` is better: longer, then with fewer steps left out, then earlier step by step. */
export function isBetter(a: Attempt, b: Attempt | null): boolean {
  if (b === null) return true;
  if (a.length !== b.length) return a.length > b.length;
  if (a.skipped !== b.skipped) return a.skipped < b.skipped;
  const step = a.dates.findIndex((date, index) => date !== b.dates[index]);
  return step >= 0 && a.dates[step] < b.dates[step];
}

/** Dates of one entity, ascending. */
export class DateList {
  #dates = new Float64Array(16);
  #count = 0;

  clear(): void {
    this.#count = 0;
  }

  /** Adds a date that is not earlier than the last. */
  add(date: number): void {
    if (this.#count > 0 && this.#dates[this.#count - 1] === date) return;
    if (this.#count === this.#dates.length) {
      const longer = new Float64Array(this.#count * 2);
      longer.set(this.#dates);
      this.#dates = longer;
    }
    this.#dates[this.#count++] = date;
  }

  /** The index of the first date that is at least `date`. */
  #lowerBound(date: number): number {
    return lowerBoundOf(this.#dates, date, 0, this.#count);
  }

  hasBetween(after: number, before: number): boolean {
    const index = this.#lowerBound(after + 1);
    return index < this.#count && this.#dates[index] < before;
  }

  has(date: number): boolean {
    const index = this.#lowerBound(date);
    return index < this.#count && this.#dates[index] === date;
  }
}

/** Finds attempts in one strand of events. */
export interface StrandSearch {
  best(): Attempt | null;
  firstAfter(bound: number): number;
  from(second: number): Attempt;
}

/** Dates of one entity's events that no attempt may enclose. */
export interface EntityObstacles {
  readonly excluded: readonly DateList[];
  readonly stream: DateList | null;
}

export const rulesOf = (
  question: FunnelQuestion,
  between: { readonly from: number; readonly to: number },
): AttemptRules => ({
  stepCount: question.stepCount,
  optional: question.optional,
  within: question.within ?? Number.POSITIVE_INFINITY,
  distinctInstants: question.distinctInstants,
  isStrict: question.stream !== null,
  exclusions: question.exclusions,
  from: between.from,
  to: between.to,
});
