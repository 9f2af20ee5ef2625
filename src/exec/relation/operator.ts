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
  /** Releases all memory; may be called repeatedly, and before the end. */
  release(): void;
}
