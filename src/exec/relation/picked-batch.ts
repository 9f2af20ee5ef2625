/** Batches made of rows of another batch; columns are gathered on first use. */
import { gather, type Vector } from '../../vector/index.js';
import type { RelationBatch } from './operator.js';

/** Row i is row rows[i] of `source`, for i below `count`. */
export class PickedBatch implements RelationBatch {
  readonly count: number;
  readonly #source: RelationBatch;
  readonly #rows: Uint32Array;
  readonly #vectors = new Map<number, Vector>();

  constructor(source: RelationBatch, rows: Uint32Array, count: number = rows.length) {
    this.count = count;
    this.#source = source;
    this.#rows = rows;
  }

  picked(rows: Uint32Array): RelationBatch {
    return new PickedBatch(this.#source, composedRows(this.#rows, rows));
  }

  input(column: number): Vector {
    let vector = this.#vectors.get(column);
    if (vector === undefined) {
      vector = gather(this.#source.input(column), this.#rows, this.count);
      this.#vectors.set(column, vector);
    }
    return vector;
  }
}

/** The picked rows of `batch`, which is returned itself if `rows` (ascending) are all of them; null = no row. */
export function pickedOf(
  batch: RelationBatch,
  rows: Uint32Array,
  count: number = rows.length,
): RelationBatch | null {
  if (count === 0) return null;
  if (count === batch.count) return batch;
  const picked = rows.subarray(0, count);
  return batch.picked?.(picked) ?? new PickedBatch(batch, picked);
}

/** The values of `source` at the rows. */
export function composedRows(source: Uint32Array, rows: Uint32Array): Uint32Array {
  const gathered = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at++) gathered[at] = source[rows[at]];
  return gathered;
}

/** Writes the rows whose value in `values` is zero, or with `positive` above zero, to `out`; returns their number. */
export function rowsWhere(
  values: Int32Array | Uint8Array,
  positive: boolean,
  count: number,
  out: Uint32Array,
): number {
  let found = 0;
  for (let row = 0; row < count; row++) {
    out[found] = row;
    found += Number(values[row] > 0 === positive);
  }
  return found;
}
