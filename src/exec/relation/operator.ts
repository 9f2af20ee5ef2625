/** The interface of the operators over relations: each reads batches of its inputs and returns batches. */
import type { RowSource } from '../../expression/index.js';
import type { RelationColumn } from '../../ir/index.js';

/**
 * A batch of rows; `input(n)` is column number n. Its vectors are valid until the next batch of the same operator is
 * requested.
 */
export type RelationBatch = RowSource;

export interface Operator {
  readonly columns: readonly RelationColumn[];
  /**
   * Batches of about BATCH_ROWS_MAX rows; null = a step without rows, after which the thread may run other work. Must
   * be iterated only once. Throws 6000, 9005, 9006.
   */
  batches(): Generator<RelationBatch | null, undefined>;
  /** Releases all memory; may be called repeatedly, and before the end. */
  release(): void;
}
