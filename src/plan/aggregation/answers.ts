/** Builds the result of an aggregation: a level or a metric in each group of the level above, in slices. */
import { inSlices, invariant, type Task } from '../../base/index.js';
import type { AggregateAnswer, BucketRow, MetricLevel, ValueRow } from '../../ir/index.js';
import { bucketNumber, bucketStart } from '../../schema/index.js';
import type { Table } from '../select/table.js';
import { checkRowCount, groupReader, type LevelRows } from './level-rows.js';
import { tokenOf, tokenOfNothing } from './metric-token.js';

/**
 * The result of a level in each group of the level above; `next`: the result of the level below in each of its rows.
 */
export function* levelAnswers(
  { parents, texts, quantities }: LevelRows,
  groupCount: number,
  next: readonly AggregateAnswer[] | null,
): Task<AggregateAnswer[]> {
  const byGroup = lists<ValueRow>(groupCount);
  yield* inSlices(texts.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const [value, quantity] = [texts[row], quantities[row]];
      byGroup[parents[row]].push({ value, quantity, next: next === null ? null : next[row] });
    }
  });
  return byGroup.map((rows) => ({ answers: 'values', rows }));
}

/**
 * The result of a metric in each of the `groupCount` groups of the last level. `table`: the result of metricPlan.
 * `rowsBefore`: number of rows already in the result. Throws 9006.
 */
export function* metricAnswers(
  level: MetricLevel,
  { columns, rowCount }: Table,
  levels: readonly LevelRows[],
  groupCount: number,
  rowsBefore: number,
): Task<AggregateAnswer[]> {
  const groupOf = groupReader(levels, columns);
  const { metric, buckets } = level;
  if (buckets === null) {
    const aggregates = columns.slice(levels.length);
    const nothing = { answers: 'metric', token: tokenOfNothing(metric, level) } as const;
    const answers = new Array<AggregateAnswer>(groupCount).fill(nothing);
    yield* inSlices(rowCount, (from, to) => {
      for (let row = from; row < to; row++) {
        const group = groupOf(row);
        if (group >= 0)
          answers[group] = { answers: 'metric', token: tokenOf(metric, level, aggregates, row) };
      }
    });
    return answers;
  }
  const numbers = columns[levels.length];
  invariant(numbers.kind === 'exact' && numbers.numbers !== null, 'buckets have safe numbers');
  const { numbers: bucketOf } = numbers;
  const aggregates = columns.slice(levels.length + 1);
  const byGroup = lists<BucketRow>(groupCount);
  let bucketRows = 0;
  yield* inSlices(rowCount, (from, to) => {
    for (let row = from; row < to; row++) {
      const group = groupOf(row);
      if (group < 0) continue;
      checkRowCount(rowsBefore + ++bucketRows);
      const token = tokenOf(metric, level, aggregates, row);
      byGroup[group].push({ token, ...boundsOf(level, bucketOf[row]) });
    }
  });
  return byGroup.map((rows) => ({ answers: 'buckets', rows }));
}

/** The start and end of a bucket in seconds, by the calendar or the query's windows. */
function boundsOf({ buckets, source }: MetricLevel, bucket: number): { from: number; to: number } {
  invariant(buckets !== null && source.from === 'events', 'a histogram cuts the dates of events');
  if (buckets.by === 'windows') {
    const { from, to } = buckets.windows[bucket];
    return { from, to };
  }
  if (buckets.by === 'periods') return { from: buckets.starts[bucket], to: buckets.starts[bucket + 1] };
  const number = bucketNumber(buckets.interval, source.window.from) + bucket;
  return { from: bucketStart(buckets.interval, number), to: bucketStart(buckets.interval, number + 1) };
}

const lists = <T>(count: number): T[][] => Array.from({ length: count }, () => []);
