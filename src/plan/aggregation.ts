/**
 * An aggregation on its way through its rounds: what to ask every shard next, and the exact merge of what they answer.
 * Used by one query only: while `round` is not null, ask all shards and `take` all their partials; then `answer`.
 */
import { invariant } from '../base/index.js';
import type {
  AggregateAnswer,
  AggregatePlan,
  DecidedLevel,
  LevelPlan,
  MetricLevel,
  RoundPartial,
  RoundPlan,
  ValueCounts,
  ValueRow,
} from '../ir/index.js';
import { bestOf, isCertain } from './best-values.js';
import { MemoryBudget } from './memory-budget.js';
import { boundsOf, bucketsOf, cellsOf, type MetricCells, metricCells } from './metric-cells.js';
import { MOMENT_OF, tokenOfNothing } from './metric-token.js';
import { type LevelRows, rowBytes, topValues } from './top-values.js';
import { mergeCounts } from './value-merge.js';

/** About what the metric of a cell takes in an answer. */
const CELL_BYTES = 200;

export class Aggregation {
  readonly #plan: AggregatePlan;
  readonly #budget: MemoryBudget;
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
    this.#budget = new MemoryBudget(bytesMax);
    this.#round = this.#nextRound();
  }

  /** What to ask every shard now; null = all is known. */
  get round(): RoundPlan | null {
    return this.#round;
  }

  /** Takes the partials of all shards for `round`, which then is the next one. Throws 9006. */
  take(partials: readonly RoundPartial[]): void {
    invariant(this.#round !== null, 'no round is open');
    const { ask } = this.#round;
    const answers = ask.asks === 'values' || ask.moment === 'values' ? 'values' : 'moments';
    invariant(
      partials.every((partial) => partial.answers === answers),
      `the round is answered with ${answers}`,
    );
    if (ask.asks === 'values') this.#takeLevel(partials as readonly ValueCounts[], ask.best !== null);
    else this.#takeMetric(partials);
    this.#round = this.#nextRound();
  }

  answer(): AggregateAnswer {
    invariant(this.#round === null, 'a round is open');
    const { levels, metric } = this.#plan;
    let answers: AggregateAnswer[] | null =
      metric === null || this.#levels.length < levels.length ? null : this.#metricAnswers(metric);
    for (let depth = this.#levels.length - 1; depth >= 0; depth--) {
      answers = rowsByParent(this.#levels[depth], this.#groupsAt(depth), answers);
    }
    invariant(answers !== null, 'the outermost level is one group');
    return answers[0];
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
    return this.#levels.map(({ parents, values }, depth) => ({
      level: planOf(this.#plan.levels[depth]),
      parents,
      values,
    }));
  }

  #takeLevel(partials: readonly ValueCounts[], best: boolean): void {
    const depth = this.#levels.length;
    const level = this.#plan.levels[depth];
    const scratch = this.#budget.rest();
    const counted = mergeCounts(partials, scratch);
    const rows = topValues(level, counted, this.#groupsAt(depth), this.#rowCount, scratch);
    if (best && !isCertain(level, partials, counted, rows, scratch)) {
      this.#bestFell = true;
      return;
    }
    this.#budget.take(rowBytes(rows.texts));
    this.#rowCount += rows.texts.length;
    this.#levels.push(rows);
  }

  #takeMetric(partials: readonly RoundPartial[]): void {
    const { metric } = this.#plan;
    invariant(metric !== null, 'a metric is asked');
    const cellCount = cellsOf(metric, this.#groupsAt(this.#levels.length));
    const found = metricCells(metric, partials, cellCount, this.#rowCount, this.#budget.rest());
    this.#budget.take(found.cells.length * CELL_BYTES);
    this.#metric = found;
  }

  /** The metric of each group of the last level. */
  #metricAnswers(level: MetricLevel): AggregateAnswer[] {
    const { cells, tokens } = this.#metric ?? { cells: [], tokens: [] };
    const groupCount = this.#groupsAt(this.#levels.length);
    const bucketCount = bucketsOf(level);
    const nothing = tokenOfNothing(level.metric, level);
    const answers: AggregateAnswer[] = [];
    let at = 0;
    for (let group = 0; group < groupCount; group++) {
      if (level.buckets === null) {
        const token = cells[at] === group ? tokens[at++] : nothing;
        answers.push({ answers: 'metric', token });
        continue;
      }
      const first = group * bucketCount;
      const rows = [];
      for (; at < cells.length && cells[at] < first + bucketCount; at++) {
        rows.push({ token: tokens[at], ...boundsOf(level, cells[at] - first) });
      }
      answers.push({ answers: 'buckets', rows });
    }
    return answers;
  }
}

const planOf = ({ source, tests }: LevelPlan): LevelPlan => ({ source, tests });

/** The answer of a level in each group of the level above; `next`: of the level below in each of its rows. */
function rowsByParent(
  { parents, texts, quantities }: LevelRows,
  groupCount: number,
  next: readonly AggregateAnswer[] | null,
): AggregateAnswer[] {
  const byParent: ValueRow[][] = Array.from({ length: groupCount }, () => []);
  for (let row = 0; row < texts.length; row++) {
    const [value, quantity] = [texts[row], quantities[row]];
    byParent[parents[row]].push({ value, quantity, next: next === null ? null : next[row] });
  }
  return byParent.map((rows) => ({ answers: 'values', rows }));
}
