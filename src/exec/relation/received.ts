/** Returns rows that other threads computed. */
import type { RelationColumn } from '../../ir/index.js';
import { fromWire, memoryBytesOf, slice, type Vector, type WireVector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { ColumnFilter } from '../scan/column-filter.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import { CollectedRows } from './collected-rows.js';
import type { Operator, RelationBatch } from './operator.js';
import { pickedOf } from './picked-batch.js';

/** Rows of one sender. */
export interface ReceivedPart {
  readonly count: number;
  /** One per column of the operator. */
  readonly columns: readonly WireVector[];
}

/**
 * The parts' vectors are reserved in `run` from now on, and released part by part as they are read. Throws 9006.
 */
export function receivedRows(
  columns: readonly RelationColumn[],
  parts: readonly ReceivedPart[],
  run: QueryRun,
): Operator {
  return new Received(columns, parts, run);
}

class Received implements Operator {
  readonly columns: readonly RelationColumn[];
  #parts: readonly ReceivedPart[];
  readonly #run: QueryRun;
  readonly #filters: { readonly column: number; readonly filter: ColumnFilter }[] = [];

  constructor(columns: readonly RelationColumn[], parts: readonly ReceivedPart[], run: QueryRun) {
    this.columns = columns;
    this.#parts = parts;
    this.#run = run.child();
    this.#run.reserve(parts.reduce((sum, part) => sum + bytesOf(part), 0));
  }

  *batches(): Generator<RelationBatch | null, undefined> {
    try {
      for (; this.#parts.length > 0; this.#parts = this.#parts.slice(1)) {
        const [part] = this.#parts;
        yield* this.#batchesOf(part);
        this.#run.release(bytesOf(part));
      }
    } finally {
      this.release();
    }
  }

  narrow(column: number, filter: ColumnFilter): void {
    if (this.columns.some((one) => one.column === column)) this.#filters.push({ column, filter });
  }

  *#batchesOf({ count, columns }: ReceivedPart): Generator<RelationBatch | null, undefined> {
    const vectors = columns.map((wire) => withCodes(fromWire(wire), count));
    for (let from = 0; from < count; from += BATCH_ROWS_MAX) {
      this.#run.check();
      const to = Math.min(count, from + BATCH_ROWS_MAX);
      const batch = new Map<number, Vector>();
      for (const [index, { column }] of this.columns.entries()) {
        batch.set(column, slice(vectors[index], from, to));
      }
      yield this.#passing(new CollectedRows(to - from, batch));
    }
  }

  #passing(batch: RelationBatch): RelationBatch | null {
    let passing: RelationBatch | null = batch;
    for (const { column, filter } of this.#filters) {
      if (passing === null) return null;
      const rows: Uint32Array = new Uint32Array(passing.count);
      passing = pickedOf(passing, rows, filter.keep(passing.input(column), rows));
    }
    return passing;
  }

  release(): void {
    this.#parts = [];
    this.#run.releaseAll();
  }
}

/** The rows of a sender with their vectors' memory. */
const bytesOf = ({ count, columns }: ReceivedPart): number =>
  columns.reduce(
    (sum, wire) => sum + memoryBytesOf(fromWire(wire)) + (wire.kind === 'text' ? count * 4 : 0),
    0,
  );

/** A text vector with codes, so that slices share them. */
function withCodes(vector: Vector, count: number): Vector {
  if (vector.kind !== 'text' || vector.codes !== null) return vector;
  const codes = new Uint32Array(count);
  for (let row = 0; row < count; row++) codes[row] = row;
  return { ...vector, codes };
}
