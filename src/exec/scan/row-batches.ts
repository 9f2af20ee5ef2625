/**
 * Batches of a SELECT's rows within one shard: entities (or their events) that satisfy the plan's condition, filter
 * and inner joins, with the inputs of expressions.
 * Invariant  a batch and its vectors are valid until the next batch is requested, which reuses their arrays.
 */
import type { RowSource } from '../../expression/index.js';

/** The largest number of rows of a batch, chosen so that a vector of doubles fits the second-level cache. */
export const BATCH_ROWS_MAX = 8_192;

export interface RowBatch extends RowSource {
  /**
   * For each row, the shard row of its entity. Rows of one entity are adjacent, also across batches, except for the
   * events of a feed, which come in any order.
   */
  readonly entityRows: Uint32Array;
}
