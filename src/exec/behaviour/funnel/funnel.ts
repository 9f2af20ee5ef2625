/**
 * Funnels. Slots: per step its attempts, for the whole and then for each period; the groups of a breakdown have only the
 * first. The samples of a slot are the seconds from the first event of an attempt to that of the step.
 */
import { lowerBound } from '../../../base/index.js';
import { type FunnelQuestion, periodCount } from '../../../ir/index.js';
import { INEXACT } from '../../../kernels/index.js';
import type { KernelInput } from '../kernel.js';
import { PeriodFinder } from '../period-finder.js';
import type { SampleList } from '../sample-list.js';
import type { AttemptRecords } from './block-attempts.js';
import { eachAttempt } from './entity-attempts.js';
import type { Attempt } from './rules.js';

export function countFunnel(input: KernelInput<FunnelQuestion>): void {
  const counter = new FunnelCounter(input);
  const isWhole =
    input.ranking === null && input.plan.breakdown === null && periodCount(input.plan.periods) === 0;
  eachAttempt(
    input,
    (attempt, row, from, to) => counter.add(attempt, row, from, to),
    isWhole ? (records) => counter.addAll(records) : null,
  );
}

class FunnelCounter {
  readonly #input: KernelInput<FunnelQuestion>;
  readonly #periods: PeriodFinder;

  constructor(input: KernelInput<FunnelQuestion>) {
    this.#input = input;
    this.#periods = new PeriodFinder(input.plan.periods);
  }

  add(attempt: Attempt, row: number, from: number, to: number): void {
    const { plan, question, groups, ranking, slots, texts } = this.#input;
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
      this.#addTo((this.#periods.at(attempt.dates[0]) + 1) * question.stepCount, attempt);
    }
    if (plan.breakdown !== null) for (const group of groups.of(own)) this.#addTo(group * slots, attempt);
  }

  /** Adds attempts to the whole, step by step. */
  addAll({ words, count, stride }: AttemptRecords): void {
    const { tally, question } = this.#input;
    for (let step = 0; step < question.stepCount; step++) {
      let reached = 0;
      let samples: SampleList | null = null;
      for (let at = 0; at < count * stride; at += stride) {
        const length = words[at + 1];
        if (length <= step || length === INEXACT) continue;
        reached++;
        if (step === 0) continue;
        samples ??= tally.samplesOf(step);
        samples.add(words[at + 2 + step] - words[at + 2]);
      }
      tally.counts[step] += reached;
      if (reached === 0) return;
    }
  }

  #addTo(slot: number, { dates, length }: Attempt): void {
    const { tally } = this.#input;
    for (let step = 0; step < length; step++) {
      if (dates[step] === Number.POSITIVE_INFINITY) continue;
      tally.counts[slot + step]++;
      if (step > 0) tally.sample(slot + step, dates[step] - dates[0]);
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
    for (let at = lowerBound(dates, date, from, to); at < to && dates[at] === date; at++) {
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
