/**
 * An aggregation on its way through its rounds: what to ask every shard next, and the exact merge of what they answer.
 * Used by one query only: while `round` is not null, ask all shards and `take` all their partials; then `answer`.
 */

import { invariant, type MemoryAccount, runToEnd, type Task } from '../base/index.js';
import type {
  AggregateAnswer,
  AggregatePlan,
  DecidedLevel,
  LevelPlan,
  RoundPartial,
  RoundPlan,
  ValueCounts,
} from '../ir/index.js';
import { levelAnswers, metricAnswers } from './answers.js';
import { bestOf, isCertain } from './best-values.js';
import { mergeMemory } from './merge-memory.js';
import { cellsOf, type MetricCells, metricCells, NO_CELLS } from './metric-cells.js';
import { MOMENT_OF } from './metric-token.js';
import { type LevelRows, rowBytes, topValues } from './top-values.js';
import { mergeCounts } from './value-merge.js';

/** About what the metric of a cell takes in an answer. */
const CELL_BYTES = 200;

export class Aggregation {
  readonly #plan: AggregatePlan;
  readonly #budget: MemoryAccount;
  /** Of the levels that are decided, outermost first. */
  readonly #levels: LevelRows[] = [];
  #rowCount = 0;
  /** The best values of each shard did not tell the top of the first level: all of them are asked for. */
  #bestFell = false;
  /** null = not known yet, or there is none. */
  #metric: MetricCells | null = null;
  #round: RoundPlan | null;

  /** `bytesMax`: memory that merging may take. Throws 9006. */
  constructor(plan: AggregatePlan, bytesMax: number) {
    invariant(plan.levels.length > 0 || plan.metric !== null, 'an aggregation has a level');
    this.#plan = plan;
    this.#budget = mergeMemory(bytesMax);
    this.#round = this.#nextRound();
  }

  /** What to ask every shard now; null = all is known. */
  get round(): RoundPlan | null {
    return this.#round;
  }

  /** Takes the partials of all shards for `round`, which then is the next one. Throws 9006. */
  take(partials: readonly RoundPartial[]): void {
    runToEnd(this.takeSliced(partials));
  }

  /**
   * The same in slices of some milliseconds: yields between them, never when there is little to merge. `round` is the
   * next one when it has returned; whoever stops before, or gets an error, is done with this aggregation. Throws 9006.
   */
  *takeSliced(partials: readonly RoundPartial[]): Task<void> {
    invariant(this.#round !== null, 'no round is open');
    const { ask } = this.#round;
    const answers = ask.asks === 'values' || ask.moment === 'values' ? 'values' : 'moments';
    invariant(
      partials.every((partial) => partial.answers === answers),
      `the round is answered with ${answers}`,
    );
    if (ask.asks === 'values') yield* this.#takeLevel(partials as readonly ValueCounts[], ask.best !== null);
    else yield* this.#takeMetric(partials);
    this.#round = this.#nextRound();
  }

  answer(): AggregateAnswer {
    return runToEnd(this.answerSliced());
  }

  /** The same in slices, as takeSliced has them. */
  *answerSliced(): Task<AggregateAnswer> {
    invariant(this.#round === null, 'a round is open');
    let answers = yield* this.#metricAnswers();
    for (let depth = this.#levels.length - 1; depth >= 0; depth--) {
      answers = yield* levelAnswers(this.#levels[depth], this.#groupsAt(depth), answers);
    }
    invariant(answers !== null, 'the outermost level is one group');
    return answers[0];
  }

  /** Of each group of the last level; null = no metric is asked, or there are no such groups. */
  *#metricAnswers(): Task<AggregateAnswer[] | null> {
    const { levels, metric } = this.#plan;
    if (metric === null || this.#levels.length < levels.length) return null;
    return yield* metricAnswers(metric, this.#metric ?? NO_CELLS, this.#groupsAt(levels.length));
  }

  /** Groups that the level at this depth is asked in. */
  #groupsAt(depth: number): number {
    return depth === 0 ? 1 : this.#levels[depth - 1].texts.length;
  }

  #nextRound(): RoundPlan | null {
    const { databaseId, dimensionId, entities, levels, metric } = this.#plan;
    const depth = this.#levels.length;
    const groupCount = this.#groupsAt(depth);
    if (groupCount === 0) return null;
    const common = { databaseId, dimensionId, entities, decided: this.#decided() };
    if (depth < levels.length) {
      const best = depth === 0 && !this.#bestFell ? bestOf(levels[0]) : null;
      return { ...common, ask: { asks: 'values', level: planOf(levels[depth]), best } };
    }
    if (metric === null || this.#metric !== null) return null;
    // Refused before any shard is asked.
    cellsOf(metric, groupCount);
    const { buckets } = metric;
    const moment = MOMENT_OF[metric.metric];
    return { ...common, ask: { asks: 'moments', level: planOf(metric), moment, buckets } };
  }

  #decided(): DecidedLevel[] {
    // The values of a decided level have passed its tests.
    return this.#levels.map(({ parents, values }, depth) => ({
      level: { source: this.#plan.levels[depth].source, tests: [] },
      parents,
      values,
    }));
  }

  *#takeLevel(partials: readonly ValueCounts[], best: boolean): Task<void> {
    const depth = this.#levels.length;
    const level = this.#plan.levels[depth];
    const scratch = this.#budget.remainder();
    const counted = yield* mergeCounts(partials, scratch);
    const rows = yield* topValues(level, counted, this.#groupsAt(depth), this.#rowCount, scratch);
    if (best && !(yield* isCertain(level, partials, counted, rows, scratch))) {
      this.#bestFell = true;
      return;
    }
    this.#budget.reserve(rowBytes(rows.texts));
    this.#rowCount += rows.texts.length;
    this.#levels.push(rows);
  }

  *#takeMetric(partials: readonly RoundPartial[]): Task<void> {
    const { metric } = this.#plan;
    invariant(metric !== null, 'a metric is asked');
    const cellCount = cellsOf(metric, this.#groupsAt(this.#levels.length));
    const found = yield* metricCells(metric, partials, cellCount, this.#rowCount, this.#budget.remainder());
    this.#budget.reserve(found.cells.length * CELL_BYTES);
    this.#metric = found;
  }
}

const planOf = ({ source, tests }: LevelPlan): LevelPlan => ({ source, tests });
