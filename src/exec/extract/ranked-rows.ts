/**
 * The first rows of a shard without an order: by the hash of their ID with its bits reversed (their rank), then by ID.
 * Three ways give the same rows: the entity index is walked in that order where few entities are met before there are
 * enough rows; or read block by block of ranks, from end to end and without waiting for memory; or the selected rows, if
 * they are few, are all looked at.
 */
import { reversedBits } from '../../base/index.js';
import { type RowPosition, rankOfId } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { GatheredRows } from './gathered-rows.js';
import { offerRows } from './ordered-rows.js';
import { hasBit, type SelectedRows } from './row-words.js';
import { RankKey, type ShardIds } from './shard-ids.js';
import { ShardOrder } from './shard-order.js';
import { TopRows } from './top-rows.js';

/** Entities visited between two looks at whether somebody still waits. */
const CHECK_EVERY = 8_192;

/** About how many nanoseconds an entity costs that is met on the way, or a row that is collected, of some millions. */
const WALK_COST = 100;
const GATHER_COST = 20;
const COLLECT_COST = 150;
/** A block costs at least the reading of a part of the index, which holds this share of all entities. */
const PART_SHARE = 1 / 64;
const READ_COST = 6;
/** How many times the entities among which enough rows are expected a block has at least, and some. */
const BLOCK_MARGIN = 1.25;
const BLOCK_ENTITIES_MIN = 64;
const BLOCK_BITS_MAX = 16;
/** Blocks of so many bits or fewer are whole parts of the index. */
const PART_BITS = 6;

/** Where rows of an extraction without an order begin and end, and how many. */
export interface RankedPage {
  readonly limit: number;
  readonly after: RowPosition | null;
  /** Rows behind this one do not matter. */
  readonly until: RowPosition | null;
}

/** The first of the selected rows, the way that costs least. In order. Throws 9005 and 9006. */
export function rankedRows(
  shard: DimensionShard,
  selected: SelectedRows,
  ids: ShardIds,
  page: RankedPage,
  run: QueryRun,
): Uint32Array {
  const { entityCount } = shard;
  const met = entitiesMet(page.limit, selected.count, entityCount);
  switch (cheapestWay(met, selected.count, entityCount)) {
    case 'walk':
      return walkRows(shard, selected.words, ids, page, run);
    case 'gather':
      return gatherRows(shard, selected.words, ids, page, blockBits(met, entityCount), run);
    default:
      return collectRows(shard, selected, ids, page, run);
  }
}

/** Entities of the shard among which `limit` of the `count` selected ones are expected. */
export function entitiesMet(limit: number, count: number, entityCount: number): number {
  return count <= limit ? entityCount : (limit * entityCount) / count;
}

export function cheapestWay(met: number, count: number, entityCount: number): 'walk' | 'gather' | 'collect' {
  const walk = met * WALK_COST;
  const gather = Math.max(met * GATHER_COST, entityCount * PART_SHARE * READ_COST);
  const collect = count * COLLECT_COST;
  if (collect <= walk && collect <= gather) return 'collect';
  return walk <= gather ? 'walk' : 'gather';
}

/** The ranks' leading bits that a block shares, so that it has some more than `met` of the entities. */
export function blockBits(met: number, entityCount: number): number {
  const wanted = met * BLOCK_MARGIN + BLOCK_ENTITIES_MIN;
  const bits = Math.floor(Math.log2(entityCount / wanted));
  return Math.min(BLOCK_BITS_MAX, Math.max(0, bits));
}

/** Where a page begins and ends among a shard's rows. */
class PageEdges {
  readonly fromRank: number;
  readonly toRank: number;
  readonly #ids: ShardIds;
  readonly #after: Uint8Array | null;
  readonly #until: Uint8Array | null;

  constructor({ after, until }: RankedPage, ids: ShardIds) {
    this.#ids = ids;
    this.fromRank = after === null ? 0 : rankOfId(after.id);
    this.toRank = until === null ? 0xffffffff : rankOfId(until.id);
    this.#after = after === null ? null : Buffer.from(after.id, 'utf8');
    this.#until = until === null ? null : Buffer.from(until.id, 'utf8');
  }

  /** Of a row of rank `fromRank` or more. */
  isBefore(row: number, rank: number): boolean {
    return rank === this.fromRank && this.#after !== null && this.#ids.compareWith(row, this.#after) <= 0;
  }

  isBehind(row: number, rank: number): boolean {
    if (rank !== this.toRank) return rank > this.toRank;
    return this.#until !== null && this.#ids.compareWith(row, this.#until) >= 0;
  }
}

/** By a walk of the entity index; `words` null = all living entities. In order. Throws 9005. */
export function walkRows(
  shard: DimensionShard,
  words: Uint32Array | null,
  ids: ShardIds,
  page: RankedPage,
  run: QueryRun,
): Uint32Array {
  const edges = new PageEdges(page, ids);
  const rows: number[] = [];
  let steps = 0;
  shard.scan(reversedBits(edges.fromRank), (row, hash) => {
    if (++steps % CHECK_EVERY === 0) run.check();
    const rank = reversedBits(hash);
    if (rank > edges.toRank) return false;
    if (words !== null && !hasBit(words, row)) return true;
    if (edges.isBefore(row, rank)) return true;
    if (edges.isBehind(row, rank)) return false;
    return rows.push(row) < page.limit;
  });
  return Uint32Array.from(rows);
}

/**
 * By reading the entity index block by block, the first of them of ranks that share so many leading bits; `words` null =
 * all living entities. In order. Throws 9005 and 9006.
 */
export function gatherRows(
  shard: DimensionShard,
  words: Uint32Array | null,
  ids: ShardIds,
  page: RankedPage,
  firstBits: number,
  run: QueryRun,
): Uint32Array {
  const edges = new PageEdges(page, ids);
  const gathered = new GatheredRows(run);
  const rows: number[] = [];
  let bits = firstBits;
  let block = Math.floor(edges.fromRank / blockRanks(bits));
  while (block * blockRanks(bits) <= edges.toRank) {
    run.check();
    gathered.clear();
    shard.gather(bits, reversedBits(block * blockRanks(bits)), words, (row, hash) => {
      const rank = reversedBits(hash);
      if (rank >= edges.fromRank && rank <= edges.toRank) gathered.add(rank, row);
    });
    for (const [rank, row] of gathered.inOrder(ids)) {
      if (edges.isBefore(row, rank)) continue;
      if (edges.isBehind(row, rank) || rows.push(row) === page.limit) return Uint32Array.from(rows);
    }
    block++;
    // That was too little: larger blocks, so that few are needed wherever the rows are.
    if (bits > PART_BITS && block % 2 === 0) {
      block /= 2;
      bits--;
    }
  }
  return Uint32Array.from(rows);
}

/** Ranks of a block that shares so many leading bits. */
const blockRanks = (bits: number): number => 2 ** (32 - bits);

/** By looking at every selected row. In order. Throws 9005 and 9006. */
export function collectRows(
  shard: DimensionShard,
  selected: SelectedRows,
  ids: ShardIds,
  { limit, after, until }: RankedPage,
  run: QueryRun,
): Uint32Array {
  const order = new ShardOrder([new RankKey(ids)], [], ids);
  const [from, to] = [after, until].map((position) => (position === null ? null : order.bound(position)));
  const top = new TopRows(order, Math.min(limit, selected.count), from, to);
  offerRows(shard, selected, order, top, run);
  return top.rows();
}
