/** The memory account of merging one query on the main thread. */
import { MemoryAccount } from '../base/index.js';

export const mergeMemory = (capacityBytes: number): MemoryAccount =>
  new MemoryAccount(
    capacityBytes,
    (bytes) => `merging the results of the shards needs more than ${bytes} bytes`,
  );
