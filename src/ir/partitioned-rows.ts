/**
 * Rows of one worker in partitions by the hash of their keys, in pages: rows of any worker with equal keys are in the same
 * partition, and groups in the same partition of PartitionedGroups. Plain data that any thread of the process can read while
 * the worker keeps the rows.
 */
export interface PartitionedRows {
  /** A power of two, at most GROUP_PARTITIONS. */
  readonly partitionCount: number;
  readonly rowCount: number;
  /** Rows by partition. */
  readonly rowCounts: Float64Array;
  /** Pages of partition p are [starts[p], starts[p + 1]), in the order of their rows. */
  readonly starts: Uint32Array;
  /** By page: its block, its offset in the block or in the file, its length, and its number of rows. */
  readonly blocks: Uint32Array;
  readonly positions: Float64Array;
  readonly byteCounts: Uint32Array;
  readonly pageRows: Uint32Array;
  /** By block: its bytes; null = they are in the file. */
  readonly memory: readonly (Uint8Array | null)[];
  /** The file: its handle and the two words of its ID; null = all blocks are in memory. */
  readonly file: { readonly handle: number; readonly id: Uint32Array } | null;
}

/** The bits of a hash that select one of GROUP_PARTITIONS partitions. */
export const PARTITION_BITS = 8;

/** The partition of a hash, at depth 0; a partition that is too large is divided again by the next bits. */
export const partitionOf = (hash: number, partitionCount: number, depth: number): number =>
  (hash << (depth * PARTITION_BITS)) >>> (Math.clz32(partitionCount) + 1);
