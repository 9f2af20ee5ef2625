/**
 * Unions, intersections and differences of two relations. Rows are equal if all columns are; missing values are equal. If there
 * is too little memory for the side that is read first, both are divided into partitions.
 */
import { invariant } from '../../base/index.js';
import type { RelationColumn, RelationOf } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import { type BuiltTable, buildKeyTable } from '../join/keys/key-table.js';
import type { QueryRun } from '../query-run.js';
import type { CollectedRows } from '../relation/collected-rows.js';
import type { Operator, RelationBatch } from '../relation/operator.js';
import { PickedBatch, pickedOf, rowsWhere } from '../relation/picked-batch.js';
import { SpillableInput } from '../relation/spillable-input.js';
import {
  finishedRows,
  PARTITION_DEPTH_MAX,
  partitionRows,
  rowPartitions,
  storeRows,
} from '../relation/stored-rows.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import type { RowPartitions } from '../spill/row-partitions.js';

export function setRows(
  left: Operator,
  right: Operator,
  relation: RelationOf<'set'>,
  run: QueryRun,
  depth = 0,
): Operator {
  return new SetRows(left, right, relation, run, depth);
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
  /** How often both sides were divided into partitions. */
  readonly #depth: number;

  constructor(left: Operator, right: Operator, relation: RelationOf<'set'>, run: QueryRun, depth: number) {
    this.columns = relation.columns;
    this.#left = left;
    this.#right = right;
    this.#relation = relation;
    this.#run = run.child();
    this.#leftColumns = relation.columns.map((column) => column.left);
    this.#rightColumns = relation.columns.map((column) => column.right);
    this.#depth = depth;
  }

  *batches(): Generator<RelationBatch | null, undefined> {
    const { operator, all } = this.#relation;
    try {
      if (operator === 'union') {
        invariant(all, 'a union without duplicates is an aggregate');
        yield* this.#renamed(this.#left, this.#leftColumns);
        yield* this.#renamed(this.#right, this.#rightColumns);
      } else {
        const isDifference = operator === 'except' && !all;
        const [first, columns] = isDifference
          ? [this.#left, this.#leftColumns]
          : [this.#right, this.#rightColumns];
        yield* this.#compared(isDifference, first, columns);
      }
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

  /** `first`: the side that is in memory. */
  *#compared(
    isDifference: boolean,
    first: Operator,
    columns: readonly number[],
  ): Generator<RelationBatch | null, undefined> {
    const canSpill = columns.length > 0 && this.#depth <= PARTITION_DEPTH_MAX;
    const spillable = new SpillableInput(first, this.#run, canSpill ? this.#depth : null, () =>
      rowPartitions(first.columns, columns, this.#depth, this.#run),
    );
    try {
      const built = yield* spillable.run((rows, run) => tableOf(rows, columns, run));
      if (built === null) yield* this.#byPartition(isDifference, spillable.store as RowPartitions);
      else yield* isDifference ? this.#difference(built) : this.#counted(built);
    } finally {
      spillable.store?.release();
    }
  }

  *#byPartition(isDifference: boolean, store: RowPartitions): Generator<RelationBatch | null, undefined> {
    const [other, columns] = isDifference
      ? [this.#right, this.#rightColumns]
      : [this.#left, this.#leftColumns];
    const otherStore = rowPartitions(other.columns, columns, this.#depth, this.#run, store.partitionCount);
    try {
      const first = yield* finishedRows(store);
      const second = yield* storeRows(other, otherStore, this.#run);
      const [left, right] = isDifference ? [first, second] : [second, first];
      for (let partition = 0; partition < left.partitionCount; partition++) {
        if (left.rowCounts[partition] === 0) continue;
        const sides = [
          partitionRows(this.#left.columns, left, partition, this.#run),
          partitionRows(this.#right.columns, right, partition, this.#run),
        ];
        yield* setRows(sides[0], sides[1], this.#relation, this.#run, this.#depth + 1).batches();
      }
    } finally {
      otherStore.release();
    }
  }

  /** intersect, and except with all: counts the right rows of each key and consumes one for each left row. */
  *#counted({ table, codes, rows }: RowTable): Generator<RelationBatch | null, undefined> {
    const { operator, all } = this.#relation;
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
  *#difference({ table, codes, rows }: RowTable): Generator<RelationBatch | null, undefined> {
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

interface RowTable extends BuiltTable {
  readonly rows: CollectedRows;
}

function* tableOf(rows: CollectedRows, columns: readonly number[], run: QueryRun): Generator<null, RowTable> {
  const keys = columns.map((column) => ({ vector: rows.input(column), nullsEqual: true }));
  return { ...(yield* buildKeyTable(keys, rows.count, run)), rows };
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
