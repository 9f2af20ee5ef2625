/**
 * The first rows of a shard without an order: by the hash of their ID with its bits reversed, then by ID. The entity
 * index is walked in that order, from any place on, while it pays; few rows are collected and put in order instead.
 */
import { reversedBits } from '../../base/index.js';
import { type RowPosition, rankOfId } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { offerRows } from './ordered-rows.js';
import { hasBit, type SelectedRows } from './row-words.js';
import { RankKey, type ShardIds } from './shard-ids.js';
import { ShardOrder } from './shard-order.js';
import { TopRows } from './top-rows.js';

/** Entities visited between two looks at whether somebody still waits. */
const CHECK_EVERY = 8_192;

/** Where rows of an extraction without an order begin and end, and how many. */
export interface RankedPage {
  readonly limit: number;
  readonly after: RowPosition | null;
  /** Rows behind this one do not matter. */
  readonly until: RowPosition | null;
}

/**
 * Whether fewer entities are met on a walk until `limit` of `count` selected ones are found than would be collected.
 * A step of either costs about the same.
 */
export function walkPays(limit: number, count: number, entityCount: number): boolean {
  return count * count > limit * entityCount;
}

/** By way of the entity index; `words` null = all living entities. In order. Throws 9005. */
export function walkRows(
  shard: DimensionShard,
  words: Uint32Array | null,
  ids: ShardIds,
  { limit, after, until }: RankedPage,
  run: QueryRun,
): Uint32Array {
  const rows: number[] = [];
  const [afterId, untilId] = [after, until].map((one) => (one === null ? null : Buffer.from(one.id, 'utf8')));
  const fromRank = after === null ? 0 : rankOfId(after.id);
  const toRank = until === null ? 0xffffffff : rankOfId(until.id);
  let steps = 0;
  shard.scan(reversedBits(fromRank), (row, hash) => {
    if (++steps % CHECK_EVERY === 0) run.check();
    const rank = reversedBits(hash);
    if (rank > toRank) return false;
    if (words !== null && !hasBit(words, row)) return true;
    if (rank === fromRank && afterId !== null && ids.compareWith(row, afterId) <= 0) return true;
    if (rank === toRank && untilId !== null && ids.compareWith(row, untilId) >= 0) return false;
    rows.push(row);
    return rows.length < limit;
  });
  return Uint32Array.from(rows);
}

/** By looking at every selected row. In order. Throws 9005 and 9006. */
export function collectRows(
  shard: DimensionShard,
  selected: SelectedRows,
  ids: ShardIds,
  { limit, after, until }: RankedPage,
  run: QueryRun,
): Uint32Array {
  const order = new ShardOrder(new RankKey(ids), [], ids);
  const [from, to] = [after, until].map((position) => (position === null ? null : order.bound(position)));
  const top = new TopRows(order, limit, from, to);
  offerRows(shard, selected, order, top, run);
  return top.rows();
}
