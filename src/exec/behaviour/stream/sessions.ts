/**
 * Sessions. Slots: those of SESSION_SLOTS for the whole and then for each period; the groups of a breakdown have only the
 * first. The samples of two slots are the seconds and the events of sessions.
 */
import { periodCount, SESSION_SLOTS, type SessionsQuestion } from '../../../ir/index.js';
import { walkEntities } from '../entity-walk.js';
import { type KernelInput, rangeWithin } from '../kernel.js';
import { PeriodFinder } from '../period-finder.js';
import { StreamOrder } from './order.js';

const [SESSIONS, ENTITIES, SINGLE, SECONDS, EVENTS] = [0, 1, 2, 3, 4];
/** The bit of the events that begin a session. */
const START = 2;
const NO_TEXTS: readonly string[] = [];

/** Throws 9006. */
export function countSessions(input: KernelInput<SessionsQuestion>): void {
  const counter = new SessionCounter(input);
  walkEntities(input.events, input.run, (row, from, to) => counter.count(row, from, to));
}

class SessionCounter {
  readonly #input: KernelInput<SessionsQuestion>;
  readonly #dates: Uint32Array;
  readonly #masks: Uint32Array;
  /** null = no event begins a session, so the order within a second does not matter. */
  readonly #order: StreamOrder | null;
  readonly #periods: PeriodFinder;
  /** The sessions of the entity: the first event of each, and the end of the last. */
  #starts = new Uint32Array(64);
  #count = 0;

  constructor(input: KernelInput<SessionsQuestion>) {
    this.#input = input;
    [this.#dates, this.#masks] = input.events.columns;
    this.#periods = new PeriodFinder(input.plan.periods);
    this.#order = input.plan.events[1].length === 0 ? null : new StreamOrder(input.events);
  }

  count(row: number, from: number, to: number): void {
    const { plan, ranking, texts } = this.#input;
    const range = rangeWithin(this.#dates, from, to, plan.between);
    if (range.from === range.to) return;
    this.#order?.sort(range.from, range.to);
    this.#divide(range.from, range.to);
    const own = texts === null ? NO_TEXTS : texts.of(row);
    if (ranking !== null) ranking.add(own, this.#count);
    else this.#add(own);
  }

  #divide(from: number, to: number): void {
    const [dates, masks] = [this.#dates, this.#masks];
    const { gap } = this.#input.question;
    if (this.#starts.length <= to - from) this.#grow((to - from) * 2);
    const starts = this.#starts;
    let count = 0;
    starts[count++] = from;
    for (let at = from + 1; at < to; at++) {
      if (dates[at] - dates[at - 1] > gap || (masks[at] & START) !== 0) starts[count++] = at;
    }
    starts[count] = to;
    this.#count = count;
  }

  #grow(capacity: number): void {
    this.#input.run.reserve((capacity - this.#starts.length) * 4);
    this.#starts = new Uint32Array(capacity);
  }

  #add(texts: readonly string[]): void {
    const { plan, groups, slots } = this.#input;
    this.#addAll(0);
    if (periodCount(plan.periods) > 0) this.#addToPeriods();
    if (plan.breakdown !== null) for (const group of groups.of(texts)) this.#addAll(group * slots);
  }

  #addAll(slot: number): void {
    this.#input.tally.counts[slot + ENTITIES]++;
    this.#addSessions(slot, 0, this.#count);
  }

  #addToPeriods(): void {
    const { tally } = this.#input;
    let last = -1;
    for (let index = 0; index < this.#count; index++) {
      const period = this.#periods.at(this.#dates[this.#starts[index]]);
      const slot = (period + 1) * SESSION_SLOTS;
      if (period !== last) tally.counts[slot + ENTITIES]++;
      last = period;
      this.#addSessions(slot, index, index + 1);
    }
  }

  /** Adds sessions [first, end). */
  #addSessions(slot: number, first: number, end: number): void {
    const { tally } = this.#input;
    const { counts } = tally;
    const [seconds, events] = [tally.samplesOf(slot + SECONDS), tally.samplesOf(slot + EVENTS)];
    counts[slot + SESSIONS] += end - first;
    let single = 0;
    for (let index = first; index < end; index++) {
      const [from, to] = [this.#starts[index], this.#starts[index + 1]];
      if (to - from === 1) {
        single++;
        continue;
      }
      seconds.add(this.#dates[to - 1] - this.#dates[from]);
      events.add(to - from);
    }
    counts[slot + SINGLE] += single;
    seconds.addSmall(0, single);
    events.addSmall(1, single);
  }
}
