/**
 * Runs an aggregation in rounds: determines the next request to every shard and merges the partial results exactly.
 * An instance serves one query: while `round` is not null, send it to all shards and `take` all their partials; then
 * call `answer`.
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
import { type GroupMetrics, groupKeyCountOf, groupMetrics, NO_GROUP_METRICS } from './group-metrics.js';
import { mergeMemory } from './merge-memory.js';
import { MOMENT_OF } from './metric-token.js';
import { type LevelRows, rowBytes, topValues } from './top-values.js';
import { mergeCounts } from './value-merge.js';

/** Approximate bytes of a group's metric in a result. */
const METRIC_BYTES = 200;

export class Aggregation {
  readonly #plan: AggregatePlan;
  readonly #budget: MemoryAccount;
  /** The rows of the decided levels, outermost first. */
  readonly #levels: LevelRows[] = [];
  #rowCount = 0;
  /**
   * Whether the best values of each shard did not determine the top of the first level, so that all values are
   * requested.
   */
  #bestFell = false;
  /** null = not yet known, or the plan has no metric. */
  #metric: GroupMetrics | null = null;
  #round: RoundPlan | null;

  /** `bytesMax`: memory limit of the merge. Throws 9006. */
  constructor(plan: AggregatePlan, bytesMax: number) {
    invariant(plan.levels.length > 0 || plan.metric !== null, 'an aggregation has a level');
    this.#plan = plan;
    this.#budget = mergeMemory(bytesMax);
    this.#round = this.#nextRound();
  }

  /** The next request to every shard; null = everything is known. */
  get round(): RoundPlan | null {
    return this.#round;
  }

  /** Merges the partials of all shards for `round` and advances to the next round. Throws 9006. */
  take(partials: readonly RoundPartial[]): void {
    runToEnd(this.takeSliced(partials));
  }

  /**
   * Like `take`, but yields between slices of a few milliseconds; small merges do not yield. After the task completes,
   * `round` is the next round. After an error or an early stop the instance must not be used. Throws 9006.
   */
  *takeSliced(partials: readonly RoundPartial[]): Task<void> {
    invariant(this.#round !== null, 'no round is open');
    const { request } = this.#round;
    const answers = request.kind === 'values' || request.moment === 'values' ? 'values' : 'moments';
    invariant(
      partials.every((partial) => partial.answers === answers),
      `the round has ${answers} as result`,
    );
    if (request.kind === 'values')
      yield* this.#takeLevel(partials as readonly ValueCounts[], request.best !== null);
    else yield* this.#takeMetric(partials);
    this.#round = this.#nextRound();
  }

  answer(): AggregateAnswer {
    return runToEnd(this.answerSliced());
  }

  /** Like `answer`, in slices like those of takeSliced. */
  *answerSliced(): Task<AggregateAnswer> {
    invariant(this.#round === null, 'a round is open');
    let answers = yield* this.#metricAnswers();
    for (let depth = this.#levels.length - 1; depth >= 0; depth--) {
      answers = yield* levelAnswers(this.#levels[depth], this.#groupsAt(depth), answers);
    }
    invariant(answers !== null, 'the outermost level has a single group');
    return answers[0];
  }

  /** The metric of each group of the last level; null = no metric is requested, or there are no groups. */
  *#metricAnswers(): Task<AggregateAnswer[] | null> {
    const { levels, metric } = this.#plan;
    if (metric === null || this.#levels.length < levels.length) return null;
    return yield* metricAnswers(metric, this.#metric ?? NO_GROUP_METRICS, this.#groupsAt(levels.length));
  }

  /** Number of groups in which the level at this depth is evaluated. */
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
      return { ...common, request: { kind: 'values', level: planOf(levels[depth]), best } };
    }
    if (metric === null || this.#metric !== null) return null;
    // Checked before any request is sent.
    groupKeyCountOf(metric, groupCount);
    const { buckets } = metric;
    const moment = MOMENT_OF[metric.metric];
    return { ...common, request: { kind: 'moments', level: planOf(metric), moment, buckets } };
  }

  #decided(): DecidedLevel[] {
    // The values of a decided level have already passed its tests.
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
    invariant(metric !== null, 'a metric was requested');
    const groupKeyCount = groupKeyCountOf(metric, this.#groupsAt(this.#levels.length));
    const found = yield* groupMetrics(
      metric,
      partials,
      groupKeyCount,
      this.#rowCount,
      this.#budget.remainder(),
    );
    this.#budget.reserve(found.groupKeys.length * METRIC_BYTES);
    this.#metric = found;
  }
}

const planOf = ({ source, tests }: LevelPlan): LevelPlan => ({ source, tests });
