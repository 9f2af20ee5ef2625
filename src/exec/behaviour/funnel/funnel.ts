/**
 * Funnels. Cells: per step its attempts, for the whole and then for each period; the groups of a breakdown have only the
 * first. The samples of a cell are the seconds from the first event of an attempt to that of the step.
 */
import { type FunnelQuestion, periodCount } from '../../../ir/index.js';
import { selectedEntities } from '../../condition/selection.js';
import { walkEntities } from '../entity-walk.js';
import { type KernelInput, periodAt } from '../kernel.js';
import { attemptsOf } from './attempts.js';
import { Lane } from './lane.js';
import { type Attempt, type AttemptRules, DateList, rulesOf } from './rules.js';

export function countFunnel(input: KernelInput<FunnelQuestion>): void {
  const counter = new FunnelCounter(input);
  walkEntities(input.events, input.run, (row, from, to) => counter.count(row, from, to));
}

class FunnelCounter {
  readonly #input: KernelInput<FunnelQuestion>;
  readonly #rules: AttemptRules;
  /** Bits of the steps in the first and second word of an event. */
  readonly #stepLo: number;
  readonly #stepHi: number;
  /** Per step: the entities that can take it; null = all. */
  readonly #stepRows: readonly (Uint8Array | null)[];
  readonly #lane = new Lane();
  readonly #excluded: readonly DateList[];
  readonly #stream: DateList | null;
  /** Bits of the steps that the entity can take. */
  #lo = 0;
  #hi = 0;

  constructor(input: KernelInput<FunnelQuestion>) {
    const { question, plan, shard, scratch, run } = input;
    this.#input = input;
    this.#rules = rulesOf(question, plan.between);
    this.#stepLo = bitsBelow(Math.min(question.stepCount, 32));
    this.#stepHi = bitsBelow(Math.max(question.stepCount - 32, 0));
    this.#stepRows = question.stepConditions.map((condition) =>
      condition === null ? null : selectedEntities(shard, condition, scratch, run),
    );
    this.#excluded = question.exclusions.map(() => new DateList());
    this.#stream = question.stream === null ? null : new DateList();
  }

  count(row: number, from: number, to: number): void {
    this.#setSteps(row);
    const run = this.#input.run.child();
    try {
      const lanes = this.#lanes(from, to);
      if (lanes.length === 0) return;
      const obstacles = { excluded: this.#excluded, stream: this.#stream };
      const { question, plan } = this.#input;
      const scope = { question, rules: this.#rules, obstacles, isTied: plan.isTied, run };
      for (const attempt of attemptsOf(lanes, scope)) {
        this.#add(attempt, row, from, to);
      }
    } finally {
      run.releaseAll();
    }
  }

  #setSteps(row: number): void {
    this.#lo = this.#stepLo;
    this.#hi = this.#stepHi;
    this.#stepRows.forEach((rows, step) => {
      if (rows === null || ((rows[row >>> 3] >> (row & 7)) & 1) === 1) return;
      if (step < 32) this.#lo &= ~(1 << step);
      else this.#hi &= ~(1 << (step - 32));
    });
  }

  /** The events in lanes, by the values that they have to share; fills the dates of obstacles. */
  #lanes(from: number, to: number): readonly Lane[] {
    const { events, question } = this.#input;
    const [dates] = events.columns;
    const [lows, highs] = [events.columns[1], events.maskWords > 1 ? events.columns[2] : null];
    for (const list of this.#excluded) list.clear();
    this.#stream?.clear();
    const hasObstacles = this.#excluded.length > 0 || this.#stream !== null;
    const lanes = new Map<string, Lane>();
    this.#lane.clear();
    for (let at = from; at < to; at++) {
      if (hasObstacles) this.#noteObstacles(at);
      const lo = lows[at] & this.#lo;
      const hi = highs === null ? 0 : highs[at] & this.#hi;
      if ((lo | hi) === 0) continue;
      if (question.same.length === 0) this.#lane.add(dates[at], lo, hi, this.#linkOf(at));
      else this.#addToLane(lanes, at, lo, hi);
    }
    if (question.same.length > 0) return [...lanes.values()].filter((lane) => this.#mayBegin(lane));
    return this.#mayBegin(this.#lane) ? [this.#lane] : [];
  }

  #mayBegin(lane: Lane): boolean {
    return lane.secondCount > 0 && (this.#input.question.order === 'any' || lane.hasStep(0));
  }

  #noteObstacles(at: number): void {
    const { events, question } = this.#input;
    const date = events.columns[0][at];
    const has = (bit: number): boolean => (events.columns[1 + (bit >> 5)][at] & (1 << (bit & 31))) !== 0;
    question.exclusions.forEach(({ event }, index) => {
      if (has(event)) this.#excluded[index].add(date);
    });
    if (question.stream !== null && has(question.stream)) this.#stream?.add(date);
  }

  #addToLane(lanes: Map<string, Lane>, at: number, lo: number, hi: number): void {
    const { events, question } = this.#input;
    const numbers = question.same.map((value) => events.columns[events.valueColumn + value][at]);
    // A missing value equals nothing, so the event can only be an attempt of length 1.
    const key = numbers.includes(0) ? `alone ${at}` : numbers.join(' ');
    let lane = lanes.get(key);
    if (lane === undefined) {
      lane = new Lane();
      lanes.set(key, lane);
    }
    lane.add(events.columns[0][at], lo, hi, this.#linkOf(at));
  }

  /** 0 = none. */
  #linkOf(at: number): number {
    const { columns, linkColumn } = this.#input.events;
    return linkColumn < 0 ? 0 : columns[linkColumn][at];
  }

  #add(attempt: Attempt, row: number, from: number, to: number): void {
    const { plan, question, groups, ranking, cells, texts } = this.#input;
    const own =
      plan.breakdown === null
        ? []
        : plan.breakdown.of === 'step'
          ? this.#textAt(attempt, plan.breakdown.step, from, to)
          : (texts?.of(row) ?? []);
    if (ranking !== null) {
      ranking.add(own, 1);
      return;
    }
    this.#addTo(0, attempt);
    if (periodCount(plan.periods) > 0) {
      this.#addTo((periodAt(plan.periods, attempt.dates[0]) + 1) * question.stepCount, attempt);
    }
    if (plan.breakdown !== null) for (const group of groups.of(own)) this.#addTo(group * cells, attempt);
  }

  #addTo(cell: number, { dates }: Attempt): void {
    const { tally, question } = this.#input;
    for (let step = 0; step < question.stepCount; step++) {
      if (dates[step] === Number.POSITIVE_INFINITY) continue;
      tally.counts[cell + step]++;
      if (step > 0) tally.sample(cell + step, dates[step] - dates[0]);
    }
  }

  /** The least text of the breakdown's column over the events of the date of the attempt's step that satisfy it. */
  #textAt(attempt: Attempt, step: number, from: number, to: number): readonly string[] {
    const { events, plan } = this.#input;
    const [dates] = events.columns;
    const date = attempt.dates[step];
    if (date === Number.POSITIVE_INFINITY) return [];
    const words = events.columns[step < 32 ? 1 : 2];
    const value = plan.values.length - 1;
    const numbers = new Set<number>();
    for (let at = lowerBound(dates, from, to, date); at < to && dates[at] === date; at++) {
      if ((words[at] & (1 << (step & 31))) === 0) continue;
      const number = events.columns[events.valueColumn + value][at];
      if (number !== 0) numbers.add(number);
    }
    const found = [...numbers].map((number) => events.values[value].textOf(number));
    if (found.length <= 1) return found;
    return [
      found.reduce((least, text) =>
        Buffer.compare(Buffer.from(text), Buffer.from(least)) < 0 ? text : least,
      ),
    ];
  }
}

const bitsBelow = (count: number): number => (count === 32 ? 0xffffffff : 2 ** count - 1) | 0;

/** The index in [from, to) of the first date that is at least `date`. */
function lowerBound(dates: Uint32Array, from: number, to: number, date: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (dates[middle] < date) low = middle + 1;
    else high = middle;
  }
  return low;
}
