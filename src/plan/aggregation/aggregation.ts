/**
 * Runs an aggregation in rounds, one per level. An instance serves one query: while `round` is not null, run that SELECT
 * and `take` its result; then call `answer`.
 */
import { invariant, type MemoryAccount, type Task } from '../../base/index.js';
import type { AggregateAnswer, AggregatePlan, SelectPlan } from '../../ir/index.js';
import { mergeMemory } from '../merge-memory.js';
import type { Table } from '../select/table.js';
import { levelAnswers, metricAnswers } from './answers.js';
import { type LevelRows, levelRows } from './level-rows.js';
import { levelPlan, metricPlan } from './round-plan.js';

/** Approximate bytes of a group's metric in a result. */
const METRIC_BYTES = 200;

export class Aggregation {
  readonly #plan: AggregatePlan;
  readonly #budget: MemoryAccount;
  /** The rows of the decided levels, outermost first. */
  readonly #levels: LevelRows[] = [];
  #rowCount = 0;
  /** The metric of each group of the last level; null = not yet known, or not requested. */
  #metric: AggregateAnswer[] | null = null;
  #round: SelectPlan | null;

  /** `bytesMax`: memory limit of the result. */
  constructor(plan: AggregatePlan, bytesMax: number) {
    invariant(plan.levels.length > 0 || plan.metric !== null, 'an aggregation has a level');
    this.#plan = plan;
    this.#budget = mergeMemory(bytesMax);
    this.#round = this.#nextRound();
  }

  /** The next SELECT; null = everything is known. */
  get round(): SelectPlan | null {
    return this.#round;
  }

  /** Takes the result of `round` and advances to the next one. Throws 9006. */
  *take(table: Table): Task<void> {
    const { levels, metric } = this.#plan;
    const depth = this.#levels.length;
    const groupCount = this.#groupsAt(depth);
    if (depth < levels.length) {
      const level = levels[depth];
      const rows = yield* levelRows(level, table, this.#levels, groupCount, this.#rowCount, this.#budget);
      this.#rowCount += rows.texts.length;
      this.#levels.push(rows);
    } else {
      invariant(metric !== null, 'a metric was requested');
      this.#budget.reserve(table.rowCount * METRIC_BYTES);
      this.#metric = yield* metricAnswers(metric, table, this.#levels, groupCount, this.#rowCount);
    }
    this.#round = this.#nextRound();
  }

  *answer(): Task<AggregateAnswer> {
    invariant(this.#round === null, 'a round is open');
    let answers: AggregateAnswer[] | null = this.#metric;
    for (let depth = this.#levels.length - 1; depth >= 0; depth--) {
      answers = yield* levelAnswers(this.#levels[depth], this.#groupsAt(depth), answers);
    }
    invariant(answers !== null, 'the outermost level has a single group');
    return answers[0];
  }

  /** Number of groups in which the level at this depth is evaluated. */
  #groupsAt(depth: number): number {
    return depth === 0 ? 1 : this.#levels[depth - 1].texts.length;
  }

  #nextRound(): SelectPlan | null {
    const { levels, metric } = this.#plan;
    const depth = this.#levels.length;
    if (this.#groupsAt(depth) === 0) return null;
    const decided = this.#levels.map(({ values }, index) => ({ level: levels[index], values }));
    if (depth < levels.length) {
      const level = levels[depth];
      return levelPlan(this.#plan, decided, level, depth === 0 ? level.limit : null);
    }
    return metric === null || this.#metric !== null ? null : metricPlan(this.#plan, decided, metric);
  }
}
