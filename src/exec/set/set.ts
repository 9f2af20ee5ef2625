/** Unions, intersections and differences of two relations. Rows are equal if all columns are; missing values are equal. */
import { invariant } from '../../base/index.js';
import type { RelationColumn, RelationOf } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import { type BuiltTable, buildKeyTable } from '../join/keys/key-table.js';
import type { QueryRun } from '../query-run.js';
import { type CollectedRows, collectRows } from '../relation/collected-rows.js';
import type { Operator, RelationBatch } from '../relation/operator.js';
import { PickedBatch, pickedOf, rowsWhere } from '../relation/picked-batch.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';

export function setRows(
  left: Operator,
  right: Operator,
  relation: RelationOf<'set'>,
  run: QueryRun,
): Operator {
  return new SetRows(left, right, relation, run);
}

class SetRows implements Operator {
  readonly columns: readonly RelationColumn[];
  readonly #left: Operator;
  readonly #right: Operator;
  readonly #relation: RelationOf<'set'>;
  readonly #run: QueryRun;
  /** The columns of each side, in the order of `columns`. */
  readonly #leftColumns: readonly number[];
  readonly #rightColumns: readonly number[];

  constructor(left: Operator, right: Operator, relation: RelationOf<'set'>, run: QueryRun) {
    this.columns = relation.columns;
    this.#left = left;
    this.#right = right;
    this.#relation = relation;
    this.#run = run.child();
    this.#leftColumns = relation.columns.map((column) => column.left);
    this.#rightColumns = relation.columns.map((column) => column.right);
  }

  *batches(): Generator<RelationBatch | null, undefined> {
    const { operator, all } = this.#relation;
    try {
      if (operator === 'union') {
        invariant(all, 'a union without duplicates is an aggregate');
        yield* this.#renamed(this.#left, this.#leftColumns);
        yield* this.#renamed(this.#right, this.#rightColumns);
      } else if (operator === 'except' && !all) yield* this.#difference();
      else yield* this.#counted();
    } finally {
      this.release();
    }
  }

  *#renamed(side: Operator, from: readonly number[]): Generator<RelationBatch | null, undefined> {
    for (const batch of side.batches()) {
      this.#run.check();
      yield this.#rename(batch !== null && batch.count > 0 ? batch : null, from);
    }
  }

  #rename(batch: RelationBatch | null, from: readonly number[]): RelationBatch | null {
    if (batch === null) return null;
    return new RenamedBatch(batch, new Map(this.columns.map(({ column }, index) => [column, from[index]])));
  }

  *#tableOf(
    side: Operator,
    columns: readonly number[],
  ): Generator<null, BuiltTable & { rows: CollectedRows }> {
    const rows = yield* collectRows(side, this.#run);
    const keys = columns.map((column) => ({ vector: rows.input(column), nullsEqual: true }));
    return { ...(yield* buildKeyTable(keys, rows.count, this.#run)), rows };
  }

  /** intersect, and except with all: counts the right rows of each key and consumes one for each left row. */
  *#counted(): Generator<RelationBatch | null, undefined> {
    const { operator, all } = this.#relation;
    const { table, codes, rows } = yield* this.#tableOf(this.#right, this.#rightColumns);
    if (rows.count === 0 && operator === 'intersect') return;
    this.#run.reserve(rows.count * 4);
    const left = new Int32Array(rows.count);
    for (let row = 0; row < rows.count; row++) left[codes[row] - 1] = all ? left[codes[row] - 1] + 1 : 1;
    let found = new Int32Array(0);
    for (const batch of this.#left.batches()) {
      this.#run.check();
      if (batch === null || batch.count === 0) {
        yield null;
        continue;
      }
      if (found.length < batch.count) found = new Int32Array(batch.count);
      const vectors = this.#leftColumns.map((column) => batch.input(column));
      table.find(vectors, batch.count, found);
      consume(left, found, batch.count);
      const picked = new Uint32Array(batch.count);
      const count = rowsWhere(found, operator === 'intersect', batch.count, picked);
      yield this.#rename(pickedOf(batch, picked, count), this.#leftColumns);
    }
  }

  /** except without all: the first left row of each key that no right row has. */
  *#difference(): Generator<RelationBatch | null, undefined> {
    const { table, codes, rows } = yield* this.#tableOf(this.#left, this.#leftColumns);
    if (rows.count === 0) return;
    let found = new Int32Array(0);
    for (const batch of this.#right.batches()) {
      this.#run.check();
      if (batch !== null && batch.count > 0) {
        if (found.length < batch.count) found = new Int32Array(batch.count);
        const vectors = this.#rightColumns.map((column) => batch.input(column));
        table.find(vectors, batch.count, found);
        // The first row of a key loses its code.
        for (let row = 0; row < batch.count; row++) if (found[row] !== 0) codes[found[row] - 1] = 0;
      }
      yield null;
    }
    for (let from = 0; from < rows.count; from += BATCH_ROWS_MAX) {
      this.#run.check();
      const firsts = firstRows(codes, from, Math.min(rows.count, from + BATCH_ROWS_MAX));
      yield this.#rename(firsts.length === 0 ? null : new PickedBatch(rows, firsts), this.#leftColumns);
    }
  }

  release(): void {
    this.#left.release();
    this.#right.release();
    this.#run.releaseAll();
  }
}

/** Replaces each code with 1 if a right row of its key is left, which is consumed, or 0. */
function consume(left: Int32Array, codes: Int32Array, count: number): void {
  for (let row = 0; row < count; row++) {
    const at = codes[row] - 1;
    if (at < 0) continue;
    if (left[at] === 0) codes[row] = 0;
    else {
      left[at]--;
      codes[row] = 1;
    }
  }
}

/** The rows of [from, to) that have their own code. */
function firstRows(codes: Int32Array, from: number, to: number): Uint32Array {
  const rows = new Uint32Array(to - from);
  let count = 0;
  for (let row = from; row < to; row++) if (codes[row] === row + 1) rows[count++] = row;
  return rows.subarray(0, count);
}

/** A batch whose columns have other numbers. */
class RenamedBatch implements RelationBatch {
  readonly count: number;
  readonly #source: RelationBatch;
  readonly #from: ReadonlyMap<number, number>;

  constructor(source: RelationBatch, from: ReadonlyMap<number, number>) {
    this.count = source.count;
    this.#source = source;
    this.#from = from;
  }

  input(column: number): Vector {
    return this.#source.input(this.#from.get(column) as number);
  }
}
