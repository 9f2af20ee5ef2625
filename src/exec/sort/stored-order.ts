/**
 * Returns the rows of a plan without grouping in its order, like OrderedRows, when there is no memory for the keys of all rows:
 * the first part sorts all rows in runs on disk, and the parts merge them.
 */
import { type IsOver, invariant, stopTask, type Task } from '../../base/index.js';
import { compile, type Evaluate } from '../../expression/index.js';
import type { QueryRun } from '../query-run.js';
import { type PartBuilder, type PartRows, partBuilder } from '../scan/part-rows.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import type { SegmentBatch } from '../scan/segment-batch.js';
import type { ShardRows } from '../scan/shard-rows.js';
import type { WorkerShards } from '../scan/worker-shards.js';
import type { RowPage } from '../spill/partition-pages.js';
import { SortedRuns } from '../spill/sorted-runs.js';

export class StoredOrder {
  readonly #workerShards: WorkerShards;
  readonly #memory: QueryRun;
  readonly #runs: SortedRuns;
  readonly #part: PartBuilder;
  readonly #reading: Task<object>;
  #open: ShardRows | null = null;
  #pages: Generator<RowPage | null, undefined> | null = null;
  /** A page whose rows before `from` were returned. */
  #page: RowPage | null = null;
  #from = 0;
  #left: number;
  isDone = false;

  /** `release` must be called at the end. Throws 9006. */
  constructor(workerShards: WorkerShards) {
    const { plan, run } = workerShards;
    const order = plan.order.map(({ of }, index) => ({ name: String(index), type: of.type }));
    const fields = [...plan.outputs, ...order];
    const keys = plan.order.map(({ descending }, index) => ({
      ...{ column: plan.outputs.length + index, descending, missingFirst: false },
    }));
    this.#workerShards = workerShards;
    this.#memory = run.child();
    this.#runs = new SortedRuns(
      fields.map(({ type }) => type),
      keys,
      run,
    );
    this.#part = partBuilder(fields, null, run);
    this.#left = plan.limit === null ? Number.POSITIVE_INFINITY : plan.offset + plan.limit;
    this.#reading = this.#read();
  }

  /** See OrderedRows.next. Throws 189 and 9002, too. */
  next(rowsMax: number, bytesMax: number, isOver: IsOver): PartRows | null {
    while (this.#pages === null) {
      const { done } = this.#reading.next();
      if (done === true) this.#pages = this.#runs.merged();
      if (!isOver()) continue;
      this.#open?.rest(false);
      return null;
    }
    const isWanted = (): boolean => this.#part.rowCount < rowsMax && this.#part.bytes < bytesMax;
    let cut = false;
    while (isWanted() && !this.isDone && !cut) {
      this.#append(rowsMax - this.#part.rowCount);
      cut = isOver();
    }
    if (isWanted() && !this.isDone) return null;
    const part = this.#part.finish();
    invariant(part.gives === 'columns', 'ordered rows are returned as columns');
    const outputCount = this.#workerShards.plan.outputs.length;
    return { ...part, outputs: part.outputs.slice(0, outputCount), order: part.outputs.slice(outputCount) };
  }

  #append(wanted: number): void {
    if (this.#page === null) {
      const { done, value } = (this.#pages as Generator<RowPage | null, undefined>).next();
      if (done === true || this.#left === 0) this.isDone = true;
      else this.#page = value;
      this.#from = 0;
      return;
    }
    const { count, vectors } = this.#page;
    const to = Math.min(count, this.#from + wanted, this.#from + this.#left);
    this.#part.append(vectors, this.#from, to);
    this.#left -= to - this.#from;
    this.#from = to;
    if (to === count || this.#left === 0) this.#page = null;
  }

  *#read(): Task<object> {
    const { plan, all } = this.#workerShards;
    const columns = [...plan.outputs, ...plan.order].map(({ of }) => compile(of, this.#memory));
    const rows = Uint32Array.from({ length: BATCH_ROWS_MAX }, (_, row) => row);
    for (const shard of all) {
      const start = shard.stats.start();
      this.#open = this.#workerShards.rows(shard);
      for (const batch of this.#open.batches()) {
        if (batch !== null) yield* this.#add(batch, columns, rows);
        yield;
      }
      this.#open.release();
      this.#open = null;
      shard.stats.add('sort', start, 0);
    }
    return this.#runs;
  }

  *#add(batch: SegmentBatch, columns: readonly Evaluate[], rows: Uint32Array): Task<void> {
    const vectors = columns.map((evaluate) => evaluate(batch));
    yield* this.#runs.add(vectors, rows, batch.count);
  }

  release(): void {
    stopTask(this.#reading);
    this.#open?.release();
    this.#open = null;
    this.#pages?.return(undefined);
    this.#runs.release();
    this.#memory.releaseAll();
  }
}
