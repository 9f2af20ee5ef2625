/**
 * Returns the rows of a plan without grouping in its order, part by part. The order finds the rows of each part, which are then
 * read again.
 */
import type { IsOver, MemoryAccount } from '../../base/index.js';
import { compile, type Evaluate } from '../../expression/index.js';
import type { WireVector } from '../../vector/index.js';
import { PagedOrder } from '../extract/paged-order.js';
import { type ColumnBuilder, columnBuilder } from '../scan/column-builder.js';
import { finishAll, outputBuilders, type PartRows } from '../scan/part-rows.js';
import type { ShardRows } from '../scan/shard-rows.js';
import type { WorkerShards } from '../scan/worker-shards.js';
import { orderBy } from './radix-order.js';
import { OpenShards, type Order, type RowOrder } from './row-order.js';
import { SortOrder } from './sort-order.js';

/** Approximate bytes of a value of a part. */
const VALUE_BYTES = 16;
/** Minimum rows of a part, because each part scans all segments again. */
const PART_ROWS_MIN = 1_024;
/** Temporary bytes per row of a part, besides its columns. */
const SCRATCH_BYTES_PER_ROW = 36;

/** Some of a shard's rows, in stored order. */
interface ShardRowList {
  readonly rows: Uint32Array;
  readonly events: Uint32Array | null;
}

export class OrderedRows {
  readonly #workerShards: WorkerShards;
  readonly #memory: MemoryAccount;
  readonly #open: OpenShards;
  readonly #outputs: readonly Evaluate[];
  readonly #keys: readonly Evaluate[];
  readonly #order: RowOrder;

  /** `release` must be called at the end. */
  constructor(workerShards: WorkerShards) {
    this.#workerShards = workerShards;
    this.#memory = workerShards.run.child();
    this.#outputs = workerShards.plan.outputs.map(({ of }) => compile(of, this.#memory));
    this.#keys = workerShards.plan.order.map(({ of }) => compile(of, this.#memory));
    this.#open = new OpenShards(workerShards);
    this.#order = PagedOrder.of(workerShards, this.#open) ?? new SortOrder(workerShards, this.#open);
  }

  get isDone(): boolean {
    return this.#order.isDone;
  }

  /** Whether all rows are sorted, so that memory for all of them is needed. */
  get sortsAll(): boolean {
    return this.#order instanceof SortOrder;
  }

  /**
   * Returns the next rows: at most `rowsMax`, fewer if their columns would exceed `bytesMax`; null = the slice ended
   * first. Throws 6000, 9005, 9006.
   */
  next(rowsMax: number, bytesMax: number, isOver: IsOver): PartRows | null {
    const rowBytes = (this.#outputs.length + this.#keys.length) * VALUE_BYTES;
    const rowCount = Math.min(rowsMax, Math.max(PART_ROWS_MIN, Math.floor(bytesMax / rowBytes)));
    const order = this.#order.next(rowCount, isOver);
    const part = order === null ? null : this.#read(order);
    if (!this.isDone) this.#open.rest();
    return part;
  }

  /** Reads rows: in stored order, then permuted into the result order. */
  #read(part: Order): PartRows {
    const { plan, run, all } = this.#workerShards;
    const count = part.rows.length;
    const memory = run.child();
    memory.reserve(count * SCRATCH_BYTES_PER_ROW);
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
      this.#readShard(this.#open.at(shard), { rows: gathered(entityRows, own), events }, outputs, keys);
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
      entityRows[at] = isEntity ? rows[at] : this.#open.at(shards[at]).entityRowOf(rows[at]);
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
    this.#order.release();
    this.#open.release();
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
