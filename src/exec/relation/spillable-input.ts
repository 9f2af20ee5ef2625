/**
 * The rows of an operator that works on all rows of an input at once: in memory if there is enough for them and for the work
 * on them, and otherwise in a store on disk.
 */
import { isOutOfMemory, type Task } from '../../base/index.js';
import type { Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import { type CollectedRows, RowCollector } from './collected-rows.js';
import type { Operator, RelationBatch } from './operator.js';

/** Where rows go for which there is no memory. */
export interface RowStore {
  /** Adds the first `count` of `rows` of vectors, one per column of the input. */
  add(vectors: readonly Vector[], rows: Uint32Array, count: number): Task<void>;
}

/** Memory that is free when rows begin to be stored: a part of the query's memory, for their buffer. */
const SPARE_PART = 8;

export class SpillableInput<Store extends RowStore> {
  readonly #input: Operator;
  readonly #create: () => Store;
  readonly #canSpill: boolean;
  /** In tests, all rows are stored. */
  readonly #isForced: boolean;
  /** The memory of the collected rows, and that of the work on them. */
  readonly #rows: QueryRun;
  readonly #work: QueryRun;
  readonly #spare: QueryRun;
  readonly #memory: QueryRun;
  readonly #picked = new Uint32Array(BATCH_ROWS_MAX);
  /** Absent until rows are stored. */
  store: Store | null = null;

  /**
   * `create` opens the store; its owner releases it. `depth`: how often the rows were divided into partitions; null = rows for
   * which there is no memory are refused.
   */
  constructor(input: Operator, memory: QueryRun, depth: number | null, create: () => Store) {
    this.#input = input;
    this.#create = create;
    this.#canSpill = depth !== null && memory.spill !== null;
    this.#isForced = depth === 0 && memory.spill !== null && memory.spill.shareBytesMax < memory.limitBytes;
    this.#memory = memory;
    this.#rows = memory.child();
    this.#work = memory.child();
    this.#spare = memory.child();
  }

  /**
   * Reads the input and calls `work` with all rows; its memory is `run`. Returns its result, or null once all rows are in
   * the store because the memory did not suffice. Releases the input. Throws 6000, 189, 9002, 9005, 9006.
   */
  *run<T>(work: (rows: CollectedRows, run: QueryRun) => Generator<null, T>): Generator<null, T | null> {
    let isFirst = true;
    const collector = new RowCollector(this.#input.columns, this.#rows);
    try {
      for (const batch of this.#input.batches()) {
        this.#memory.check();
        if (batch !== null && batch.count > 0) {
          if (isFirst) this.#reserveSpare();
          isFirst = false;
          yield* this.#take(batch, collector);
        }
        yield null;
      }
    } finally {
      this.#input.release();
    }
    if (this.store !== null) return null;
    return yield* this.#attempt(collector, work);
  }

  /** Called with the first rows, when operators below that collect all rows first have released their own. */
  #reserveSpare(): void {
    const free = this.#memory.freeBytes;
    if (this.#canSpill && free < Number.POSITIVE_INFINITY)
      this.#spare.tryReserve(Math.floor(free / SPARE_PART));
  }

  *#take(batch: RelationBatch, collector: RowCollector): Generator<null, void> {
    if (this.store === null) {
      if (!this.#canSpill) return collector.add(batch);
      if (!this.#isForced && collector.tryAdd(batch)) return;
      yield* this.#spill(collector.parts());
    }
    yield* this.#keep(batch);
  }

  *#attempt<T>(
    collector: RowCollector,
    work: (rows: CollectedRows, run: QueryRun) => Generator<null, T>,
  ): Generator<null, T | null> {
    let rows: CollectedRows | null = null;
    try {
      rows = yield* collector.finish();
      const result = yield* work(rows, this.#work);
      this.#spare.releaseAll();
      return result;
    } catch (error) {
      if (!this.#canSpill || !isOutOfMemory(error)) throw error;
    }
    this.#work.releaseAll();
    yield* this.#spill(rows === null ? collector.parts() : [rows]);
    return null;
  }

  /** Moves the collected rows to the store. */
  *#spill(parts: Iterable<RelationBatch>): Generator<null, void> {
    this.#spare.releaseAll();
    this.store = this.#create();
    for (const part of parts) yield* this.#keep(part);
    this.#rows.releaseAll();
  }

  *#keep(batch: RelationBatch): Generator<null, void> {
    const vectors = this.#input.columns.map(({ column }) => batch.input(column));
    for (let from = 0; from < batch.count; from += BATCH_ROWS_MAX) {
      const count = Math.min(BATCH_ROWS_MAX, batch.count - from);
      for (let row = 0; row < count; row++) this.#picked[row] = from + row;
      const task = (this.store as Store).add(vectors, this.#picked, count);
      while (task.next().done !== true) yield null;
    }
  }
}
