/**
 * Rows of a plan without grouping and order, as they lie, part by part.
 * Invariant: no more is read than the parts that were asked for hold, and one batch.
 */

import type { Allocator, RowFormat } from '../../answer/index.js';
import type { IsOver, MemoryAccount } from '../../base/index.js';
import { compile, type Evaluate } from '../../expression/index.js';
import type { Vector } from '../../vector/index.js';
import type { LaneShard, LaneShards } from './lane-shards.js';
import { type PartBuilder, type PartRows, partBuilder } from './part-rows.js';
import { BATCH_ROWS_MAX } from './row-batches.js';
import type { SegmentBatch } from './segment-batch.js';
import type { ShardRows } from './shard-rows.js';

/** A shard while its rows are given. */
interface OpenShard {
  readonly shard: LaneShard;
  readonly rows: ShardRows;
  readonly batches: Generator<SegmentBatch | null, undefined>;
  readonly outputs: readonly Evaluate[];
  /** What the outputs remember. */
  readonly memory: MemoryAccount;
}

/** A batch of which the rows before `from` were given. */
interface OpenBatch {
  readonly outputs: readonly Vector[];
  readonly count: number;
  from: number;
}

export class UngroupedRows {
  readonly #lane: LaneShards;
  readonly #part: PartBuilder;
  /** Rows that may still be given. */
  #left: number;
  #nextShard = 0;
  #shard: OpenShard | null = null;
  #batch: OpenBatch | null = null;

  /** `release` must be called at the end. */
  constructor(lane: LaneShards, format: RowFormat | null, room?: Allocator) {
    const { limit, offset } = lane.plan;
    this.#lane = lane;
    this.#part = partBuilder(lane.plan, format, lane.run, room);
    this.#left = limit === null ? Number.POSITIVE_INFINITY : offset + limit;
  }

  /** Whether all rows were given. */
  get isDone(): boolean {
    return this.#left === 0 || (this.#shard === null && this.#nextShard === this.#lane.all.length);
  }

  /**
   * The next rows, `rowsMax` at most, and none behind the batch with which they take `bytesMax`; null = the slice was over
   * before, and the rows so far are kept for the next call. Throws 6000, 9005, 9006.
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

  /** Looks for the next batch, or closes a shard that has none. */
  #step(wanted: number): void {
    const open = this.#shard ?? this.#openShard(wanted);
    const { done, value: batch } = open.batches.next();
    if (done === true) this.#close();
    if (batch === undefined || batch === null) return;
    const { figures } = open.shard;
    const start = figures.start();
    const outputs = open.outputs.map((evaluate) => evaluate(batch));
    this.#batch = { outputs, count: batch.count, from: 0 };
    figures.add('project', start, batch.count);
  }

  #openShard(wanted: number): OpenShard {
    const shard = this.#lane.all[this.#nextShard++];
    const rows = this.#lane.rows(shard);
    const memory = this.#lane.run.child();
    this.#shard = {
      shard,
      rows,
      batches: rows.batches(Math.min(wanted, BATCH_ROWS_MAX)),
      outputs: this.#lane.plan.outputs.map(({ of }) => compile(of, memory)),
      memory,
    };
    return this.#shard;
  }

  #giveBatch(wanted: number): void {
    const batch = this.#batch;
    const open = this.#shard;
    if (batch === null || open === null) return;
    const to = Math.min(batch.count, batch.from + wanted);
    const { figures } = open.shard;
    const start = figures.start();
    this.#part.append(batch.outputs, batch.from, to);
    figures.add('encode', start, to - batch.from);
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
