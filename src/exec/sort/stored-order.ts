/**
 * Returns the rows of a plan without grouping in its order, like OrderedRows, when there is no memory for the keys of all rows:
 * the first part sorts all rows in runs on disk, and the parts merge them.
 */
import { type IsOver, stopTask, type Task } from '../../base/index.js';
import { compile, type Evaluate } from '../../expression/index.js';
import type { QueryRun } from '../query-run.js';
import type { PartRows } from '../scan/part-rows.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import type { SegmentBatch } from '../scan/segment-batch.js';
import type { ShardRows } from '../scan/shard-rows.js';
import type { WorkerShards } from '../scan/worker-shards.js';
import { SortedRuns } from '../spill/sorted-runs.js';
import { AfterPosition } from './after-position.js';
import { StoredParts, storedFields } from './stored-parts.js';

export class StoredOrder {
  readonly #workerShards: WorkerShards;
  readonly #memory: QueryRun;
  readonly #runs: SortedRuns;
  readonly #reading: Task<object>;
  #open: ShardRows | null = null;
  #parts: StoredParts | null = null;

  /** `release` must be called at the end. Throws 9006. */
  constructor(workerShards: WorkerShards) {
    const { plan, run } = workerShards;
    const fields = storedFields(plan);
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
    this.#reading = this.#read();
  }

  get isDone(): boolean {
    return this.#parts?.isDone ?? false;
  }

  /** See OrderedRows.next. Throws 189 and 9002, too. */
  next(rowsMax: number, bytesMax: number, isOver: IsOver): PartRows | null {
    while (this.#parts === null) {
      const { done } = this.#reading.next();
      if (done === true) {
        const { plan, run } = this.#workerShards;
        this.#parts = new StoredParts(plan, this.#runs.merged(), run);
      }
      if (!isOver()) continue;
      this.#open?.rest(false);
      return null;
    }
    return this.#parts.next(rowsMax, bytesMax, isOver);
  }

  *#read(): Task<object> {
    const { plan, all } = this.#workerShards;
    const columns = [...plan.outputs, ...plan.order].map(({ of }) => compile(of, this.#memory));
    const rows = Uint32Array.from({ length: BATCH_ROWS_MAX }, (_, row) => row);
    const after = AfterPosition.of(plan, this.#memory);
    for (const shard of all) {
      const start = shard.stats.start();
      this.#open = this.#workerShards.rows(shard);
      for (const batch of this.#open.batches()) {
        const behind = batch === null || after === null ? batch : after.rowsBehind(batch);
        if (behind !== null) yield* this.#add(behind, columns, rows);
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
    this.#parts?.release();
    this.#runs.release();
    this.#memory.releaseAll();
  }
}
