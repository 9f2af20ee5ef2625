/** All rows of a relation in memory, for operators that read their input more than once or in another order. */
import type { RelationColumn } from '../../ir/index.js';
import { concat, gather, type Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { Operator, RelationBatch } from './operator.js';

/** Values that are concatenated in a step. */
const STEP_VALUES = 65_536;
/** Bytes that are reserved per value besides those of texts: a double or code, and a validity byte. */
const VALUE_BYTES = 9;

export class CollectedRows implements RelationBatch {
  readonly count: number;
  readonly #columns: ReadonlyMap<number, Vector>;

  constructor(count: number, columns: ReadonlyMap<number, Vector>) {
    this.count = count;
    this.#columns = columns;
  }

  input(column: number): Vector {
    return this.#columns.get(column) as Vector;
  }
}

/** Copies batches, and concatenates them at the end. The rows stay reserved in the run. */
export class RowCollector {
  readonly #columns: readonly RelationColumn[];
  readonly #run: QueryRun;
  #parts: Vector[][];
  #counts: number[] = [];
  #identity = new Uint32Array(0);

  constructor(columns: readonly RelationColumn[], run: QueryRun) {
    this.#columns = columns;
    this.#run = run;
    this.#parts = columns.map(() => []);
  }

  /** Returns false and adds nothing if there is no memory for the batch. */
  tryAdd(batch: RelationBatch): boolean {
    const { count } = batch;
    if (!this.#run.tryReserve(count * this.#columns.length * VALUE_BYTES)) return false;
    this.#add(batch);
    return true;
  }

  /** Throws 9006. */
  add(batch: RelationBatch): void {
    this.#run.reserve(batch.count * this.#columns.length * VALUE_BYTES);
    this.#add(batch);
  }

  #add(batch: RelationBatch): void {
    const { count } = batch;
    this.#identity = identityOf(this.#identity, count);
    for (const [index, { column }] of this.#columns.entries()) {
      this.#parts[index].push(gather(batch.input(column), this.#identity, count));
    }
    this.#counts.push(count);
  }

  /** The copies of the batches so far, each once; none may be added afterwards. */
  *parts(): Generator<RelationBatch, void> {
    for (const [part, count] of this.#counts.entries()) {
      yield new CollectedRows(
        count,
        new Map(this.#columns.map(({ column }, index) => [column, this.#parts[index][part]])),
      );
    }
    this.#parts = [];
    this.#counts = [];
  }

  /** Throws 9006; then `parts` still returns them. */
  *finish(): Generator<null, CollectedRows> {
    const count = this.#counts.reduce((sum, one) => sum + one, 0);
    const columns = new Map<number, Vector>();
    // The parts and their concatenation exist at the same time, one column after the other.
    const bytes = count * VALUE_BYTES;
    this.#run.reserve(bytes);
    let valueCount = 0;
    for (const [index, { column, type }] of this.#columns.entries()) {
      columns.set(column, concat(this.#parts[index], type));
      this.#parts[index] = [];
      valueCount += count;
      if (valueCount < STEP_VALUES) continue;
      valueCount = 0;
      yield null;
    }
    this.#run.release(bytes);
    return new CollectedRows(count, columns);
  }
}

/** The numbers from 0 on, at least `count` of them. */
const identityOf = (known: Uint32Array<ArrayBuffer>, count: number): Uint32Array<ArrayBuffer> =>
  known.length >= count ? known : Uint32Array.from({ length: count }, (_, row) => row);

/**
 * Reads all batches of `operator`, copies their rows and releases the operator. The rows stay reserved in `run`. Throws
 * 6000, 9005, 9006.
 */
export function* collectRows(operator: Operator, run: QueryRun): Generator<null, CollectedRows> {
  const collector = new RowCollector(operator.columns, run);
  try {
    for (const batch of operator.batches()) {
      run.check();
      if (batch !== null && batch.count > 0) collector.add(batch);
      yield null;
    }
  } finally {
    operator.release();
  }
  return yield* collector.finish();
}
