/**
 * Sorts the rows of several shards. Only row numbers are kept; output columns are read again later.
 * With a limit only the first rows are kept, in a buffer of twice the limit. When it is full, later rows are dropped,
 * and from then on each row is compared with the last row kept. Ties keep their order of arrival.
 */
import { grownWithin } from '../../base/index.js';
import { compile, type Evaluate } from '../../expression/index.js';
import type { SelectPlan } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { ROWS_MIN } from '../scan/array-lengths.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import type { SegmentBatch } from '../scan/segment-batch.js';
import type { ShardIds } from '../scan/shard-ids.js';
import { orderBy } from './radix-order.js';
import { type SortKeyColumn, sortKeyColumn } from './sort-key-column.js';
import type { SortBound } from './top-bound.js';

/** The largest limit for which only the first rows are kept. */
export const BOUNDED_ROWS_MAX = 100_000;
/** Rows of a batch are many if they are more than this number of times the limit. */
const MANY = 2;

interface Key {
  readonly evaluate: Evaluate;
  readonly column: SortKeyColumn;
}

type SortedPlan = Pick<SelectPlan, 'order' | 'inputs' | 'events'>;

/** The IDs of the rows of a shard. */
export type IdsOf = (shard: number) => ShardIds;

export class SortedRows {
  readonly #memory: QueryRun;
  readonly #limit: number;
  readonly #isBounded: boolean;
  readonly #keys: readonly Key[];
  /** Buffers for the rows of a batch. */
  #leading = new Float64Array(0);
  #positions = new Uint32Array(0);
  #count = 0;
  /** By entry: the shard, and its row in the shard or its event. */
  #shards = new Uint32Array(0);
  #rows = new Uint32Array(0);
  /** Whether rows are compared with the last row kept. */
  #isFull = false;
  /** The last key is the ID, which is read only of rows that tie by the other keys. */
  readonly #tiesById: boolean;
  readonly #idsOf: IdsOf;
  /** The last row kept. */
  #last = { shard: 0, row: 0 };

  /** `limit` null = all rows. `release` must be called at the end. */
  constructor({ order, inputs, events }: SortedPlan, limit: number | null, idsOf: IdsOf, run: QueryRun) {
    this.#memory = run.child();
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
    this.#isBounded = limit !== null && limit <= BOUNDED_ROWS_MAX;
    this.#idsOf = idsOf;
    const last = order[order.length - 1];
    const isById = last.of.op === 'input' && inputs[last.of.input].from === 'entity-id';
    this.#tiesById = isById && !last.descending && order.length > 1 && this.#isBounded && events === null;
    const keys = this.#tiesById ? order.slice(0, -1) : order;
    this.#keys = keys.map((key) => ({
      evaluate: compile(key.of, this.#memory),
      column: sortKeyColumn(key, this.#memory),
    }));
  }

  /** The last row kept, if rows are compared with it. */
  get last(): SortBound | null {
    const [{ column }] = this.#keys;
    if (!this.#isFull) return null;
    const isTieAfter = this.#keys.length === 1 && !this.#tiesById && !column.hasMore;
    return { leading: column.lastLeading, isTieAfter };
  }

  /** Number of rows that `sorted` returns. */
  get count(): number {
    return Math.min(this.#count, this.#limit);
  }

  /** Adds the rows of a batch that may be among the first. Throws 6000, 9005, 9006. */
  offer(batch: SegmentBatch, shard: number): void {
    const first = this.#keys[0].evaluate(batch);
    let retained = batch;
    if (this.#isFull || (this.#isBounded && batch.count > this.#limit * MANY)) {
      const positions = this.#firstOf(batch, first, shard);
      if (positions.length === 0) return;
      if (positions.length < batch.count) retained = batch.narrowed(positions);
    }
    this.#keys.forEach(({ evaluate, column }, key) => {
      column.append(key === 0 && retained === batch ? first : evaluate(retained));
    });
    const count = this.#count + retained.count;
    this.#shards = grownWithin(this.#memory, this.#shards, count, ROWS_MIN).fill(shard, this.#count, count);
    this.#rows = grownWithin(this.#memory, this.#rows, count, ROWS_MIN);
    this.#rows.set(retained.events ?? retained.entityRows, this.#count);
    this.#count = count;
    if (this.#isBounded && count >= this.#limit * (this.#isFull ? 2 : 1)) this.#cut();
  }

  /** The positions of the rows that may be among the first: of many, those whose leading number is among the first. */
  #firstOf(batch: SegmentBatch, first: Vector, shard: number): Uint32Array {
    const [{ column }] = this.#keys;
    if (this.#leading.length < batch.count) {
      const capacity = Math.min(batch.count * 2, BATCH_ROWS_MAX);
      [this.#leading, this.#positions] = [new Float64Array(capacity), new Uint32Array(capacity)];
    }
    column.leading(first, this.#leading);
    const leading = this.#leading;
    const positions = this.#positions;
    let count = batch.count;
    if (this.#isFull) count = this.#candidates(batch, first, shard);
    else for (let row = 0; row < count; row++) positions[row] = row;
    if (count <= this.#limit * MANY) return positions.slice(0, count);
    const numbers = new Float64Array(count);
    for (let at = 0; at < count; at++) numbers[at] = leading[positions[at]];
    const high = leastNumber(numbers, this.#limit);
    let found = 0;
    for (let at = 0; at < count; at++) if (leading[positions[at]] <= high) positions[found++] = positions[at];
    return positions.slice(0, found);
  }

  /** Writes the positions of the rows that sort before the last row kept; returns their number. */
  #candidates(batch: SegmentBatch, first: Vector, shard: number): number {
    const [key] = this.#keys;
    const high = key.column.lastLeading;
    const isDecided = first.kind !== 'text' && !key.column.hasMore && !isWide(first);
    if (this.#keys.length === 1 && isDecided && !this.#tiesById) {
      return positionsBelow(this.#leading, batch.count, high, this.#positions);
    }
    const from = isDecided ? 1 : 0;
    const vectors: Vector[] = [first];
    let count = 0;
    for (let row = 0; row < batch.count; row++) {
      const leading = this.#leading[row];
      if (leading < high || (leading === high && this.#isBefore(batch, vectors, from, row, shard))) {
        this.#positions[count++] = row;
      }
    }
    return count;
  }

  /**
   * Whether the row sorts before the last row kept by the keys from `from` on. `vectors` holds the values of the
   * first keys; values of further keys are evaluated and appended.
   */
  #isBefore(batch: SegmentBatch, vectors: Vector[], from: number, row: number, shard: number): boolean {
    for (let key = from; key < this.#keys.length; key++) {
      if (key === vectors.length) vectors.push(this.#keys[key].evaluate(batch));
      const order = this.#keys[key].column.compareWithLast(vectors[key], row);
      if (order !== 0) return order < 0;
    }
    if (!this.#tiesById) return false;
    const last = this.#last;
    return this.#idsOf(shard).compare(batch.entityRows[row], last.row, this.#idsOf(last.shard)) < 0;
  }

  /** The entries in order. */
  #order(): Uint32Array {
    const columns = this.#keys.flatMap(({ column }) => column.columns(this.#count));
    const order = orderBy(columns, this.#count, this.#memory);
    if (this.#tiesById) this.#orderTies(columns, order);
    for (const { column } of this.#keys) column.releaseColumns();
    return order;
  }

  /** Orders entries that tie in all columns by ID. */
  #orderTies(columns: readonly Float64Array[], order: Uint32Array): void {
    const shards = this.#shards;
    const rows = this.#rows;
    const ties = (a: number, b: number): boolean => columns.every((column) => column[a] === column[b]);
    for (let from = 0, to = 0; from < order.length; from = to) {
      for (to = from + 1; to < order.length && ties(order[from], order[to]); ) to++;
      if (to - from === 1) continue;
      order
        .subarray(from, to)
        .sort((a, b) => this.#idsOf(shards[a]).compare(rows[a], rows[b], this.#idsOf(shards[b])));
    }
  }

  /** Keeps the first `limit` entries, in order of arrival. */
  #cut(): void {
    const order = this.#order();
    const last = order[this.#limit - 1];
    this.#last = { shard: this.#shards[last], row: this.#rows[last] };
    const entries = order.slice(0, this.#limit).sort();
    for (const { column } of this.#keys) column.keep(entries, last);
    this.#shards.set(gathered(this.#shards, entries));
    this.#rows.set(gathered(this.#rows, entries));
    this.#count = entries.length;
    this.#isFull = true;
  }

  /** All rows in order, as shard and row or event. No rows may be offered afterwards. Throws 9005, 9006. */
  sorted(): { readonly shards: Uint32Array; readonly rows: Uint32Array } {
    const order = this.#order();
    const first = order.subarray(0, this.count);
    return { shards: gathered(this.#shards, first), rows: gathered(this.#rows, first) };
  }

  release(): void {
    this.#memory.releaseAll();
  }
}

function gathered(values: Uint32Array, order: Uint32Array): Uint32Array {
  const out = new Uint32Array(order.length);
  for (let at = 0; at < out.length; at++) out[at] = values[order[at]];
  return out;
}

const isWide = (vector: Vector): boolean => vector.kind === 'exact' && vector.wide !== null;

/** Writes the positions of the numbers below `high`; returns their number. */
function positionsBelow(numbers: Float64Array, count: number, high: number, positions: Uint32Array): number {
  let found = 0;
  for (let at = 0; at < count; at++) if (numbers[at] < high) positions[found++] = at;
  return found;
}

/** The greatest of the `count` least numbers, which are moved to the front (Hoare's selection). */
function leastNumber(numbers: Float64Array, count: number): number {
  let from = 0;
  let to = numbers.length - 1;
  while (from < to) {
    const pivot = numbers[(from + to) >>> 1];
    let low = from;
    let high = to;
    while (low <= high) {
      while (numbers[low] < pivot) low++;
      while (numbers[high] > pivot) high--;
      if (low > high) break;
      [numbers[low], numbers[high]] = [numbers[high], numbers[low]];
      low++;
      high--;
    }
    if (count - 1 <= high) to = high;
    else if (count - 1 >= low) from = low;
    else break;
  }
  return numbers[count - 1];
}
