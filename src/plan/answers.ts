/** Builds the result of an aggregation: a level or a metric in each group of the level above, in slices. */
import { inSlices, type Task } from '../base/index.js';
import type { AggregateAnswer, BucketRow, MetricLevel, ValueRow } from '../ir/index.js';
import { boundsOf, bucketCountOf, type GroupMetrics } from './group-metrics.js';
import { tokenOfNothing } from './metric-token.js';
import type { LevelRows } from './top-values.js';

/**
 * The result of a level in each group of the level above; `next`: the result of the level below in each of its rows.
 */
export function* levelAnswers(
  { parents, texts, quantities }: LevelRows,
  groupCount: number,
  next: readonly AggregateAnswer[] | null,
): Task<AggregateAnswer[]> {
  const byGroup = yield* lists<ValueRow>(groupCount);
  yield* inSlices(texts.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const [value, quantity] = [texts[row], quantities[row]];
      byGroup[parents[row]].push({ value, quantity, next: next === null ? null : next[row] });
    }
  });
  return yield* each(byGroup, (rows) => ({ answers: 'values', rows }));
}

/** The result of a metric in each group of the last level. */
export function metricAnswers(
  level: MetricLevel,
  found: GroupMetrics,
  groupCount: number,
): Task<AggregateAnswer[]> {
  return level.buckets === null
    ? tokenAnswers(level, found, groupCount)
    : bucketAnswers(level, found, groupCount);
}

function* tokenAnswers(
  level: MetricLevel,
  { groupKeys, tokens }: GroupMetrics,
  groupCount: number,
): Task<AggregateAnswer[]> {
  const nothing = tokenOfNothing(level.metric, level);
  const answers: AggregateAnswer[] = [];
  let at = 0;
  yield* inSlices(groupCount, (from, to) => {
    for (let group = from; group < to; group++) {
      const token = groupKeys[at] === group ? tokens[at++] : nothing;
      answers.push({ answers: 'metric', token });
    }
  });
  return answers;
}

function* bucketAnswers(
  level: MetricLevel,
  { groupKeys, tokens }: GroupMetrics,
  groupCount: number,
): Task<AggregateAnswer[]> {
  const bucketCount = bucketCountOf(level);
  const byGroup = yield* lists<BucketRow>(groupCount);
  yield* inSlices(groupKeys.length, (from, to) => {
    for (let at = from; at < to; at++) {
      const group = Math.floor(groupKeys[at] / bucketCount);
      const bounds = boundsOf(level, groupKeys[at] - group * bucketCount);
      byGroup[group].push({ token: tokens[at], ...bounds });
    }
  });
  return yield* each(byGroup, (rows) => ({ answers: 'buckets', rows }));
}

function* lists<T>(count: number): Task<T[][]> {
  const made: T[][] = [];
  yield* inSlices(count, (from, to) => {
    for (let index = from; index < to; index++) made.push([]);
  });
  return made;
}

function* each<T>(items: readonly T[], answerOf: (item: T) => AggregateAnswer): Task<AggregateAnswer[]> {
  const answers: AggregateAnswer[] = [];
  yield* inSlices(items.length, (from, to) => {
    for (let index = from; index < to; index++) answers.push(answerOf(items[index]));
  });
  return answers;
}
