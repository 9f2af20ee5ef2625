/**
 * The rows of a scan on the shards of one worker, shard by shard.
 * Invariant  a batch and its vectors are valid until the next batch is requested, also after `rest`.
 */
import { invariant, type MemoryAccount } from '../../../base/index.js';
import { compile, type Evaluate } from '../../../expression/index.js';
import type { RelationColumn } from '../../../ir/index.js';
import type { Vector } from '../../../vector/index.js';
import type { ColumnFilter } from '../../scan/column-filter.js';
import { BATCH_ROWS_MAX } from '../../scan/row-batches.js';
import type { SegmentBatch } from '../../scan/segment-batch.js';
import { SegmentFilters } from '../../scan/segment-filters.js';
import type { ShardRows } from '../../scan/shard-rows.js';
import type { WorkerShard, WorkerShards } from '../../scan/worker-shards.js';
import type { Operator, RelationBatch } from '../operator.js';

/** Reading single rows costs up to this many times as much per row as reading them all. */
const SPARSE_ROWS_MIN = 2;

/** A shard whose rows are being read. */
interface OpenShard {
  readonly rows: ShardRows;
  /** Memory of the outputs' evaluation. */
  readonly memory: MemoryAccount;
}

export class ScanRows implements Operator {
  readonly columns: readonly RelationColumn[];
  readonly #shards: WorkerShards;
  /** By column number: the output of the plan. */
  readonly #outputs: ReadonlyMap<number, number>;
  readonly #filters = new SegmentFilters();
  #open: OpenShard | null = null;

  /** The plan of `shards` has no grouping, order, limit and joins; output i is columns[i]. */
  constructor(shards: WorkerShards, columns: readonly RelationColumn[]) {
    const { grouping, order, limit, offset, joins } = shards.plan;
    invariant(
      grouping === null && order.length === 0 && limit === null && offset === 0 && joins.length === 0,
      'a scan within a stage only selects rows',
    );
    this.columns = columns;
    this.#shards = shards;
    this.#outputs = new Map(columns.map(({ column }, output) => [column, output]));
  }

  narrow(column: number, filter: ColumnFilter): void {
    const { outputs, inputs, events } = this.#shards.plan;
    const of = outputs[this.#outputs.get(column) ?? -1]?.of;
    const input = of?.op === 'input' ? inputs[of.input] : null;
    if (events !== null || input?.from !== 'attribute') return;
    if (input.kind === 'i32' || input.kind === 'i64' || input.kind === 'code') {
      this.#filters.add(input.columnId, filter);
    }
  }

  *batches(): Generator<RelationBatch | null, undefined> {
    for (const shard of this.#shards.all) {
      yield* this.#batchesOf(shard);
      this.release();
    }
  }

  *#batchesOf(shard: WorkerShard): Generator<RelationBatch | null, undefined> {
    const { plan, run } = this.#shards;
    const rows = this.#shards.rows(shard);
    const memory = run.child();
    this.#open = { rows, memory };
    const outputs = plan.outputs.map(({ of }) => compile(of, memory));
    for (const batch of rows.batches(BATCH_ROWS_MAX, null, this.#filters)) {
      yield batch === null ? null : new ScanBatch(batch, outputs, this.#outputs);
    }
  }

  /** Releases all arena memory between two slices or parts; `isCut` = a slice ended. Batches continue afterwards. */
  rest(isCut: boolean): void {
    this.#open?.rows.rest(false, isCut);
  }

  release(): void {
    this.#open?.rows.release();
    this.#open?.memory.releaseAll();
    this.#open = null;
  }
}

class ScanBatch implements RelationBatch {
  readonly count: number;
  readonly #batch: SegmentBatch;
  readonly #evaluates: readonly Evaluate[];
  readonly #outputs: ReadonlyMap<number, number>;
  readonly #vectors: (Vector | undefined)[] = [];

  constructor(batch: SegmentBatch, evaluates: readonly Evaluate[], outputs: ReadonlyMap<number, number>) {
    this.count = batch.count;
    this.#batch = batch;
    this.#evaluates = evaluates;
    this.#outputs = outputs;
  }

  /** Columns are read from the segment for these rows only, unless they are most rows of the batch. */
  picked(rows: Uint32Array): RelationBatch | null {
    if (rows.length * SPARSE_ROWS_MIN > this.count) return null;
    return new ScanBatch(this.#batch.narrowed(rows), this.#evaluates, this.#outputs);
  }

  input(column: number): Vector {
    const output = this.#outputs.get(column);
    invariant(output !== undefined, `the scan has no column ${column}`);
    this.#vectors[output] ??= this.#evaluates[output](this.#batch);
    return this.#vectors[output];
  }
}
