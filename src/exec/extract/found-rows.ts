/**
 * Finds the first rows of an extraction in one dimension's shard, without their values. Each kind of order has its own
 * algorithm.
 */
import {
  type Condition,
  type ExtractPlan,
  type NearPlan,
  type RowPosition,
  ranksById,
} from '../../ir/index.js';
import type { Point } from '../../schema/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import { EntitySelection } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import { DistanceKey, type NearAttribute, type NearestPoint } from './distance-key.js';
import { EventDistanceKey, type NearEvents, NearestEvents, nearestEventsOf } from './nearest-events.js';
import { offerRows } from './ordered-rows.js';
import { rankedRows } from './ranked-rows.js';
import { copyWords, type SelectedRowBits, selectedRows } from './row-words.js';
import { ScoreKey, scoredRows, scoresOf } from './scores.js';
import { ShardIds } from './shard-ids.js';
import { orderKeys, type RowBound, ShardOrder } from './shard-order.js';
import type { RowSortKey } from './sort-key.js';
import { TopRows } from './top-rows.js';

export interface FoundRow {
  readonly shard: DimensionShard;
  readonly row: number;
  readonly position: RowPosition;
  readonly nearest: Point | null;
}

/** The parameters of the search in one shard. */
interface RowSearch {
  readonly shard: DimensionShard;
  readonly plan: ExtractPlan;
  /** Rows after this position may be omitted. */
  readonly until: RowPosition | null;
  readonly scratch: Arena;
  readonly run: QueryRun;
  readonly ids: ShardIds;
}

const NEAREST_BYTES = 96;
const ROW_BYTES = 12;

/**
 * Returns at most plan.limit rows in the plan's order; rows after `until` may be omitted. The memory it reserves
 * may be released once the rows were returned. Throws 9005 and 9006.
 */
export function findFirstRows(
  shard: DimensionShard,
  plan: ExtractPlan,
  until: RowPosition | null,
  scratch: Arena,
  run: QueryRun,
): FoundRow[] {
  const search = { shard, plan, until, scratch, run, ids: new ShardIds(shard) };
  run.check();
  run.reserve(plan.limit * 2 * ROW_BYTES);
  if (plan.scored !== null) return byScore(search, plan.scored);
  if (plan.near?.from === 'attribute') return byDistance(search, plan.near);
  if (plan.near?.from === 'events') return byEvents(search, plan.near);
  return ranksById(plan) ? byRank(search) : byOrder(search);
}

/** Calls `use` with the rows that satisfy a condition and returns its result. */
function withSelection<T>(
  { shard, scratch, run }: RowSearch,
  condition: Condition | null,
  use: (selection: EntitySelection) => T,
): T {
  const selection = new EntitySelection(shard, condition, scratch, run);
  try {
    return use(selection);
  } finally {
    selection.release();
  }
}

const select = (search: RowSearch, condition: Condition | null): SelectedRowBits =>
  withSelection(search, condition, (selection) => selectedRows(search.shard, selection, search.run));

function byRank(search: RowSearch): FoundRow[] {
  const { shard, plan, until, run, ids } = search;
  const page = { limit: plan.limit, after: plan.after, until };
  // The index contains only living entities.
  const selected =
    plan.condition === null ? { words: null, count: shard.entityCount } : select(search, plan.condition);
  const rows = rankedRows(shard, selected, ids, page, run);
  return Array.from(rows, (row) => ({
    shard,
    row,
    position: { id: ids.text(row), score: 0, distanceKm: 0, values: [] },
    nearest: null,
  }));
}

/** The order by `leading` and the plan's keys, for `rowCount` rows; scored rows are ordered by their score alone. */
function orderOf(
  { shard, plan, ids, run }: RowSearch,
  leading: RowSortKey | null,
  rowCount: number,
): ShardOrder {
  // Later keys decide few rows, so the cost of ranks would exceed their benefit.
  const keys = orderKeys(shard, ids, plan.order, leading === null ? rowCount : 0, run);
  if (leading === null) return new ShardOrder(keys, keys, ids);
  return new ShardOrder(plan.scored === null ? [leading, ...keys] : [leading], keys, ids);
}

const boundOf = (order: ShardOrder, position: RowPosition | null): RowBound | null =>
  position === null ? null : order.bound(position);

/** The first of the selected rows. */
function topOf(
  { shard, plan, until, run }: RowSearch,
  order: ShardOrder,
  selected: SelectedRowBits,
): Uint32Array {
  const limit = Math.min(plan.limit, selected.count);
  const top = new TopRows(order, limit, boundOf(order, plan.after), boundOf(order, until));
  offerRows(shard, selected, order, top, run);
  return top.rows();
}

/** The rows with their positions; `nearest` undefined = without a distance. */
function withPositions(
  { shard, ids }: RowSearch,
  order: ShardOrder,
  rows: Uint32Array,
  scoreOf: (row: number) => number,
  nearestOf: (row: number) => NearestPoint | undefined,
): FoundRow[] {
  return Array.from(rows, (row) => {
    const nearest = nearestOf(row);
    const position = {
      id: ids.text(row),
      score: scoreOf(row),
      distanceKm: nearest?.distanceKm ?? 0,
      values: order.values(row),
    };
    if (nearest === undefined) return { shard, row, position, nearest: null };
    const { longitude, latitude } = nearest;
    return { shard, row, position, nearest: { longitude, latitude } };
  });
}

const noScore = (): number => 0;
const noPoint = (): undefined => undefined;

function byOrder(search: RowSearch): FoundRow[] {
  const selected = select(search, search.plan.condition);
  const order = orderOf(search, null, selected.count);
  return withPositions(search, order, topOf(search, order, selected), noScore, noPoint);
}

function byScore(search: RowSearch, conditions: readonly Condition[]): FoundRow[] {
  const { shard, plan, scratch, run } = search;
  const scores = scoresOf(shard, conditions, scratch, run);
  const selected = withSelection(search, plan.condition, (selection) =>
    scoredRows(shard, selection, scores, run),
  );
  const order = orderOf(search, new ScoreKey(scores), selected.count);
  const rows = topOf(search, order, selected);
  return withPositions(search, order, rows, (row) => scores[row], nearestOfRows(search, plan.near, rows));
}

/** Returns the nearest point of each of some rows. */
function nearestOfRows(
  { shard, run }: RowSearch,
  near: NearPlan | null,
  rows: Uint32Array,
): (row: number) => NearestPoint | undefined {
  if (near === null) return noPoint;
  if (near.from === 'attribute') {
    const key = new DistanceKey(shard, near, run);
    return (row) => key.nearest(row);
  }
  run.reserve(rows.length * NEAREST_BYTES);
  const nearest = nearestEventsOf(shard, near, rows, run);
  return (row) => nearest.get(row);
}

function byDistance(search: RowSearch, near: NearAttribute): FoundRow[] {
  const { shard, plan, run } = search;
  const hasPoint: Condition = { op: 'attribute', columnId: near.columnId, tests: near.tests };
  const condition: Condition =
    plan.condition === null ? hasPoint : { op: 'and', members: [plan.condition, hasPoint] };
  const selected = select(search, condition);
  const key = new DistanceKey(shard, near, run);
  const order = orderOf(search, key, selected.count);
  return withPositions(search, order, topOf(search, order, selected), noScore, (row) => key.nearest(row));
}

function byEvents(search: RowSearch, near: NearEvents): FoundRow[] {
  const { shard, plan, until, run } = search;
  run.reserve(plan.limit * 2 * NEAREST_BYTES);
  const eligible = copyWords(shard, select(search, plan.condition), run);
  const nearest = new NearestEvents(
    (distances) => orderOf(search, new EventDistanceKey(distances), 0),
    plan.limit,
    eligible,
    until?.distanceKm ?? Number.POSITIVE_INFINITY,
  );
  const rows = nearest.search(shard, near, boundOf(nearest.order, plan.after), run);
  return withPositions(search, nearest.order, rows, noScore, (row) => nearest.nearest.get(row));
}
