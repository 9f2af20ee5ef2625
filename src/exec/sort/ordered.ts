/**
 * Returns the rows of a plan without grouping in its order, part by part. The first part sorts all rows; each part
 * then reads its rows again.
 */
import { type IsOver, type MemoryAccount, runSlice, stopTask, type Task } from '../../base/index.js';
import { compile, type Evaluate } from '../../expression/index.js';
import type { WireVector } from '../../vector/index.js';
import { type ColumnBuilder, columnBuilder } from '../scan/column-builder.js';
import { finishAll, outputBuilders, type PartRows } from '../scan/part-rows.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import type { ShardRows } from '../scan/shard-rows.js';
import type { WorkerShards } from '../scan/worker-shards.js';
import { orderBy } from './radix-order.js';
import { SortedRows } from './sorted-rows.js';
import { TopBound } from './top-bound.js';

/** Approximate bytes of a value of a part. */
const VALUE_BYTES = 16;
/** Minimum rows of a part, because each part scans all segments again. */
const PART_ROWS_MIN = 1_024;
/** Temporary bytes per row of a part, besides its columns. */
const SCRATCH_BYTES_PER_ROW = 36;

/** Rows of the first batch per requested row. */
const FIRST_ROWS = 4;
const FIRST_ROWS_MIN = 256;

interface Order {
  /** In order, each row's shard, and its row in the shard or its event. */
  readonly shards: Uint32Array;
  readonly rows: Uint32Array;
}
const ORDER_ROW_BYTES = 8;

/** Some of a shard's rows, in stored order. */
interface ShardRowList {
  readonly rows: Uint32Array;
  readonly events: Uint32Array | null;
}

export class OrderedRows {
  readonly #workerShards: WorkerShards;
  readonly #memory: MemoryAccount;
  readonly #shards: ShardRows[] = [];
  readonly #outputs: readonly Evaluate[];
  readonly #keys: readonly Evaluate[];
  #sorting: Task<Order> | null = null;
  #order: Order | null = null;
  #at = 0;

  /** `release` must be called at the end. */
  constructor(workerShards: WorkerShards) {
    this.#workerShards = workerShards;
    this.#memory = workerShards.run.child();
    this.#outputs = workerShards.plan.outputs.map(({ of }) => compile(of, this.#memory));
    this.#keys = workerShards.plan.order.map(({ of }) => compile(of, this.#memory));
  }

  get isDone(): boolean {
    return this.#order !== null && this.#at === this.#order.rows.length;
  }

  /**
   * Returns the next rows: at most `rowsMax`, fewer if their columns would exceed `bytesMax`; null = the slice ended
   * first. Throws 6000, 9005, 9006.
   */
  next(rowsMax: number, bytesMax: number, isOver: IsOver): PartRows | null {
    if (this.#order === null) {
      this.#sorting ??= this.#sort();
      this.#order = runSlice(this.#sorting, isOver);
      if (this.#order === null || isOver()) {
        this.#rest();
        return null;
      }
    }
    const rowBytes = (this.#outputs.length + this.#keys.length) * VALUE_BYTES;
    const rowCount = Math.min(rowsMax, Math.max(PART_ROWS_MIN, Math.floor(bytesMax / rowBytes)));
    const to = Math.min(this.#at + rowCount, this.#order.rows.length);
    const part = this.#read(this.#order, this.#at, to);
    this.#at = to;
    if (!this.isDone) this.#rest();
    return part;
  }

  #rest(): void {
    for (const rows of this.#shards) rows.rest(true);
  }

  *#sort(): Task<Order> {
    const { plan, run, all } = this.#workerShards;
    const limit = plan.limit === null ? null : plan.offset + plan.limit;
    const none = { shards: new Uint32Array(0), rows: new Uint32Array(0) };
    if (limit === 0 || all.length === 0) return none;
    const sorted = new SortedRows(plan.order, limit, run);
    try {
      const bound = TopBound.of(plan, () => sorted.last);
      for (const [index, shard] of all.entries()) {
        const rows = this.#workerShards.rows(shard);
        this.#shards.push(rows);
        // A few rows already determine which others cannot be among the first.
        const firstRows =
          bound === null || bound.isKnown || limit === null ? BATCH_ROWS_MAX : limit * FIRST_ROWS;
        for (const batch of rows.batches(Math.max(firstRows, FIRST_ROWS_MIN), bound)) {
          if (batch !== null) {
            const start = shard.stats.start();
            sorted.offer(batch, index);
            shard.stats.add('sort', start, batch.count);
          }
          yield;
        }
      }
      const { stats } = all[0];
      const start = stats.start();
      this.#memory.reserve(sorted.count * ORDER_ROW_BYTES);
      const order = sorted.sorted();
      stats.add('sort', start, 0);
      return order;
    } finally {
      sorted.release();
    }
  }

  /** Reads rows [from, to) of the order: in stored order, then permuted into the result order. */
  #read({ shards, rows }: Order, from: number, to: number): PartRows {
    const { plan, run, all } = this.#workerShards;
    const count = to - from;
    const memory = run.child();
    memory.reserve(count * SCRATCH_BYTES_PER_ROW);
    const part = { shards: shards.subarray(from, to), rows: rows.subarray(from, to) };
    const entityRows = this.#entityRows(part);
    const lying = orderBy([Float64Array.from(part.shards), entityRows], count, memory);
    const outputs = outputBuilders(plan.outputs, memory);
    const keys = plan.order.map(({ of }) => columnBuilder(of, memory));
    for (let first = 0, end = 0; first < count; first = end) {
      const shard = part.shards[lying[first]];
      while (end < count && part.shards[lying[end]] === shard) end++;
      const own = lying.subarray(first, end);
      const { stats } = all[shard];
      const start = stats.start();
      const events = plan.events === null ? null : gathered(part.rows, own);
      this.#readShard(this.#shards[shard], { rows: gathered(entityRows, own), events }, outputs, keys);
      stats.add('project', start, end - first);
    }
    memory.release(count * SCRATCH_BYTES_PER_ROW);
    const order = inverse(lying);
    const finished: [WireVector[], WireVector[]] = [finishAll(outputs, order), finishAll(keys, order)];
    return { gives: 'columns', rowCount: count, outputs: finished[0], order: finished[1] };
  }

  /** For each row, the row of its entity. */
  #entityRows({ shards, rows }: Order): Float64Array {
    const entityRows = new Float64Array(rows.length);
    const isEntity = this.#workerShards.plan.events === null;
    for (let at = 0; at < rows.length; at++) {
      entityRows[at] = isEntity ? rows[at] : this.#shards[shards[at]].entityRowOf(rows[at]);
    }
    return entityRows;
  }

  #readShard(
    shard: ShardRows,
    { rows, events }: ShardRowList,
    outputs: readonly ColumnBuilder[],
    keys: readonly ColumnBuilder[],
  ): void {
    for (const batch of shard.rowsAt(rows, events)) {
      outputs.forEach((builder, output) => {
        builder.append(this.#outputs[output](batch), 0, batch.count);
      });
      keys.forEach((builder, key) => {
        builder.append(this.#keys[key](batch), 0, batch.count);
      });
    }
  }

  release(): void {
    stopTask(this.#sorting);
    for (const rows of this.#shards) rows.release();
    this.#shards.length = 0;
    this.#memory.releaseAll();
  }
}

function gathered(values: Uint32Array | Float64Array, positions: Uint32Array): Uint32Array {
  const out = new Uint32Array(positions.length);
  for (let at = 0; at < out.length; at++) out[at] = values[positions[at]];
  return out;
}

/** The inverse of the permutation `order`. */
function inverse(order: Uint32Array): Uint32Array {
  const positions = new Uint32Array(order.length);
  for (let at = 0; at < order.length; at++) positions[order[at]] = at;
  return positions;
}
