/** Batches of rows that an operator has in memory, and common code of such operators. */
import type { Task } from '../../base/index.js';
import type { RelationColumn } from '../../ir/index.js';
import { slice, type Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import type { Operator, RelationBatch } from './operator.js';

/** Bytes of a value besides those of texts: a double or code, and a validity byte. */
export const VALUE_BYTES = 9;

/** Values of rows [from, to) of a column. */
export type ColumnRows = (from: number, to: number) => Vector;

type Batches = Generator<RelationBatch | null, undefined>;

/** An operator over one input with memory of its own, which is released with the input at the end of its batches. */
export class MemoryOperator implements Operator {
  readonly columns: readonly RelationColumn[];
  readonly #input: Operator;
  readonly #memory: QueryRun;
  readonly #produce: (memory: QueryRun) => Batches;

  constructor(
    columns: readonly RelationColumn[],
    input: Operator,
    run: QueryRun,
    produce: (memory: QueryRun) => Batches,
  ) {
    this.columns = columns;
    this.#input = input;
    this.#memory = run.child();
    this.#produce = produce;
  }

  *batches(): Batches {
    try {
      yield* this.#produce(this.#memory);
    } finally {
      this.release();
    }
  }

  release(): void {
    this.#input.release();
    this.#memory.releaseAll();
  }
}

/** Runs a task as steps of an operator. Throws 9005. */
export function* stepsOf<T>(task: Task<T>, run: QueryRun): Generator<null, T> {
  for (;;) {
    const step = task.next();
    if (step.done === true) return step.value;
    run.check();
    yield null;
  }
}

/** Rows [from, to) of columns. A column is computed when it is first read. */
class LazyBatch implements RelationBatch {
  readonly count: number;
  readonly #from: number;
  readonly #columns: ReadonlyMap<number, ColumnRows>;
  readonly #vectors = new Map<number, Vector>();

  constructor(columns: ReadonlyMap<number, ColumnRows>, from: number, to: number) {
    this.count = to - from;
    this.#from = from;
    this.#columns = columns;
  }

  input(column: number): Vector {
    let vector = this.#vectors.get(column);
    if (vector === undefined) {
      vector = (this.#columns.get(column) as ColumnRows)(this.#from, this.#from + this.count);
      this.#vectors.set(column, vector);
    }
    return vector;
  }
}

/** Rows [from, to) of the columns, batch by batch. Throws 9005, 9006. */
export function* batchesOf(
  columns: ReadonlyMap<number, ColumnRows>,
  from: number,
  to: number,
  run: QueryRun,
): Batches {
  run.reserve(Math.min(to - from, BATCH_ROWS_MAX) * columns.size * VALUE_BYTES);
  for (let first = from; first < to; first += BATCH_ROWS_MAX) {
    run.check();
    yield new LazyBatch(columns, first, Math.min(to, first + BATCH_ROWS_MAX));
  }
}

/** Rows [from, to) of a batch. */
export function sliceOf(batch: RelationBatch, from: number, to: number): RelationBatch {
  if (from === 0 && to === batch.count) return batch;
  const columns = new Map<number, Vector>();
  return {
    count: to - from,
    input: (column) => {
      const vector = columns.get(column) ?? slice(batch.input(column), from, to);
      columns.set(column, vector);
      return vector;
    },
  };
}
