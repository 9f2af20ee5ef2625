/** Merges a metric's round in slices: a token for every nonempty group. */
import {
  inSlices,
  invariant,
  type MemoryAccount,
  QuarryError,
  SLICE_TEXTS,
  type Task,
} from '../base/index.js';
import type { MetricLevel, RoundPartial, SlotStatistics, ValueCounts } from '../ir/index.js';
import { bucketCount, bucketNumber, bucketStart } from '../schema/index.js';
import { type GroupRuns, groupRuns } from './group-runs.js';
import { betweenToken, type Fraction, QUANTILES, quantilePosition, tokenOfMoments } from './metric-token.js';
import { eachMoments } from './moment-merge.js';
import { checkRowCount } from './top-values.js';
import { integerAt } from './value-lists.js';
import { mergeCounts, presentEntries } from './value-merge.js';
import { RankFinder } from './weighted-rank.js';

/** The keys of the nonempty groups, ascending, and the metric of each. */
export interface GroupMetrics {
  readonly groupKeys: readonly number[];
  readonly tokens: readonly string[];
}

export const NO_GROUP_METRICS: GroupMetrics = { groupKeys: [], tokens: [] };

/** Group keys are u32. */
const GROUP_KEYS_MAX = 2 ** 32;
/** Approximate bytes of a token. */
const TOKEN_BYTES = 100;

/** Number of buckets of a metric's level; 1 without a histogram. */
export function bucketCountOf({ buckets, source }: MetricLevel): number {
  if (buckets === null) return 1;
  if (buckets.by === 'windows') return Math.max(1, buckets.windows.length);
  invariant(source.from === 'events', 'only events have dates');
  return Math.max(1, bucketCount(buckets.interval, source.window.from, source.window.to));
}

/** Number of group keys of a round: bucket b of group g has key g x buckets + b. Throws 9006 if u32 cannot hold them. */
export function groupKeyCountOf(level: MetricLevel, groupCount: number): number {
  const keyCount = groupCount * bucketCountOf(level);
  if (keyCount >= GROUP_KEYS_MAX) throw new QuarryError(9006, `the query has ${keyCount} groups by buckets`);
  return keyCount;
}

/** The start and end of a bucket in seconds, by the calendar or the query's windows. */
export function boundsOf({ buckets, source }: MetricLevel, bucket: number): { from: number; to: number } {
  invariant(buckets !== null && source.from === 'events', 'a histogram cuts the dates of events');
  if (buckets.by === 'windows') {
    const { from, to } = buckets.windows[bucket];
    return { from, to };
  }
  const number = bucketNumber(buckets.interval, source.window.from) + bucket;
  return { from: bucketStart(buckets.interval, number), to: bucketStart(buckets.interval, number + 1) };
}

/** The metric of every nonempty group whose key is below `groupKeyCount`. Throws 9006. */
export function* groupMetrics(
  level: MetricLevel,
  partials: readonly RoundPartial[],
  groupKeyCount: number,
  rowsBefore: number,
  budget: MemoryAccount,
): Task<GroupMetrics> {
  const groupKeys: number[] = [];
  const tokens: string[] = [];
  const put = (groupKey: number, token: string): void => {
    invariant(groupKey < groupKeyCount, 'a shard returns only requested groups');
    if (level.buckets !== null) checkRowCount(rowsBefore + groupKeys.length + 1);
    budget.reserve(TOKEN_BYTES);
    groupKeys.push(groupKey);
    tokens.push(token);
  };
  const moments = partials.filter((partial): partial is SlotStatistics => partial.answers === 'moments');
  const values = partials.filter((partial): partial is ValueCounts => partial.answers === 'values');
  yield* eachMoments(moments, budget, (groupKey, found) =>
    put(groupKey, tokenOfMoments(level.metric, level, found)),
  );
  yield* eachOfValues(level, yield* mergeCounts(values, budget), budget, put);
  return { groupKeys, tokens };
}

/** Yields the token of every group of a table of values. */
function* eachOfValues(
  level: MetricLevel,
  counted: ValueCounts | null,
  budget: MemoryAccount,
  put: (groupKey: number, token: string) => void,
): Task<void> {
  if (counted === null) return;
  const runs = yield* groupRuns(counted.groupKeys, yield* presentEntries(counted.counts, budget), budget);
  const quantile = QUANTILES[level.metric];
  if (quantile !== undefined) {
    yield* eachQuantile(level, quantile, counted, runs, budget, put);
    return;
  }
  const { groupKeys, starts } = runs;
  yield* inSlices(groupKeys.length, (from, to) => {
    for (let run = from; run < to; run++) put(groupKeys[run], String(starts[run + 1] - starts[run]));
  });
}

function* eachQuantile(
  level: MetricLevel,
  quantile: Fraction,
  { values, counts }: ValueCounts,
  { groupKeys, starts, order }: GroupRuns,
  budget: MemoryAccount,
  put: (groupKey: number, token: string) => void,
): Task<void> {
  invariant(values.kind === 'i64', 'only numbers have quantiles');
  const { words } = values;
  budget.reserve(order.length * 4);
  const finder = new RankFinder({ words, counts }, order.length);
  for (let run = 0, left = SLICE_TEXTS; run < groupKeys.length; run++) {
    const set = order.subarray(starts[run], starts[run + 1]);
    const position = quantilePosition(quantile, yield* finder.weightOf(set));
    const [low, high] = yield* finder.pairAt(set, position.rank);
    put(groupKeys[run], betweenToken(level, integerAt(words, low), integerAt(words, high), position));
    left -= set.length;
    if (left > 0) continue;
    left = SLICE_TEXTS;
    yield;
  }
}
