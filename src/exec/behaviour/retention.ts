/**
 * Retention. Slots: per cohort its size, then one count per bracket. Event 0 of the plan is the start, event 1 the return.
 * Cost  linear in events and, per cohort of an entity, in brackets.
 */
import { lowerBound } from '../../base/index.js';
import type { RetentionQuestion } from '../../ir/index.js';
import { walkEntities } from './entity-walk.js';
import type { EntityInput, KernelInput } from './kernel.js';
import { PeriodFinder } from './period-finder.js';

const START = 1;
const RETURN = 2;
/** So many returns are looked at one by one before they are searched. */
const NEAR = 16;
/** Periods of brackets that have a table. */
const OFFSETS_MAX = 4_096;
const NO_BRACKET = -1;

export function countRetention(input: KernelInput<RetentionQuestion>): void {
  const { plan, groups, ranking, texts, tally, slots, question } = input;
  const { counts } = tally;
  const width = question.brackets.length + 1;
  const count = (group: number, cohort: number, found: Uint8Array): void => {
    const slot = group * slots + cohort * width;
    counts[slot]++;
    for (let bracket = 0; bracket < found.length; bracket++) counts[slot + 1 + bracket] += found[bracket];
  };
  eachMember(input, (row, cohort, found) => {
    if (ranking !== null) {
      ranking.add(texts?.of(row) ?? [], 1);
      return;
    }
    count(0, cohort, found);
    if (plan.breakdown === null) return;
    for (const group of groups.of(texts?.of(row) ?? [])) count(group, cohort, found);
  });
}

/** Called for each entity of a cohort; `found` has 1 for each bracket in which it returned, and is valid during the call. */
type VisitMember = (row: number, cohort: number, found: Uint8Array) => void;

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
  readonly #periods: PeriodFinder;
  readonly #calendar: PeriodFinder;
  /** The bracket of each number of periods since the start; null = there may be several. */
  readonly #bracketAt: Int32Array | null;
  /** By bracket: 1 = the entity returned. */
  readonly #found: Uint8Array;
  /** The dates of the entity's returns up to `until`, ascending, and their events. */
  #returns = new Uint32Array(64);
  #returnEvents = new Uint32Array(64);
  #returnCount = 0;

  constructor(input: EntityInput<RetentionQuestion>, visit: VisitMember) {
    this.#input = input;
    this.#visit = visit;
    const { columns, linkColumn } = input.events;
    [this.#dates, this.#masks] = columns;
    this.#links = linkColumn < 0 ? null : columns[linkColumn];
    this.#periods = new PeriodFinder(input.plan.periods);
    this.#calendar = new PeriodFinder(input.question.calendar);
    this.#bracketAt = bracketTable(input.question);
    this.#found = new Uint8Array(input.question.brackets.length);
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
      const own = this.#periods.at(date);
      if (own === cohort) continue;
      cohort = own;
      this.#visitMember(row, cohort, at, from, to);
      if (question.cohort === 'first-time') return;
    }
  }

  /** The event at `at` is the first of its second that is a start. */
  #visitMember(row: number, cohort: number, at: number, from: number, to: number): void {
    if (this.#returnCount < 0) this.#readReturns(from, to);
    this.#find(cohort, at, from, to);
    this.#visit(row, cohort, this.#found);
  }

  #readReturns(from: number, to: number): void {
    this.#returnCount = 0;
    if (this.#returns.length < to - from) {
      this.#returns = new Uint32Array((to - from) * 2);
      this.#returnEvents = new Uint32Array((to - from) * 2);
    }
    for (let at = from; at < to && this.#dates[at] <= this.#input.question.until; at++) {
      if ((this.#masks[at] & RETURN) === 0) continue;
      this.#returnEvents[this.#returnCount] = at;
      this.#returns[this.#returnCount++] = this.#dates[at];
    }
  }

  /** Finds the brackets in whose periods, or later if the question says so, the entity returned. */
  #find(cohort: number, at: number, from: number, to: number): void {
    const { brackets, until } = this.#input.question;
    const found = this.#found;
    const reference = this.#dates[at];
    const own = this.#onlyReference(at, to);
    const isSame = (index: number): boolean => own !== 0 && this.#links?.[this.#returnEvents[index]] === own;
    found.fill(0);
    const table = this.#returnCount > NEAR ? null : this.#bracketAt;
    if (table === null) this.#findByBracket(cohort, reference, isSame);
    else this.#findByReturn(cohort, reference, isSame, table);
    if (
      brackets[0]?.[0] === 0 &&
      found[0] === 0 &&
      reference <= until &&
      this.#returnsInSecond(at, from, to)
    ) {
      found[0] = 1;
    }
  }

  #findByReturn(
    cohort: number,
    reference: number,
    isSame: (index: number) => boolean,
    table: Int32Array,
  ): void {
    const { rolling } = this.#input.question;
    for (let index = 0; index < this.#returnCount; index++) {
      const date = this.#returns[index];
      if (date <= reference || isSame(index)) continue;
      const offset =
        rolling === null ? this.#calendar.at(date) - cohort : Math.floor((date - reference) / rolling);
      if (offset < table.length && table[offset] !== NO_BRACKET) this.#found[table[offset]] = 1;
    }
  }

  #findByBracket(cohort: number, reference: number, isSame: (index: number) => boolean): void {
    const { brackets, count, rolling, calendar } = this.#input.question;
    const [found, returns] = [this.#found, this.#returns];
    // Brackets ascend, and so do the returns that they look for.
    let index = 0;
    for (let bracket = 0; bracket < found.length; bracket++) {
      const [begin, end] = brackets[bracket];
      const start = rolling === null ? calendar[cohort + begin] : reference + begin * rolling;
      if (start === undefined) break;
      index = this.#nextReturn(Math.max(start, reference + 1), index);
      while (index < this.#returnCount && isSame(index)) index++;
      if (index === this.#returnCount) break;
      const high = rolling === null ? calendar[cohort + end] : reference + end * rolling;
      if (count === 'on-or-after' || high === undefined || returns[index] < high) found[bracket] = 1;
    }
  }

  /** The first return from `index` on that is not before `date`. */
  #nextReturn(date: number, index: number): number {
    const near = Math.min(index + NEAR, this.#returnCount);
    let next = index;
    while (next < near && this.#returns[next] < date) next++;
    if (next < near || near === this.#returnCount) return next;
    return lowerBound(this.#returns, date, next, this.#returnCount);
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

function bracketTable({ brackets, count }: RetentionQuestion): Int32Array | null {
  const end = brackets.reduce((most, [, own]) => Math.max(most, own), 0);
  if (count === 'on-or-after' || end > OFFSETS_MAX) return null;
  const table = new Int32Array(end).fill(NO_BRACKET);
  for (const [bracket, [from, to]] of brackets.entries()) {
    if (table.subarray(from, to).some((other) => other !== NO_BRACKET)) return null;
    table.fill(bracket, from, to);
  }
  return table;
}
