/** The order of all rows that a plan selects, which are sorted at once by the first part. */
import { type IsOver, runSlice, stopTask, type Task } from '../../base/index.js';
import type { QueryRun } from '../query-run.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import { ShardIds } from '../scan/shard-ids.js';
import type { WorkerShards } from '../scan/worker-shards.js';
import { AfterPosition } from './after-position.js';
import type { OpenShards, Order, RowOrder } from './row-order.js';
import { SortedRows } from './sorted-rows.js';
import { TopBound } from './top-bound.js';

/** Rows of the first batch per requested row. */
const FIRST_ROWS = 4;
const FIRST_ROWS_MIN = 256;
const ORDER_ROW_BYTES = 8;

export class SortOrder implements RowOrder {
  readonly #workerShards: WorkerShards;
  readonly #open: OpenShards;
  readonly #memory: QueryRun;
  #sorting: Task<Order> | null = null;
  #order: Order | null = null;
  #at = 0;

  /** `release` must be called at the end. */
  constructor(workerShards: WorkerShards, open: OpenShards) {
    this.#workerShards = workerShards;
    this.#open = open;
    this.#memory = workerShards.run.child();
  }

  get isDone(): boolean {
    return this.#order !== null && this.#at === this.#order.rows.length;
  }

  next(rowCount: number, isOver: IsOver): Order | null {
    if (this.#order === null) {
      this.#sorting ??= this.#sort();
      this.#order = runSlice(this.#sorting, isOver);
      if (this.#order === null || isOver()) return null;
    }
    const { shards, rows } = this.#order;
    const from = this.#at;
    this.#at = Math.min(from + rowCount, rows.length);
    return { shards: shards.subarray(from, this.#at), rows: rows.subarray(from, this.#at) };
  }

  *#sort(): Task<Order> {
    const { plan, run, all } = this.#workerShards;
    const limit = plan.limit === null ? null : plan.offset + plan.limit;
    const none = { shards: new Uint32Array(0), rows: new Uint32Array(0) };
    if (limit === 0 || all.length === 0) return none;
    const ids = all.map(({ dimension }) => new ShardIds(dimension));
    const sorted = new SortedRows(plan, limit, (shard) => ids[shard], run);
    try {
      const bound = TopBound.of(plan, () => sorted.last);
      const after = AfterPosition.of(plan, this.#memory);
      for (const [index, shard] of all.entries()) {
        // A few rows already determine which others cannot be among the first.
        const firstRows =
          bound === null || bound.isKnown || limit === null ? BATCH_ROWS_MAX : limit * FIRST_ROWS;
        const batches = this.#open.at(index).batches(Math.max(firstRows, FIRST_ROWS_MIN), bound);
        for (const batch of batches) {
          const start = shard.stats.start();
          const rows = batch === null || after === null ? batch : after.rowsBehind(batch);
          if (rows !== null) {
            sorted.offer(rows, index);
            shard.stats.add('sort', start, rows.count);
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

  release(): void {
    stopTask(this.#sorting);
    this.#memory.releaseAll();
  }
}
