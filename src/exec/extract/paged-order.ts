/**
 * Finds the rows of a plan page by page, where the first rows of a shard are found without sorting all of them: in the order
 * of the ranks of IDs, or of the nearest events. Each shard returns its first rows after the last page.
 */
import { type IsOver, invariant } from '../../base/index.js';
import type { ExtractInput, SelectPlan } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { ShardIds } from '../scan/shard-ids.js';
import type { ShardRows } from '../scan/shard-rows.js';
import type { WorkerShards } from '../scan/worker-shards.js';
import type { OpenShards, Order, RowOrder } from '../sort/row-order.js';
import { NEAREST_BYTES, NearestEvents } from './nearest-events.js';
import { rankedRows } from './ranked-rows.js';
import { countBits, fillWords, newWords, type SelectedRowBits, WORDS_PER_SEGMENT } from './row-words.js';

/** Bytes of a found row besides the characters of its ID. */
const FOUND_BYTES = 96;

/** The position of a row in the order: by number, then by ID. */
interface Position {
  readonly number: number;
  readonly id: Uint8Array;
}

interface FoundRow {
  /** Index of the shard. */
  readonly shard: number;
  readonly row: number;
  readonly number: number;
}

/** What determines the order: the first key of the plan, followed by the ID. */
type Leading = Extract<ExtractInput, { readonly from: 'rank' | 'nearest' }>;

/** A shard that is searched. */
interface SearchedShard {
  readonly dimension: DimensionShard;
  readonly rows: ShardRows;
  readonly ids: ShardIds;
  /** The rows that satisfy the condition; null = all. */
  readonly selected: Uint8Array | null;
}

export class PagedOrder implements RowOrder {
  readonly #workerShards: WorkerShards;
  readonly #open: OpenShards;
  readonly #leading: Leading;
  readonly #memory: QueryRun;
  readonly #shards: SearchedShard[] = [];
  #after: Position | null;
  #left: number;

  /** Returns null if the plan has another order. `release` must be called at the end. */
  static of(workerShards: WorkerShards, open: OpenShards): PagedOrder | null {
    const { plan } = workerShards;
    const leading = leadingOf(plan);
    if (leading === null || plan.filter !== null || plan.joins.length > 0) return null;
    return new PagedOrder(workerShards, open, leading);
  }

  private constructor(workerShards: WorkerShards, open: OpenShards, leading: Leading) {
    const { plan, run } = workerShards;
    this.#workerShards = workerShards;
    this.#open = open;
    this.#leading = leading;
    this.#memory = run.child();
    this.#after = positionOf(plan);
    this.#left = plan.limit === null ? Number.POSITIVE_INFINITY : plan.offset + plan.limit;
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  /** Finds at most `rowCount` rows in one go. Throws 9005, 9006. */
  next(rowCount: number, _isOver: IsOver): Order {
    const limit = Math.min(rowCount, this.#left);
    this.#memory.releaseAll();
    let first: FoundRow[] = [];
    for (let index = 0; limit > 0 && index < this.#workerShards.all.length; index++) {
      const until = first.length < limit ? null : this.#positionOf(first[limit - 1]);
      const found = this.#find(index, limit, until);
      this.#memory.reserve(found.length * FOUND_BYTES);
      first = this.#merged(first, found, limit);
    }
    this.#left = first.length < limit ? 0 : this.#left - first.length;
    const last = first.at(-1);
    if (last !== undefined) this.#after = this.#positionOf(last);
    return {
      shards: Uint32Array.from(first, ({ shard }) => shard),
      rows: Uint32Array.from(first, ({ row }) => row),
    };
  }

  /** The first rows of a shard after the last page; rows after `until` may be omitted. */
  #find(index: number, limit: number, until: Position | null): FoundRow[] {
    const shard = this.#shardAt(index);
    const { run } = this.#workerShards;
    const before = run.reservedBytes;
    try {
      return this.#leading.from === 'rank'
        ? this.#findByRank(index, shard, limit, until)
        : this.#findByEvents(index, shard, limit, until);
    } finally {
      run.release(run.reservedBytes - before);
    }
  }

  #shardAt(index: number): SearchedShard {
    if (this.#shards.length === index) {
      const { dimension } = this.#workerShards.all[index];
      const rows = this.#open.at(index);
      // Ranks are read from an index that contains only living entities.
      const isWhole = this.#workerShards.plan.condition === null && this.#leading.from === 'rank';
      const selected = isWhole ? null : rows.selectedRows();
      this.#shards.push({ dimension, rows, ids: new ShardIds(dimension), selected });
    }
    return this.#shards[index];
  }

  #findByRank(
    shard: number,
    { dimension, ids, selected }: SearchedShard,
    limit: number,
    until: Position | null,
  ): FoundRow[] {
    const rankOf = (position: Position | null) => position && { rank: position.number, id: position.id };
    const page = { limit, after: rankOf(this.#after), until: rankOf(until) };
    const found = rankedRows(dimension, selectedOf(dimension, selected), ids, page, this.#workerShards.run);
    return Array.from(found, (row) => ({ shard, row, number: ids.rank(row) }));
  }

  #findByEvents(
    shard: number,
    { dimension, rows, ids, selected }: SearchedShard,
    limit: number,
    until: Position | null,
  ): FoundRow[] {
    const { run } = this.#workerShards;
    const leading = this.#leading;
    invariant(leading.from === 'nearest' && leading.near.from === 'events', 'rows are ordered by events');
    const rowsMax = Math.min(limit, dimension.rowEnd);
    run.reserve(rowsMax * 2 * NEAREST_BYTES);
    const after = this.#after && { distanceKm: this.#after.number, id: this.#after.id };
    const nearest = new NearestEvents(ids, {
      limit: rowsMax,
      eligible: eligibleOf(dimension, selected, run),
      after,
      farKm: until?.number ?? Number.POSITIVE_INFINITY,
    });
    const found = nearest.search(dimension, leading.near, run);
    rows.sortedBy((row) => nearest.nearest.get(row));
    return Array.from(found, (row) => ({
      ...{ shard, row },
      number: nearest.nearest.get(row)?.distanceKm ?? Number.POSITIVE_INFINITY,
    }));
  }

  /** Merges two lists in order; returns the first `limit` rows. */
  #merged(a: readonly FoundRow[], b: readonly FoundRow[], limit: number): FoundRow[] {
    const rows: FoundRow[] = [];
    for (let [atA, atB] = [0, 0]; rows.length < limit && (atA < a.length || atB < b.length); ) {
      const fromA = atB === b.length || (atA < a.length && this.#compare(a[atA], b[atB]) < 0);
      rows.push(fromA ? a[atA++] : b[atB++]);
    }
    return rows;
  }

  #compare(a: FoundRow, b: FoundRow): number {
    if (a.number !== b.number) return a.number < b.number ? -1 : 1;
    return this.#shards[a.shard].ids.compare(a.row, b.row, this.#shards[b.shard].ids);
  }

  #positionOf({ shard, row, number }: FoundRow): Position {
    return { number, id: Buffer.from(this.#shards[shard].ids.text(row), 'utf8') };
  }

  release(): void {
    this.#memory.releaseAll();
  }
}

/** The first key of an order by rank or by nearest events that the ID follows; null = another order. */
function leadingOf({ order, inputs, events }: SelectPlan): Leading | null {
  if (order.length !== 2 || events !== null || order.some(({ descending }) => descending)) return null;
  const [leading, id] = order.map(({ of }) => (of.op === 'input' ? inputs[of.input] : null));
  if (id?.from !== 'entity-id') return null;
  if (leading?.from === 'rank') return leading;
  const isByEvents =
    leading?.from === 'nearest' && leading.part === 'distance' && leading.near.from === 'events';
  return isByEvents ? leading : null;
}

function positionOf({ after }: SelectPlan): Position | null {
  if (after === undefined) return null;
  const [number, id] = after;
  invariant(number !== null && typeof id === 'string', 'rows by rank or distance have both');
  return { number: Number(number), id: Buffer.from(id, 'utf8') };
}

const wordsOf = ({ buffer, byteOffset, length }: Uint8Array): Uint32Array<ArrayBuffer> =>
  new Uint32Array(buffer as ArrayBuffer, byteOffset, length >> 2);

function selectedOf(dimension: DimensionShard, bitmap: Uint8Array | null): SelectedRowBits {
  if (bitmap === null) return { words: null, count: dimension.entityCount };
  const words = wordsOf(bitmap);
  return { words, count: countBits(words) };
}

/** A copy of the bitmap, or all rows if it is null. */
function eligibleOf(dimension: DimensionShard, bitmap: Uint8Array | null, run: QueryRun): Uint32Array {
  const words = newWords(dimension, run);
  if (bitmap !== null) words.set(wordsOf(bitmap));
  else {
    dimension.segments.forEach(({ rowCount }, index) => {
      fillWords(words, index * WORDS_PER_SEGMENT, rowCount);
    });
  }
  return words;
}
