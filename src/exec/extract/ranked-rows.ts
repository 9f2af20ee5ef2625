/**
 * Finds the first rows of a shard without an order: by the bit-reversed hash of their ID (their rank), then by ID.
 * Three algorithms return the same rows. The walk follows the entity index in rank order; it is used if few entities
 * have to be visited. The gather reads the index block by block of ranks, sequentially and without memory stalls. The
 * collection checks all selected rows, if they are few.
 */
import { reversedBits, SEGMENT_ROWS_MAX } from '../../base/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import type { ShardIds } from '../scan/shard-ids.js';
import { GatheredRows } from './gathered-rows.js';
import { hasBit, rowsOfWords, type SelectedRowBits, WORDS_PER_SEGMENT } from './row-words.js';

/** Entities visited between two cancellation checks. */
const CHECK_EVERY = 8_192;

/** Approximate nanoseconds per entity visited by a walk, and per row collected, with a few million entities. */
const WALK_COST = 100;
const GATHER_COST = 20;
const COLLECT_COST = 150;
/** A block costs at least as much as reading one part of the index, which holds this share of all entities. */
const PART_SHARE = 1 / 64;
const READ_COST = 6;
/**
 * A block has at least this many times the number of entities among which enough rows are expected, plus a constant.
 */
const BLOCK_MARGIN = 1.25;
const BLOCK_ENTITIES_MIN = 64;
const BLOCK_BITS_MAX = 16;
/** Blocks of at most this many bits consist of whole parts of the index. */
const PART_BITS = 6;

/** The position of a row in the order. */
export interface RankedPosition {
  readonly rank: number;
  readonly id: Uint8Array;
}

/** The start, end and size of a page of an extraction without an order. */
export interface RankedPage {
  readonly limit: number;
  /** Rows up to and including this position are left out. */
  readonly after: RankedPosition | null;
  /** Rows after this position may be omitted. */
  readonly until: RankedPosition | null;
}

/** The first of the selected rows, in order, by the cheapest algorithm. Throws 9005 and 9006. */
export function rankedRows(
  shard: DimensionShard,
  selected: SelectedRowBits,
  ids: ShardIds,
  page: RankedPage,
  run: QueryRun,
): Uint32Array {
  const { entityCount } = shard;
  const met = expectedEntities(page.limit, selected.count, entityCount);
  switch (cheapestAlgorithm(met, selected.count, entityCount)) {
    case 'walk':
      return walkRows(shard, selected.words, ids, page, run);
    case 'gather':
      return gatherRankedRows(shard, selected.words, ids, page, blockBits(met, entityCount), run);
    default:
      return collectRows(shard, selected, ids, page, run);
  }
}

/** The number of entities of the shard among which `limit` of the `count` selected ones are expected. */
export function expectedEntities(limit: number, count: number, entityCount: number): number {
  return count <= limit ? entityCount : (limit * entityCount) / count;
}

export function cheapestAlgorithm(
  met: number,
  count: number,
  entityCount: number,
): 'walk' | 'gather' | 'collect' {
  const walk = met * WALK_COST;
  const gather = Math.max(met * GATHER_COST, entityCount * PART_SHARE * READ_COST);
  const collect = count * COLLECT_COST;
  if (collect <= walk && collect <= gather) return 'collect';
  return walk <= gather ? 'walk' : 'gather';
}

/**
 * The number of leading rank bits that the entities of a block share, chosen so that the block has somewhat more than
 * `met` of the entities.
 */
export function blockBits(met: number, entityCount: number): number {
  const wanted = met * BLOCK_MARGIN + BLOCK_ENTITIES_MIN;
  const bits = Math.floor(Math.log2(entityCount / wanted));
  return Math.min(BLOCK_BITS_MAX, Math.max(0, bits));
}

/** The start and end of a page among a shard's rows. */
class PageEdges {
  readonly fromRank: number;
  readonly toRank: number;
  readonly #ids: ShardIds;
  readonly #after: Uint8Array | null;
  readonly #until: Uint8Array | null;

  constructor({ after, until }: RankedPage, ids: ShardIds) {
    this.#ids = ids;
    this.fromRank = after?.rank ?? 0;
    this.toRank = until?.rank ?? 0xffffffff;
    this.#after = after?.id ?? null;
    this.#until = until?.id ?? null;
  }

  /** Whether the row, whose rank is at least `fromRank`, is before the page. */
  isBefore(row: number, rank: number): boolean {
    return rank === this.fromRank && this.#after !== null && this.#ids.compareWith(row, this.#after) <= 0;
  }

  isBehind(row: number, rank: number): boolean {
    if (rank !== this.toRank) return rank > this.toRank;
    return this.#until !== null && this.#ids.compareWith(row, this.#until) >= 0;
  }

  /** Adds the gathered rows of the page, up to `limit`; returns whether the page ended with them. */
  takeInOrder(gathered: GatheredRows, limit: number, rows: number[]): boolean {
    for (const [rank, row] of gathered.inOrder(this.#ids)) {
      if (this.isBefore(row, rank)) continue;
      if (this.isBehind(row, rank) || rows.push(row) === limit) return true;
    }
    return false;
  }
}

/** Walks the entity index; `words` null = all living entities. Rows are in order. Throws 9005. */
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
 * Reads the entity index block by block; the ranks of the first block share `bits` leading bits. `words` null = all
 * living entities. Rows are in order. Throws 9005 and 9006.
 */
export function gatherRankedRows(
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
    if (edges.takeInOrder(gathered, page.limit, rows)) return Uint32Array.from(rows);
    block++;
    // The block was too small. Larger blocks reduce their number, wherever the rows are.
    if (bits > PART_BITS && block % 2 === 0) {
      block /= 2;
      bits--;
    }
  }
  return Uint32Array.from(rows);
}

/** Number of ranks of a block that shares `bits` leading bits. */
const blockRanks = (bits: number): number => 2 ** (32 - bits);

/** Checks every selected row. Rows are in order. Throws 9005 and 9006. */
export function collectRows(
  shard: DimensionShard,
  { words, count }: SelectedRowBits,
  ids: ShardIds,
  page: RankedPage,
  run: QueryRun,
): Uint32Array {
  const edges = new PageEdges(page, ids);
  const gathered = new GatheredRows(run);
  const take = (row: number): void => {
    const rank = ids.rank(row);
    if (rank >= edges.fromRank && rank <= edges.toRank) gathered.add(rank, row);
  };
  const segmentRows = new Uint32Array(Math.min(count, SEGMENT_ROWS_MAX));
  for (let index = 0; index < shard.segments.length; index++) {
    run.check();
    const first = index * SEGMENT_ROWS_MAX;
    if (words === null) {
      const end = first + shard.segments[index].rowCount;
      for (let row = first; row < end; row++) if (!shard.isDead(row)) take(row);
    } else {
      const from = index * WORDS_PER_SEGMENT;
      const to = Math.min(words.length, from + WORDS_PER_SEGMENT);
      const count = rowsOfWords(words, from, to, segmentRows);
      for (let at = 0; at < count; at++) take(segmentRows[at]);
    }
  }
  const rows: number[] = [];
  edges.takeInOrder(gathered, page.limit, rows);
  return Uint32Array.from(rows);
}
