/** The interface of the operators over relations: each reads batches of its inputs and returns batches. */
import type { RowSource } from '../../expression/index.js';
import type { RelationColumn } from '../../ir/index.js';
import type { ColumnFilter } from '../scan/column-filter.js';

/**
 * A batch of rows; `input(n)` is column number n. Its vectors are valid until the next batch of the same operator is
 * requested.
 */
export interface RelationBatch extends RowSource {
  /**
   * These rows, ascending, as a batch that has not read columns for the other rows; absent or null = the columns of all
   * rows are to be gathered. The array must not change afterwards.
   */
  picked?(rows: Uint32Array): RelationBatch | null;
}

/** A join whose right side is read before its left side. */
export interface BuiltJoin {
  /** At most this many rows are on the right side; Infinity = not known. */
  readonly rightRows: number;
  /**
   * Reads the right side. Calls `narrowAbove` with filters of columns, which all rows that the join returns pass. Does nothing
   * if the right side was read. Throws as `batches`.
   */
  build(narrowAbove: (column: number, filter: ColumnFilter) => void): Generator<null, void>;
  /** Called before `build`: no left row has another value in the column than those that pass. */
  narrowRight(column: number, filter: ColumnFilter): void;
}

export interface Operator {
  readonly columns: readonly RelationColumn[];
  /**
   * Batches of about BATCH_ROWS_MAX rows; null = a step without rows, after which the thread may run other work. Must
   * be iterated only once. Throws 6000, 9005, 9006.
   */
  batches(): Generator<RelationBatch | null, undefined>;
  /**
   * Called before `batches`: the rows whose value in the column does not pass may be omitted. Absent = all rows are
   * returned.
   */
  narrow?(column: number, filter: ColumnFilter): void;
  /** At most this many rows are returned; absent or null = not known. */
  rowsMax?(): number | null;
  /** The joins through which all rows pass, from the last to the first; absent = none. */
  joins?(): readonly BuiltJoin[];
  /** Releases all memory; may be called repeatedly, and before the end. */
  release(): void;
}
