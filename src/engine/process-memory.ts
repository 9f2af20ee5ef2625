/**
 * Compares the memory of the whole process with its limit. The counted memory (data, reservations, queries) is not all of it:
 * threads, the allocator's free blocks, copies for a checkpoint and garbage take memory too. Writes and queries check the
 * process memory as well, so that it stays below the limit.
 */

/** Time for which a reading of the process memory is reused, since each reading costs a system call. */
const LOOK_MS = 5;
/** The limit divided by this number, and at least the share of one query, is reserved for queries and checkpoints. */
const SPARED_PART = 8;

export class ProcessMemory {
  readonly #bytesMax: number;
  readonly #queryBytes: number;
  readonly #look: () => number;
  #bytes = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** `queryBytes`: the share of one query. `look` returns the resident memory of the process in bytes. */
  constructor(bytesMax: number, queryBytes: number, look: () => number = () => process.memoryUsage.rss()) {
    this.#bytesMax = bytesMax;
    this.#queryBytes = queryBytes;
    this.#look = look;
  }

  /** Whether a write of `bytes` leaves the reserve for queries free. */
  hasCapacity(bytes: number): boolean {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return true;
    const spared = Math.max(this.#bytesMax / SPARED_PART, this.#queryBytes);
    return this.#now() + bytes <= this.#bytesMax - spared;
  }

  /** Whether a query may use its share besides what `runningCount` others, which may just have begun, still may take. */
  hasQueryCapacity(runningCount: number): boolean {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return true;
    return this.#bytesMax - this.#now() >= this.#queryBytes * (runningCount + 1);
  }

  #now(): number {
    const nowMs = performance.now();
    if (nowMs - this.#lookedMs >= LOOK_MS) {
      this.#bytes = this.#look();
      this.#lookedMs = nowMs;
    }
    return this.#bytes;
  }
}
