/** The memory account of merging one query on the main thread. */
import { MemoryAccount } from '../base/index.js';

export const mergeMemory = (capacityBytes: number): MemoryAccount =>
  new MemoryAccount(
    capacityBytes,
    (bytes) => `merging what the shards answer needs more than ${bytes} bytes`,
  );
