/** All rows of a relation in memory, for operators that read their input more than once or in another order. */
import { concat, gather, type Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { Operator, RelationBatch } from './operator.js';

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

/**
 * Reads all batches of `operator`, copies their rows and releases the operator. The rows stay reserved in `run`. Throws
 * 6000, 9005, 9006.
 */
export function* collectRows(operator: Operator, run: QueryRun): Generator<null, CollectedRows> {
  const parts: Vector[][] = operator.columns.map(() => []);
  let count = 0;
  let rows = new Uint32Array(0);
  try {
    for (const batch of operator.batches()) {
      run.check();
      if (batch !== null && batch.count > 0) {
        run.reserve(batch.count * operator.columns.length * VALUE_BYTES);
        if (rows.length < batch.count) rows = Uint32Array.from({ length: batch.count }, (_, row) => row);
        for (const [index, { column }] of operator.columns.entries()) {
          parts[index].push(gather(batch.input(column), rows, batch.count));
        }
        count += batch.count;
      }
      yield null;
    }
  } finally {
    operator.release();
  }
  const columns = new Map<number, Vector>();
  for (const [index, { column, type }] of operator.columns.entries()) {
    // The parts and their concatenation exist at the same time, one column after the other.
    const bytes = count * VALUE_BYTES;
    run.reserve(bytes);
    columns.set(column, concat(parts[index], type));
    parts[index] = [];
    run.release(bytes);
    yield null;
  }
  return new CollectedRows(count, columns);
}
