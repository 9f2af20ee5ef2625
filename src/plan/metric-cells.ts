/** Merges a metric's round in slices: a token for every non-empty cell. */
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
import { type CellRuns, cellRuns } from './cell-runs.js';
import { betweenToken, type Fraction, QUANTILES, quantilePosition, tokenOfMoments } from './metric-token.js';
import { eachMoments } from './moment-merge.js';
import { checkRowCount } from './top-values.js';
import { integerAt } from './value-lists.js';
import { mergeCounts, presentEntries } from './value-merge.js';
import { RankFinder } from './weighted-rank.js';

/** The non-empty cells, ascending, and the metric of each. */
export interface MetricCells {
  readonly cells: readonly number[];
  readonly tokens: readonly string[];
}

export const NO_CELLS: MetricCells = { cells: [], tokens: [] };

/** Cells are numbered by u32. */
const CELLS_MAX = 2 ** 32;
/** Approximate bytes of a token. */
const TOKEN_BYTES = 100;

/** Number of buckets of a metric's level; 1 without a histogram. */
export function bucketCountOf({ buckets, source }: MetricLevel): number {
  if (buckets === null) return 1;
  if (buckets.by === 'windows') return Math.max(1, buckets.windows.length);
  invariant(source.from === 'events', 'only events have dates');
  return Math.max(1, bucketCount(buckets.interval, source.window.from, source.window.to));
}

/** Number of cells of a round: bucket b of group g is cell g x buckets + b. Throws 9006 if they cannot be numbered. */
export function cellsOf(level: MetricLevel, groupCount: number): number {
  const cells = groupCount * bucketCountOf(level);
  if (cells >= CELLS_MAX) throw new QuarryError(9006, `the query has ${cells} groups by buckets`);
  return cells;
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

/** The metric of every non-empty cell below `cellCount`. Throws 9006. */
export function* metricCells(
  level: MetricLevel,
  partials: readonly RoundPartial[],
  cellCount: number,
  rowsBefore: number,
  budget: MemoryAccount,
): Task<MetricCells> {
  const cells: number[] = [];
  const tokens: string[] = [];
  const put = (cell: number, token: string): void => {
    invariant(cell < cellCount, 'a shard returns only requested groups');
    if (level.buckets !== null) checkRowCount(rowsBefore + cells.length + 1);
    budget.reserve(TOKEN_BYTES);
    cells.push(cell);
    tokens.push(token);
  };
  const moments = partials.filter((partial): partial is SlotStatistics => partial.answers === 'moments');
  const values = partials.filter((partial): partial is ValueCounts => partial.answers === 'values');
  yield* eachMoments(moments, budget, (cell, found) => put(cell, tokenOfMoments(level.metric, level, found)));
  yield* eachOfValues(level, yield* mergeCounts(values, budget), budget, put);
  return { cells, tokens };
}

/** Yields the token of every cell of a table of values. */
function* eachOfValues(
  level: MetricLevel,
  counted: ValueCounts | null,
  budget: MemoryAccount,
  put: (cell: number, token: string) => void,
): Task<void> {
  if (counted === null) return;
  const runs = yield* cellRuns(counted.cells, yield* presentEntries(counted.counts, budget), budget);
  const quantile = QUANTILES[level.metric];
  if (quantile !== undefined) {
    yield* eachQuantile(level, quantile, counted, runs, budget, put);
    return;
  }
  const { cells, starts } = runs;
  yield* inSlices(cells.length, (from, to) => {
    for (let run = from; run < to; run++) put(cells[run], String(starts[run + 1] - starts[run]));
  });
}

function* eachQuantile(
  level: MetricLevel,
  quantile: Fraction,
  { values, counts }: ValueCounts,
  { cells, starts, order }: CellRuns,
  budget: MemoryAccount,
  put: (cell: number, token: string) => void,
): Task<void> {
  invariant(values.kind === 'i64', 'only numbers have quantiles');
  const { words } = values;
  budget.reserve(order.length * 4);
  const finder = new RankFinder({ words, counts }, order.length);
  for (let run = 0, left = SLICE_TEXTS; run < cells.length; run++) {
    const set = order.subarray(starts[run], starts[run + 1]);
    const position = quantilePosition(quantile, yield* finder.weightOf(set));
    const [low, high] = yield* finder.pairAt(set, position.rank);
    put(cells[run], betweenToken(level, integerAt(words, low), integerAt(words, high), position));
    left -= set.length;
    if (left > 0) continue;
    left = SLICE_TEXTS;
    yield;
  }
}
