/**
 * The rows of a SELECT within one shard, batch by batch: entities (or their events) that satisfy the plan's condition and
 * filter and find their joined entities, with what expressions read of them.
 * Invariant: a batch and its vectors are good until the next batch is asked for; their arrays are then used again.
 */
import type { RowSource } from '../../expression/index.js';

/** Rows of a batch at most: so many that a vector of doubles stays in the second-level cache. */
export const BATCH_ROWS_MAX = 8_192;

export interface RowBatch extends RowSource {
  /**
   * The row of the shard in which each row's entity lies; `count` of them. Rows of one entity stand side by side, also over
   * the end of a batch; not so the events of a feed, which come in any order.
   */
  readonly entityRows: Uint32Array;
}
