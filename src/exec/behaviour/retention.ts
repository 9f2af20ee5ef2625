/**
 * Retention. Slots: per cohort its size, then one count per bracket. Event 0 of the plan is the start, event 1 the return.
 * Cost  linear in events and, per cohort of an entity, in brackets.
 */
import { lowerBoundOf } from '../../base/index.js';
import type { RetentionQuestion } from '../../ir/index.js';
import { walkEntities } from './entity-walk.js';
import { type EntityInput, type KernelInput, periodAt } from './kernel.js';

const START = 1;
const RETURN = 2;

export function countRetention(input: KernelInput<RetentionQuestion>): void {
  const { plan, groups, ranking, texts, tally, slots, question } = input;
  const width = question.brackets.length + 1;
  eachMember(input, (row, cohort, returnsIn) => {
    const own = texts?.of(row) ?? [];
    if (ranking !== null) {
      ranking.add(own, 1);
      return;
    }
    const found = question.brackets.map((_, bracket) => returnsIn(bracket));
    const count = (group: number): void => {
      const slot = group * slots + cohort * width;
      tally.counts[slot]++;
      for (let index = 0; index < found.length; index++) if (found[index]) tally.counts[slot + 1 + index]++;
    };
    count(0);
    if (plan.breakdown !== null) for (const group of groups.of(own)) count(group);
  });
}

/** Called for each entity of a cohort; `returnsIn` says whether it returned in a bracket, and is valid during the call. */
type VisitMember = (row: number, cohort: number, returnsIn: (bracket: number) => boolean) => void;

export function eachMember(input: EntityInput<RetentionQuestion>, visit: VisitMember): void {
  const reader = new MemberReader(input, visit);
  walkEntities(input.events, input.run, (row, from, to) => reader.read(row, from, to));
}

class MemberReader {
  readonly #input: EntityInput<RetentionQuestion>;
  readonly #visit: VisitMember;
  readonly #dates: Uint32Array;
  readonly #masks: Uint32Array;
  readonly #links: Uint32Array | null;
  /** The dates of the entity's returns up to `until`, ascending, and their events. */
  #returns = new Float64Array(64);
  #returnEvents = new Uint32Array(64);
  #returnCount = 0;

  constructor(input: EntityInput<RetentionQuestion>, visit: VisitMember) {
    this.#input = input;
    this.#visit = visit;
    const { columns, linkColumn } = input.events;
    [this.#dates, this.#masks] = columns;
    this.#links = linkColumn < 0 ? null : columns[linkColumn];
  }

  read(row: number, from: number, to: number): void {
    const { plan, question } = this.#input;
    const { from: first, to: last } = plan.between;
    this.#returnCount = -1;
    let cohort = -1;
    for (let at = from; at < to && this.#dates[at] <= last; at++) {
      if ((this.#masks[at] & START) === 0) continue;
      const date = this.#dates[at];
      if (date < first) {
        if (question.cohort === 'first-time') return;
        continue;
      }
      const own = periodAt(plan.periods, date);
      if (own === cohort) continue;
      cohort = own;
      this.#visitMember(row, cohort, at, from, to);
      if (question.cohort === 'first-time') return;
    }
  }

  /** The event at `at` is the first of its second that is a start. */
  #visitMember(row: number, cohort: number, at: number, from: number, to: number): void {
    const { brackets } = this.#input.question;
    this.#visit(row, cohort, (bracket) => {
      if (this.#returnCount < 0) this.#readReturns(from, to);
      return this.#returnsIn(brackets[bracket], cohort, at, from, to);
    });
  }

  #readReturns(from: number, to: number): void {
    this.#returnCount = 0;
    if (this.#returns.length < to - from) {
      this.#returns = new Float64Array((to - from) * 2);
      this.#returnEvents = new Uint32Array((to - from) * 2);
    }
    for (let at = from; at < to && this.#dates[at] <= this.#input.question.until; at++) {
      if ((this.#masks[at] & RETURN) === 0) continue;
      this.#returnEvents[this.#returnCount] = at;
      this.#returns[this.#returnCount++] = this.#dates[at];
    }
  }

  /** Whether the entity returned in one of the bracket's periods, or later if the question says so. */
  #returnsIn(
    [begin, end]: readonly [number, number],
    cohort: number,
    at: number,
    from: number,
    to: number,
  ): boolean {
    const { question } = this.#input;
    const reference = this.#dates[at];
    const startOf = (period: number): number =>
      question.rolling === null
        ? (question.calendar[cohort + period] ?? Number.POSITIVE_INFINITY)
        : reference + period * question.rolling;
    const low = Math.max(startOf(begin), reference + 1);
    const high = question.count === 'on' ? startOf(end) : Number.POSITIVE_INFINITY;
    let index = lowerBoundOf(this.#returns, low, 0, this.#returnCount);
    const own = this.#onlyReference(at, to);
    while (own !== 0 && index < this.#returnCount && this.#links?.[this.#returnEvents[index]] === own)
      index++;
    if (index < this.#returnCount && this.#returns[index] < high) return true;
    return begin === 0 && reference <= question.until && this.#returnsInSecond(at, from, to);
  }

  /**
   * The link of the reference event; 0 = it has none, or there are several start events of its second. Its other values may
   * have other dates.
   */
  #onlyReference(at: number, to: number): number {
    if (this.#links === null) return 0;
    const date = this.#dates[at];
    for (let event = at + 1; event < to && this.#dates[event] === date; event++) {
      if ((this.#masks[event] & START) !== 0) return 0;
    }
    return this.#links[at];
  }

  /** Whether an event of the reference's second returns, while another one is the reference. */
  #returnsInSecond(at: number, from: number, to: number): boolean {
    const date = this.#dates[at];
    let [starts, returns, both] = [0, 0, 0];
    let first = at;
    while (first > from && this.#dates[first - 1] === date) first--;
    for (let event = first; event < to && this.#dates[event] === date; event++) {
      const mask = this.#masks[event];
      if ((mask & START) !== 0) starts++;
      if ((mask & RETURN) !== 0) returns++;
      if ((mask & (START | RETURN)) === (START | RETURN)) both++;
    }
    return starts > 0 && returns > 0 && !(starts === 1 && returns === 1 && both === 1);
  }
}
