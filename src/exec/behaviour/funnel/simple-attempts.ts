/**
 * The attempts of one entity by a search that is exact for most entities and takes no memory. The longest and earliest attempt
 * without regard to exclusions and streams is the best one if none lies inside it, and so is one of length 1.
 */
import type { FunnelQuestion } from '../../../ir/index.js';
import { AttemptCheck } from './attempt-check.js';
import type { Attempt, AttemptRules } from './rules.js';
import { SimpleAnyOrder } from './simple-any-order.js';
import { SimpleInOrder } from './simple-in-order.js';
import { SimpleSearch } from './simple-search.js';

export class SimpleAttempts {
  readonly #question: FunnelQuestion;
  readonly #rules: AttemptRules;
  readonly #search: SimpleSearch;
  readonly #check: AttemptCheck;

  /** null = the question needs the exact search for every entity. `columns`: those of the current block. */
  static of(
    question: FunnelQuestion,
    rules: AttemptRules,
    columns: readonly Uint32Array[],
    isTied: boolean,
  ): SimpleAttempts | null {
    if (isTied || question.same.length > 0 || question.optional.includes(true)) return null;
    const check = new AttemptCheck(columns, question);
    const isAny = question.order === 'any';
    if (isAny ? !SimpleAnyOrder.supports(rules) : check.isNeeded && question.attempts === 'every')
      return null;
    const steps = isAny ? new SimpleAnyOrder(columns, rules) : new SimpleInOrder(columns, rules);
    return new SimpleAttempts(question, rules, new SimpleSearch(columns[0], rules, steps), check);
  }

  private constructor(
    question: FunnelQuestion,
    rules: AttemptRules,
    search: SimpleSearch,
    check: AttemptCheck,
  ) {
    this.#question = question;
    this.#rules = rules;
    this.#search = search;
    this.#check = check;
  }

  /**
   * Calls `visit` with each attempt of the entity with the events [from, to), which may take the steps with the bits `lo` and
   * `hi`. Returns false, before any call, if the entity needs the exact search.
   */
  each(from: number, to: number, lo: number, hi: number, visit: (attempt: Attempt) => void): boolean {
    const search = this.#search;
    if (!search.load(from, to, lo, hi)) return false;
    if (this.#question.attempts !== 'every') {
      const attempt = this.#question.attempts === 'best' ? search.best() : search.firstAfter(-1);
      if (attempt === null) return true;
      if (attempt.length > 1 && this.#check.isNeeded && !this.#check.holds(attempt, from, to)) return false;
      visit(attempt);
      return true;
    }
    const { stepCount, within } = this.#rules;
    for (let bound = -1; bound !== Number.POSITIVE_INFINITY; ) {
      const attempt = search.firstAfter(bound);
      if (attempt === null) break;
      const isComplete = attempt.length === stepCount;
      bound = isComplete ? attempt.dates[stepCount - 1] : attempt.dates[0] + within;
      visit(attempt);
    }
    return true;
  }
}
