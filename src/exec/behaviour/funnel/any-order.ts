/**
 * Finds attempts whose events satisfy different steps in any order, in one strand.
 * The sets of events that can be assigned to different steps are a matroid, so the events that are taken in the order of
 * their dates, each if it fits, are the most and the earliest. With distinct instants a second counts as one event.
 * Cost  per first date at most steps events are taken, each found by a search in the list of each step's events.
 */
import { lowerBoundOf } from '../../../base/index.js';
import type { QueryRun } from '../../query-run.js';
import type { Attempt, AttemptRules } from './rules.js';
import type { Strand } from './strand.js';

export class AnyOrderSearch {
  readonly #strand: Strand;
  readonly #rules: AttemptRules;
  readonly #run: QueryRun;
  /** Events, or seconds: their dates and steps. */
  readonly #dates: number[] = [];
  readonly #lo: number[] = [];
  readonly #hi: number[] = [];
  /** By step: its events, ascending. */
  readonly #ofStep: number[][];
  /** By step: the event assigned to it, or -1. */
  readonly #assigned: Int32Array;
  #visited = new Set<number>();

  constructor(strand: Strand, rules: AttemptRules, run: QueryRun) {
    this.#strand = strand;
    this.#rules = rules;
    this.#run = run;
    this.#assigned = new Int32Array(rules.stepCount);
    this.#ofStep = Array.from({ length: rules.stepCount }, () => []);
    run.reserve(strand.eventCount * 8 * (3 + rules.stepCount));
    this.#read();
  }

  #read(): void {
    const { starts, dates, lo, hi, secondCount } = this.#strand;
    for (let second = 0; second < secondCount; second++) {
      for (let event = starts[second]; event < starts[second + 1]; event++) {
        if (this.#rules.distinctInstants && event > starts[second]) {
          this.#lo[this.#lo.length - 1] |= lo[event];
          this.#hi[this.#hi.length - 1] |= hi[event];
          continue;
        }
        this.#dates.push(dates[second]);
        this.#lo.push(lo[event]);
        this.#hi.push(hi[event]);
      }
    }
    for (let event = 0; event < this.#dates.length; event++) {
      for (let step = 0; step < this.#rules.stepCount; step++) {
        if (this.#has(event, step)) this.#ofStep[step].push(event);
      }
    }
  }

  #has(event: number, step: number): boolean {
    return (((step < 32 ? this.#lo[event] : this.#hi[event]) >>> (step & 31)) & 1) !== 0;
  }

  best(): Attempt | null {
    let best: Attempt | null = null;
    for (let bound = -1; ; ) {
      const first = this.firstAfter(bound);
      if (first < 0) return best;
      this.#run.check();
      const attempt = this.from(first);
      if (best === null || attempt.length > best.length) best = attempt;
      if (best.length === this.#rules.stepCount || this.#rules.within === Number.POSITIVE_INFINITY)
        return best;
      bound = this.#strand.dates[first];
    }
  }

  /** The first second after `bound` in which an attempt begins; -1 = none. */
  firstAfter(bound: number): number {
    const { secondCount, dates } = this.#strand;
    const from = Math.max(bound + 1, this.#rules.from);
    const first = lowerBoundOf(dates, from, 0, secondCount);
    return first < secondCount && dates[first] <= this.#rules.to ? first : -1;
  }

  /** The best attempt that begins in the second. */
  from(second: number): Attempt {
    const { stepCount, within } = this.#rules;
    const begin = this.#strand.dates[second];
    const dates = new Array<number>(stepCount).fill(Number.POSITIVE_INFINITY);
    this.#assigned.fill(-1);
    let length = 0;
    let event = this.#firstEvent(begin);
    while (length < stepCount) {
      event = this.#nextUseful(event);
      if (event < 0 || this.#dates[event] - begin > within) break;
      this.#visited.clear();
      if (this.#assign(event)) dates[length++] = this.#dates[event];
      event++;
    }
    return { length, skipped: 0, dates };
  }

  /** The first event of a date. */
  #firstEvent(date: number): number {
    return lowerBoundOf(this.#dates, date);
  }

  /** The first event from `event` on that can be assigned besides those that are; -1 = none. */
  #nextUseful(event: number): number {
    let next = -1;
    for (const step of this.#openSteps()) {
      const found = atLeast(this.#ofStep[step], event);
      if (found >= 0 && (next < 0 || found < next)) next = found;
    }
    return next;
  }

  /** The steps that are free, or become free if other events change their steps. */
  #openSteps(): Iterable<number> {
    const open = new Set<number>();
    this.#assigned.forEach((event, step) => {
      if (event < 0) open.add(step);
    });
    for (let size = -1; size !== open.size; ) {
      size = open.size;
      this.#assigned.forEach((event, step) => {
        if (event < 0 || open.has(step)) return;
        for (const other of open) {
          if (!this.#has(event, other)) continue;
          open.add(step);
          break;
        }
      });
    }
    return open;
  }

  #assign(event: number): boolean {
    for (let step = 0; step < this.#rules.stepCount; step++) {
      if (this.#visited.has(step) || !this.#has(event, step)) continue;
      this.#visited.add(step);
      const other = this.#assigned[step];
      if (other >= 0 && !this.#assign(other)) continue;
      this.#assigned[step] = event;
      return true;
    }
    return false;
  }
}

/** The first of the ascending values that is at least `value`; -1 = none. */
function atLeast(values: readonly number[], value: number): number {
  const at = lowerBoundOf(values, value);
  return at < values.length ? values[at] : -1;
}
