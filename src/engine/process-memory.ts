/**
 * Compares the memory of the whole process with its limit. The counted memory (data, reservations, queries) is not all of it:
 * threads, the allocator's free blocks, copies for a checkpoint and garbage take memory too. Writes and queries check the
 * process memory as well, so that it stays below the limit.
 */

/** Time for which a reading of the process memory is reused, since each reading costs a system call. */
const LOOK_MS = 5;
/** The limit divided by this number is reserved for queries and checkpoints; writes may not use it. */
const SPARED_PART = 8;
/** Number of query shares, over all threads, into which the free memory is divided. */
const QUERIES = 16;
/** Memory that every query may use. */
const QUERY_BYTES_MIN = 4 * 2 ** 20;

export class ProcessMemory {
  readonly #bytesMax: number;
  readonly #look: () => number;
  #bytes = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** `look` returns the resident memory of the process in bytes. */
  constructor(bytesMax: number, look: () => number = () => process.memoryUsage.rss()) {
    this.#bytesMax = bytesMax;
    this.#look = look;
  }

  /** Whether a write of `bytes` leaves the reserve for queries free. */
  hasCapacity(bytes: number): boolean {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return true;
    return this.#now() + bytes <= this.#bytesMax - this.#bytesMax / SPARED_PART;
  }

  /** Memory limit of a query that starts now, at most `bytesMax`. */
  queryBytes(bytesMax: number): number {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return bytesMax;
    const left = Math.floor((this.#bytesMax - this.#now()) / QUERIES);
    return Math.min(bytesMax, Math.max(left, QUERY_BYTES_MIN));
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
