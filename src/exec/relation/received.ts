/** Returns rows that other threads computed. */

import { invariant } from '../../base/index.js';
import type { RelationColumn } from '../../ir/index.js';
import type { RowsPart } from '../../protocol/index.js';
import { fromWire, memoryBytesOf, slice, type Vector, vectorKindOf } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { ColumnFilter } from '../scan/column-filter.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import { readRows } from '../spill/row-file.js';
import { CollectedRows } from './collected-rows.js';
import type { Operator, RelationBatch } from './operator.js';
import { pickedOf } from './picked-batch.js';

/**
 * `parts` have one vector per column. Those in memory are reserved in `run` from now on, and released part by part as they are
 * read. Throws 9006.
 */
export function receivedRows(
  columns: readonly RelationColumn[],
  parts: readonly RowsPart[],
  run: QueryRun,
): Operator {
  return new Received(columns, parts, run);
}

class Received implements Operator {
  readonly columns: readonly RelationColumn[];
  #parts: readonly RowsPart[];
  readonly #run: QueryRun;
  readonly #filters: { readonly column: number; readonly filter: ColumnFilter }[] = [];

  constructor(columns: readonly RelationColumn[], parts: readonly RowsPart[], run: QueryRun) {
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

  rowsMax(): number {
    return this.#parts.reduce((sum, { count }) => sum + count, 0);
  }

  narrow(column: number, filter: ColumnFilter): void {
    if (this.columns.some((one) => one.column === column)) this.#filters.push({ column, filter });
  }

  *#batchesOf(part: RowsPart): Generator<RelationBatch | null, undefined> {
    const { count } = part;
    const vectors = this.#vectorsOf(part).map((vector) => withCodes(vector, count));
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

  #vectorsOf({ columns, page }: RowsPart): readonly Vector[] {
    if (page === null) return columns.map(fromWire);
    const { spill } = this.#run;
    invariant(spill !== null, 'rows in a file are read by a query that can spill');
    return readRows(
      page,
      this.columns.map(({ type }) => vectorKindOf(type)),
      spill,
    );
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
const bytesOf = ({ count, columns }: RowsPart): number =>
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
