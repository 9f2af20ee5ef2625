/** Batches of a join: pairs of a left and a right row; columns are gathered on first use. */
import type { RelationColumn } from '../../ir/index.js';
import { constantVector, gather, gatherOrMissing, type SqlType, type Vector } from '../../vector/index.js';
import type { CollectedRows } from '../relation/collected-rows.js';
import type { RelationBatch } from '../relation/operator.js';
import { composedRows } from '../relation/picked-batch.js';

/** Columns and their types by number. */
export type ColumnTypes = ReadonlyMap<number, SqlType>;

export const columnTypes = (columns: readonly RelationColumn[]): ColumnTypes =>
  new Map(columns.map(({ column, type }) => [column, type]));

/** No right row; its columns are missing. */
export const NO_ROW = -1;

export interface Pairs {
  readonly count: number;
  /** null = the left rows in order. */
  readonly leftRows: Uint32Array | null;
  /** Rows of the right side, or NO_ROW. */
  readonly rightRows: Int32Array;
  /** Whether a right row may be NO_ROW. */
  readonly optional: boolean;
}

export class JoinedBatch implements RelationBatch {
  readonly count: number;
  readonly #left: RelationBatch;
  readonly #leftColumns: ColumnTypes;
  readonly #right: CollectedRows;
  readonly #pairs: Pairs;
  readonly #vectors = new Map<number, Vector>();

  constructor(left: RelationBatch, leftColumns: ColumnTypes, right: CollectedRows, pairs: Pairs) {
    this.count = pairs.count;
    this.#left = left;
    this.#leftColumns = leftColumns;
    this.#right = right;
    this.#pairs = pairs;
  }

  /** Composes the rows, so that each column is gathered once, whatever the number of joins. */
  picked(rows: Uint32Array): RelationBatch {
    const { leftRows, rightRows, optional } = this.#pairs;
    const own = new Int32Array(rows.length);
    for (let at = 0; at < rows.length; at++) own[at] = rightRows[rows[at]];
    const left = leftRows === null ? this.#left.picked?.(rows) : null;
    const pairs = { count: rows.length, rightRows: own, optional };
    if (left != null)
      return new JoinedBatch(left, this.#leftColumns, this.#right, { ...pairs, leftRows: null });
    const ownLeft = leftRows === null ? rows : composedRows(leftRows, rows);
    return new JoinedBatch(this.#left, this.#leftColumns, this.#right, { ...pairs, leftRows: ownLeft });
  }

  input(column: number): Vector {
    let vector = this.#vectors.get(column);
    if (vector === undefined) {
      vector = this.#leftColumns.has(column) ? this.#leftInput(column) : this.#rightInput(column);
      this.#vectors.set(column, vector);
    }
    return vector;
  }

  #leftInput(column: number): Vector {
    const { leftRows, count } = this.#pairs;
    const vector = this.#left.input(column);
    return leftRows === null ? vector : gather(vector, leftRows, count);
  }

  #rightInput(column: number): Vector {
    const { rightRows, optional, count } = this.#pairs;
    const vector = this.#right.input(column);
    if (optional) return gatherOrMissing(vector, rightRows, count);
    return gather(vector, new Uint32Array(rightRows.buffer, rightRows.byteOffset, count), count);
  }
}

/** Right rows whose left columns are missing. */
export class UnmatchedBatch implements RelationBatch {
  readonly count: number;
  readonly #rows: Uint32Array;
  readonly #leftColumns: ColumnTypes;
  readonly #right: CollectedRows;
  readonly #vectors = new Map<number, Vector>();

  constructor(rows: Uint32Array, leftColumns: ColumnTypes, right: CollectedRows) {
    this.count = rows.length;
    this.#rows = rows;
    this.#leftColumns = leftColumns;
    this.#right = right;
  }

  input(column: number): Vector {
    let vector = this.#vectors.get(column);
    if (vector === undefined) {
      const type = this.#leftColumns.get(column);
      vector =
        type === undefined
          ? gather(this.#right.input(column), this.#rows, this.count)
          : constantVector(type, null, this.count);
      this.#vectors.set(column, vector);
    }
    return vector;
  }
}
