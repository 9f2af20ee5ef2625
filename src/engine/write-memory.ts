/**
 * Memory that writes may take: what the data and what is kept beside it take now, and what writes that are under way were
 * promised. Invariant: a write whose record is appended was checked here in the same turn, so a logged record always fits.
 */
import { QuarryError } from '../base/index.js';
import type { LaneSet } from './lanes.js';
import type { OnceTable } from './once.js';

/** What a parsed insert may take in the lanes beside its own bytes: index slots, dictionary entries, growth. */
export const MEMORY_PER_BATCH_BYTE = 2;
/** A dictionary's bytes are counted by 32 bits, and grow by doubling. */
const DICTIONARY_BYTES_MAX = 2 ** 31;

export class WriteMemory {
  readonly #lanes: LaneSet;
  readonly #once: OnceTable;
  readonly #limitBytes: number;
  #promisedBytes = 0;

  constructor(lanes: LaneSet, once: OnceTable, limitBytes: number) {
    this.#lanes = lanes;
    this.#once = once;
    this.#limitBytes = limitBytes;
  }

  /** Memory of the data, of bodies on their way, and of what is kept beside them. */
  get usedBytes(): number {
    return this.#lanes.memoryBytes + this.#once.memoryBytes + this.#promisedBytes;
  }

  /** Throws 9003 when there is no room for so much more. */
  check(moreBytes: number): void {
    if (this.usedBytes + moreBytes > this.#limitBytes) {
      throw new QuarryError(9003, 'memory limit reached: writes are refused until memory is freed');
    }
    if (this.#lanes.dictionaryBytesMax > DICTIONARY_BYTES_MAX) {
      throw new QuarryError(9003, 'a column holds as many distinct strings as a shard takes');
    }
  }

  /** Counts `bytes` as taken until `work` is over. */
  async while<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    this.#promisedBytes += bytes;
    try {
      return await work();
    } finally {
      this.#promisedBytes -= bytes;
    }
  }
}
