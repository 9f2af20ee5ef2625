/**
 * Returns the rows of a plan without grouping and order, in stored order, part by part.
 * Invariant  rows are read only as far as the requested parts need, plus one batch.
 */

import type { Allocator, RowFormat } from '../../../answer/index.js';
import type { IsOver, MemoryAccount } from '../../../base/index.js';
import { compile, type Evaluate } from '../../../expression/index.js';
import type { Vector } from '../../../vector/index.js';
import { type PartBuilder, type PartRows, partBuilder } from '../../scan/part-rows.js';
import { BATCH_ROWS_MAX } from '../../scan/row-batches.js';
import type { SegmentBatch } from '../../scan/segment-batch.js';
import type { ShardRows } from '../../scan/shard-rows.js';
import type { WorkerShard, WorkerShards } from '../../scan/worker-shards.js';

/** A shard whose rows are being returned. */
interface OpenShard {
  readonly shard: WorkerShard;
  readonly rows: ShardRows;
  readonly batches: Generator<SegmentBatch | null, undefined>;
  readonly outputs: readonly Evaluate[];
  /** Memory of the outputs' evaluation. */
  readonly memory: MemoryAccount;
}

/** A batch whose rows before `from` were returned. */
interface OpenBatch {
  readonly outputs: readonly Vector[];
  readonly count: number;
  from: number;
}

export class UngroupedRows {
  readonly #workerShards: WorkerShards;
  readonly #part: PartBuilder;
  /** The number of rows that may still be returned. */
  #left: number;
  #nextShard = 0;
  #shard: OpenShard | null = null;
  #batch: OpenBatch | null = null;

  /** `release` must be called at the end. */
  constructor(workerShards: WorkerShards, format: RowFormat | null, allocator?: Allocator) {
    const { limit, offset } = workerShards.plan;
    this.#workerShards = workerShards;
    this.#part = partBuilder(workerShards.plan.outputs, format, workerShards.run, allocator);
    this.#left = limit === null ? Number.POSITIVE_INFINITY : offset + limit;
  }

  /** Whether all rows were returned. */
  get isDone(): boolean {
    return this.#left === 0 || (this.#shard === null && this.#nextShard === this.#workerShards.all.length);
  }

  /**
   * Returns the next rows: at most `rowsMax`, up to the batch that reaches `bytesMax`; null = the slice ended first,
   * and the rows so far are returned by the next call. Throws 6000, 9005, 9006.
   */
  next(rowsMax: number, bytesMax: number, isOver: IsOver): PartRows | null {
    const isWanted = (): boolean =>
      this.#part.rowCount < rowsMax && this.#part.bytes < bytesMax && this.#left > 0;
    let cut = false;
    while (isWanted() && !this.isDone && !cut) {
      const wanted = Math.min(rowsMax - this.#part.rowCount, this.#left);
      if (this.#batch === null) this.#step(wanted);
      this.#giveBatch(wanted);
      cut = isOver();
    }
    if (this.#left === 0) this.#close();
    else this.#shard?.rows.rest(false, cut);
    return isWanted() && !this.isDone ? null : this.#part.finish();
  }

  /** Reads the next batch, or closes a shard that has no more. */
  #step(wanted: number): void {
    const open = this.#shard ?? this.#openShard(wanted);
    const { done, value: batch } = open.batches.next();
    if (done === true) this.#close();
    if (batch === undefined || batch === null) return;
    const { stats } = open.shard;
    const start = stats.start();
    const outputs = open.outputs.map((evaluate) => evaluate(batch));
    this.#batch = { outputs, count: batch.count, from: 0 };
    stats.add('project', start, batch.count);
  }

  #openShard(wanted: number): OpenShard {
    const shard = this.#workerShards.all[this.#nextShard++];
    const rows = this.#workerShards.rows(shard);
    const memory = this.#workerShards.run.child();
    this.#shard = {
      shard,
      rows,
      batches: rows.batches(Math.min(wanted, BATCH_ROWS_MAX)),
      outputs: this.#workerShards.plan.outputs.map(({ of }) => compile(of, memory)),
      memory,
    };
    return this.#shard;
  }

  #giveBatch(wanted: number): void {
    const batch = this.#batch;
    const open = this.#shard;
    if (batch === null || open === null) return;
    const to = Math.min(batch.count, batch.from + wanted);
    const { stats } = open.shard;
    const start = stats.start();
    this.#part.append(batch.outputs, batch.from, to);
    stats.add('encode', start, to - batch.from);
    this.#left -= to - batch.from;
    batch.from = to;
    if (to === batch.count) this.#batch = null;
  }

  #close(): void {
    if (this.#shard === null) return;
    const { batches, rows, memory } = this.#shard;
    this.#shard = null;
    this.#batch = null;
    batches.return(undefined);
    rows.release();
    memory.releaseAll();
  }

  release(): void {
    this.#close();
  }
}
