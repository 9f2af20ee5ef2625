/** The memory account of rows that wait to be merged. */
import { MemoryAccount } from '../../base/index.js';

export const waitingRowsMemory = (capacityBytes: number): MemoryAccount =>
  new MemoryAccount(
    capacityBytes,
    (bytes) => `rows of the shards wait to be merged in more than ${bytes} bytes`,
  );
