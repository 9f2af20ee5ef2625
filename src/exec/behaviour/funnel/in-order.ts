/**
 * Finds attempts whose steps have ascending dates, in one strand.
 * Invariant  the attempt returned is the longest, of these one that leaves out fewest optional steps, of these the one whose
 *            dates are earliest, step by step.
 */
import { invariant, lowerBoundOf } from '../../../base/index.js';
import type { QueryRun } from '../../query-run.js';
import { type CompletionScope, Completions, NONE, Obstacles } from './completions.js';
import { SecondMatching } from './matching.js';
import type { Attempt, AttemptRules, EntityObstacles } from './rules.js';
import type { Strand } from './strand.js';

export class InOrderSearch {
  readonly #rules: AttemptRules;
  readonly #entity: EntityObstacles;
  readonly #scope: CompletionScope;
  #strand: Strand;
  readonly #byLength: Completions[] = [];
  /** By length: whether the completions are those of the strand. */
  readonly #isComputed: boolean[];

  /** Throws 9006, as `load`. */
  constructor(strand: Strand, rules: AttemptRules, entity: EntityObstacles, run: QueryRun) {
    this.#rules = rules;
    this.#entity = entity;
    const matching = new SecondMatching(rules.stepCount);
    this.#scope = { rules, obstacles: new Obstacles(), matching, run };
    this.#isComputed = new Array<boolean>(rules.stepCount + 1).fill(false);
    this.#strand = strand;
    this.load(strand);
  }

  /** Sets the strand that is searched, after the obstacles of its entity. */
  load(strand: Strand): void {
    this.#strand = strand;
    this.#isComputed.fill(false);
    const { excluded, stream } = this.#entity;
    this.#scope.obstacles.read(strand, excluded, stream, this.#scope.run);
  }

  /** The best attempt of all; null = none begins. */
  best(): Attempt | null {
    for (const completions of this.#lengths()) {
      for (let skipped = 0; skipped < completions.width; skipped++) {
        for (let second = 0; second < this.#strand.secondCount; second++) {
          if (this.#begins(completions, second, skipped)) return this.#attempt(completions, second, skipped);
        }
      }
    }
    return null;
  }

  /** The first second after `bound` in which an attempt begins; -1 = none. */
  firstAfter(bound: number): number {
    const { secondCount, dates } = this.#strand;
    const first = lowerBoundOf(dates, bound + 1, 0, secondCount);
    for (let second = first; second < secondCount && dates[second] <= this.#rules.to; second++) {
      if (dates[second] >= this.#rules.from && this.#strand.has(second, 0)) return second;
    }
    return -1;
  }

  /** The best attempt that begins in the second, in which one begins. */
  from(second: number): Attempt {
    for (const completions of this.#lengths()) {
      for (let skipped = 0; skipped < completions.width; skipped++) {
        if (this.#begins(completions, second, skipped)) return this.#attempt(completions, second, skipped);
      }
    }
    throw new Error('no attempt begins in the second');
  }

  /** The lengths that attempts may have, longest first. */
  *#lengths(): Generator<Completions> {
    const { stepCount, optional } = this.#rules;
    let reach = 0;
    while (reach < stepCount && (this.#strand.hasStep(reach) || optional[reach])) reach++;
    for (let length = reach; length >= 1; length--) {
      if (!this.#strand.hasStep(length - 1)) continue;
      this.#byLength[length] ??= new Completions(this.#strand, length, this.#scope);
      if (!this.#isComputed[length]) this.#byLength[length].compute(this.#strand);
      this.#isComputed[length] = true;
      yield this.#byLength[length];
    }
  }

  #begins(completions: Completions, second: number, skipped: number): boolean {
    const date = this.#strand.dates[second];
    if (date < this.#rules.from || date > this.#rules.to) return false;
    const end = completions.begun(second, 1, skipped);
    return end !== NONE && end - date <= this.#rules.within;
  }

  /** The attempt with the earliest dates that begins in a second and leaves out so many steps. */
  #attempt(completions: Completions, begin: number, skipped: number): Attempt {
    const { dates: strandDates } = this.#strand;
    const { length } = completions;
    const dates = new Array<number>(this.#rules.stepCount).fill(Number.POSITIVE_INFINITY);
    const latest = Math.min(strandDates[begin] + this.#rules.within, NONE - 1);
    let second = begin;
    let block = [1];
    let rest = skipped;
    dates[0] = strandDates[begin];
    while (block[block.length - 1] < length) {
      const last = block[block.length - 1];
      for (let step = last + 1; ; step++) {
        invariant(step <= length, 'an attempt that can be completed has a next step');
        if (this.#fits(completions, second, [...block, step], rest, latest)) {
          block.push(step);
          dates[step - 1] = strandDates[second];
          break;
        }
        const later = this.#later(completions, second, block, step, rest, latest);
        if (later >= 0) {
          second = later;
          block = [step];
          dates[step - 1] = strandDates[second];
          break;
        }
        rest--;
      }
    }
    return { length, skipped, dates };
  }

  /** Whether a block of the second may begin with these steps, if the attempt leaves out exactly `rest` later ones. */
  #fits(
    completions: Completions,
    second: number,
    steps: readonly number[],
    rest: number,
    latest: number,
  ): boolean {
    const { starts, dates } = this.#strand;
    const lastFixed = steps[steps.length - 1];
    const eventCount = starts[second + 1] - starts[second];
    if (this.#rules.distinctInstants || eventCount < steps.length) return false;
    if (!this.#strand.has(second, lastFixed - 1)) return false;
    this.#scope.matching.load(this.#strand, second);
    const { length } = completions;
    for (let last = lastFixed; last <= length; last++) {
      if (!this.#strand.has(second, last - 1)) continue;
      const least = completions.leastSkipped(steps, last);
      if (least < 0) continue;
      const most = completions.optionalBetween(lastFixed, last);
      if (last === length) {
        if (rest >= least && rest <= most && dates[second] <= latest) return true;
        continue;
      }
      if (completions.endsAt(second, steps[0], last)) continue;
      for (let inside = least; inside <= most && inside <= rest; inside++) {
        if (completions.reached(second, last, rest - inside) <= latest) return true;
      }
    }
    return false;
  }

  /** The first later second in which a block can begin with `step`, after a block that ends; -1 = none. */
  #later(
    completions: Completions,
    second: number,
    block: readonly number[],
    step: number,
    rest: number,
    latest: number,
  ): number {
    const last = block[block.length - 1];
    if (rest < 0 || rest >= completions.width || completions.endsAt(second, block[0], last)) return -1;
    const exclusions = completions.exclusionsBetween(last, step);
    const { at, after, streamAt, streamAfter } = this.#scope.obstacles;
    const { isStrict } = this.#rules;
    for (let later = second + 1; later < this.#strand.secondCount; later++) {
      if (this.#strand.dates[later] > latest) return -1;
      if ((after[later - 1] & exclusions) !== 0 || (isStrict && streamAfter[later - 1] === 1)) return -1;
      if (completions.begun(later, step, rest) <= latest) return later;
      if ((at[later] & exclusions) !== 0 || (isStrict && streamAt[later] === 1)) return -1;
    }
    return -1;
  }
}
