/**
 * Attempts of entities with an event whose tied values have different dates: such an event is at several seconds of a strand,
 * and may serve one step only. The search that does not know this finds an attempt that is at least as good as the best one;
 * if it may use an event twice, attempts are tried in the order of preference.
 * Cost  linear as long as no attempt would use an event twice; else a search with backtracking, which the query's limit of time
 *       ends. Memory: one number per step.
 */
import { invariant } from '../../../base/index.js';
import type { QueryRun } from '../../query-run.js';
import type { Attempt, AttemptRules, EntityObstacles, StrandSearch } from './rules.js';
import type { Strand } from './strand.js';

/** Tries between two checks for a stop of the query. */
const CHECK_TRIES = 1_024;

/** Finds the earliest attempt of one form that begins in a second; null = there is none. */
export interface AttemptTrial {
  /** Numbers of left out steps that attempts of a length may have, ascending. */
  skips(length: number): readonly number[];
  attempt(begin: number, length: number, skipped: number): Attempt | null;
}

export class DistinctSearch implements StrandSearch {
  readonly #strand: Strand;
  readonly #rules: AttemptRules;
  readonly #search: StrandSearch;
  readonly #trial: AttemptTrial;

  constructor(strand: Strand, rules: AttemptRules, search: StrandSearch, trial: AttemptTrial) {
    this.#strand = strand;
    this.#rules = rules;
    this.#search = search;
    this.#trial = trial;
  }

  best(): Attempt | null {
    const found = this.#search.best();
    if (found === null || !this.#repeats(found)) return found;
    const begins: number[] = [];
    const { from, to } = this.#rules;
    this.#strand.dates.subarray(0, this.#strand.secondCount).forEach((date, second) => {
      if (date >= from && date <= to) begins.push(second);
    });
    return this.#bestOf(begins, found);
  }

  firstAfter(bound: number): number {
    return this.#search.firstAfter(bound);
  }

  from(second: number): Attempt {
    const found = this.#search.from(second);
    return this.#repeats(found) ? this.#bestOf([second], found) : found;
  }

  /** Whether an event is at two of the attempt's seconds. */
  #repeats({ dates }: Attempt): boolean {
    const { starts, links } = this.#strand;
    const seconds = new Map<number, number>();
    for (const date of new Set(dates)) {
      if (date === Number.POSITIVE_INFINITY) continue;
      const second = this.#strand.secondOf(date);
      for (let event = starts[second]; event < starts[second + 1]; event++) {
        const link = links[event];
        if (link === 0) continue;
        if ((seconds.get(link) ?? second) !== second) return true;
        seconds.set(link, second);
      }
    }
    return false;
  }

  /** The best attempt that begins in one of the seconds; none is better than `bound`. */
  #bestOf(begins: readonly number[], bound: Attempt): Attempt {
    for (let length = bound.length; length >= 1; length--) {
      for (const skipped of this.#trial.skips(length)) {
        if (length === bound.length && skipped < bound.skipped) continue;
        for (const begin of begins) {
          const attempt = this.#trial.attempt(begin, length, skipped);
          if (attempt !== null) return attempt;
        }
      }
    }
    invariant(false, 'an attempt of one event can be found');
  }
}

/** Counts tries, and ends the search if the query is stopped. */
class Tries {
  readonly #run: QueryRun;
  #count = 0;

  constructor(run: QueryRun) {
    this.#run = run;
  }

  next(): void {
    if (++this.#count % CHECK_TRIES === 0) this.#run.check();
  }
}

/** The number of an event: that of its link, or a negative one for an event without a link. */
const numberOf = (strand: Strand, event: number): number => strand.links[event] || -1 - event;

/** Attempts whose steps have ascending dates. */
export class InOrderTrial implements AttemptTrial {
  readonly #strand: Strand;
  readonly #rules: AttemptRules;
  readonly #obstacles: EntityObstacles;
  readonly #tries: Tries;
  /** Of the attempt that is tried: the seconds of its steps, -1 = left out. */
  #seconds: number[] = [];
  #length = 0;
  /** By event: the step that it serves. */
  readonly #steps = new Map<number, number>();

  constructor(strand: Strand, rules: AttemptRules, obstacles: EntityObstacles, run: QueryRun) {
    this.#strand = strand;
    this.#rules = rules;
    this.#obstacles = obstacles;
    this.#tries = new Tries(run);
  }

  skips(length: number): readonly number[] {
    const optional = this.#rules.optional.slice(0, length).filter(Boolean).length;
    return Array.from({ length: optional + 1 }, (_, skipped) => skipped);
  }

  attempt(begin: number, length: number, skipped: number): Attempt | null {
    this.#seconds = [begin];
    this.#length = length;
    this.#steps.clear();
    if (!this.#assign(0, new Set()) || !this.#complete(1, skipped)) return null;
    const dates = new Array<number>(this.#rules.stepCount).fill(Number.POSITIVE_INFINITY);
    this.#seconds.forEach((second, step) => {
      if (second >= 0) dates[step] = this.#strand.dates[second];
    });
    return { length, skipped, dates };
  }

  /** Takes the steps from `step` on, leaving out exactly `skipped` of them; restores the attempt if it returns false. */
  #complete(step: number, skipped: number): boolean {
    this.#tries.next();
    if (step === this.#length) return skipped === 0;
    const seconds = this.#seconds;
    const { dates, secondCount } = this.#strand;
    const previous = seconds.findLastIndex((second) => second >= 0);
    const latest = dates[seconds[0]] + this.#rules.within;
    const first = seconds[previous] + (this.#rules.distinctInstants ? 1 : 0);
    for (let second = first; second < secondCount && dates[second] <= latest; second++) {
      if (this.#isBarred(step, previous, second)) break;
      if (!this.#strand.has(second, step)) continue;
      seconds.push(second);
      if (this.#assign(step, new Set()) && this.#complete(step + 1, skipped)) return true;
      this.#release(step);
      seconds.pop();
    }
    if (!this.#rules.optional[step] || skipped === 0 || step === this.#length - 1) return false;
    seconds.push(-1);
    if (this.#complete(step + 1, skipped - 1)) return true;
    seconds.pop();
    return false;
  }

  /** Whether the step cannot be taken in the second or later, after the step `previous`. */
  #isBarred(step: number, previous: number, second: number): boolean {
    const { dates } = this.#strand;
    const { excluded, stream } = this.#obstacles;
    const date = dates[second];
    if (stream?.hasBetween(dates[this.#seconds[previous]], date)) return true;
    return this.#rules.exclusions.some(({ after, before }, index) => {
      if (step < after || previous >= Math.min(before, this.#length) - 1) return false;
      const begin = this.#seconds.findLastIndex((taken, at) => taken >= 0 && at < after);
      return excluded[index].hasBetween(dates[this.#seconds[begin]], date);
    });
  }

  /** Finds an event for the step, for which other steps may change theirs. */
  #assign(step: number, visited: Set<number>): boolean {
    const { starts } = this.#strand;
    const second = this.#seconds[step];
    for (let event = starts[second]; event < starts[second + 1]; event++) {
      const number = numberOf(this.#strand, event);
      if (visited.has(number) || !this.#strand.satisfies(event, step)) continue;
      visited.add(number);
      const other = this.#steps.get(number);
      if (other !== undefined && !this.#assign(other, visited)) continue;
      this.#steps.set(number, step);
      return true;
    }
    return false;
  }

  #release(step: number): void {
    for (const [number, own] of this.#steps) if (own === step) this.#steps.delete(number);
  }
}

/** Attempts whose events satisfy different steps in any order. */
export class AnyOrderTrial implements AttemptTrial {
  readonly #strand: Strand;
  readonly #rules: AttemptRules;
  readonly #tries: Tries;
  readonly #used = new Set<number>();
  #events: number[] = [];
  /** Of the attempt that is tried: the seconds of its events, ascending. */
  #seconds: number[] = [];
  #length = 0;

  constructor(strand: Strand, rules: AttemptRules, run: QueryRun) {
    this.#strand = strand;
    this.#rules = rules;
    this.#tries = new Tries(run);
  }

  skips(): readonly number[] {
    return [0];
  }

  attempt(begin: number, length: number): Attempt | null {
    const { dates } = this.#strand;
    this.#length = length;
    this.#seconds = [begin];
    if (!this.#hasEvents() || !this.#complete()) return null;
    const found = new Array<number>(this.#rules.stepCount).fill(Number.POSITIVE_INFINITY);
    this.#seconds.forEach((second, position) => {
      found[position] = dates[second];
    });
    return { length, skipped: 0, dates: found };
  }

  /** Takes the remaining seconds; restores the attempt if it returns false. */
  #complete(): boolean {
    const seconds = this.#seconds;
    if (seconds.length === this.#length) return true;
    const { dates, secondCount } = this.#strand;
    const { within, distinctInstants } = this.#rules;
    const latest = dates[seconds[0]] + within;
    const first = seconds[seconds.length - 1] + (distinctInstants ? 1 : 0);
    for (let second = first; second < secondCount && dates[second] <= latest; second++) {
      seconds.push(second);
      if (this.#hasEvents() && this.#complete()) return true;
      seconds.pop();
    }
    return false;
  }

  /** Whether there are different events at the seconds, for different steps. */
  #hasEvents(): boolean {
    this.#used.clear();
    this.#events = [];
    return this.#choose(new Int32Array(this.#rules.stepCount).fill(-1));
  }

  /** Chooses the remaining events; `owners`: by step, the position of its event, or -1. */
  #choose(owners: Int32Array): boolean {
    this.#tries.next();
    const position = this.#events.length;
    if (position === this.#seconds.length) return true;
    const { starts } = this.#strand;
    const second = this.#seconds[position];
    const isSame = position > 0 && this.#seconds[position - 1] === second;
    const first = isSame ? this.#events[position - 1] + 1 : starts[second];
    for (let event = first; event < starts[second + 1]; event++) {
      const number = numberOf(this.#strand, event);
      if (this.#used.has(number)) continue;
      const own = owners.slice();
      this.#events.push(event);
      this.#used.add(number);
      if (this.#assign(position, own, new Set()) && this.#choose(own)) return true;
      this.#used.delete(number);
      this.#events.pop();
    }
    return false;
  }

  #assign(position: number, owners: Int32Array, visited: Set<number>): boolean {
    for (let step = 0; step < owners.length; step++) {
      if (visited.has(step) || !this.#strand.satisfies(this.#events[position], step)) continue;
      visited.add(step);
      if (owners[step] >= 0 && !this.#assign(owners[step], owners, visited)) continue;
      owners[step] = position;
      return true;
    }
    return false;
  }
}
