/** The rows of a grouping within one shard, whose memory is released at the end. */
import type { GroupInput } from './group.js';

export interface GroupSource extends GroupInput {
  /**
   * The entities that satisfy the plan's condition, one bit per row of the shard; null = all. Valid until `release`.
   * Throws 9005, 9006.
   */
  selectedRows(): Uint8Array | null;
  /** Releases all arena memory at the end of a slice; may be called during or after `batches` or `feedBatches`. */
  rest(): void;
  release(): void;
}
