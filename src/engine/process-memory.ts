/**
 * Compares the memory of the whole process with its limit. The counted memory (data, reservations, queries) is not all of it:
 * threads, the allocator's free blocks, copies for a checkpoint and garbage take memory too. Writes and queries check the
 * process memory as well, so that it stays below the limit.
 */

/** Time for which a reading of the process memory is reused, since each reading costs a system call. */
const LOOK_MS = 5;
/** The limit divided by this number is reserved for queries and checkpoints; writes may not use it. */
const SPARED_PART = 8;
/** The least memory that is reserved for queries. */
const SPARED_BYTES_MIN = 64 * 2 ** 20;
/** Memory that every query may use. */
const QUERY_BYTES_MIN = 4 * 2 ** 20;

export class ProcessMemory {
  readonly #bytesMax: number;
  readonly #look: () => number;
  #bytes = 0;
  /** Memory that running queries may use. */
  #queryBytes = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** `look` returns the resident memory of the process in bytes. */
  constructor(bytesMax: number, look: () => number = () => process.memoryUsage.rss()) {
    this.#bytesMax = bytesMax;
    this.#look = look;
  }

  /** Whether a write of `bytes` leaves the reserve for queries free. */
  hasCapacity(bytes: number): boolean {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return true;
    const spared = Math.max(this.#bytesMax / SPARED_PART, SPARED_BYTES_MIN);
    return this.#now() + bytes <= this.#bytesMax - spared;
  }

  /**
   * Reserves memory for a query that starts now, and returns how much it may use: at most `bytesMax`, and what neither the
   * process nor the queries before it use, or may use. A query beside no other may use SPARED_BYTES_MIN. The caller calls `releaseQuery` with the same number.
   */
  reserveQuery(bytesMax: number): number {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return bytesMax;
    const free = Math.max(this.#bytesMax - this.#now(), SPARED_BYTES_MIN) - this.#queryBytes;
    const bytes = Math.min(bytesMax, Math.max(free, QUERY_BYTES_MIN));
    this.#queryBytes += bytes;
    return bytes;
  }

  releaseQuery(bytes: number): void {
    if (this.#bytesMax < Number.POSITIVE_INFINITY) this.#queryBytes -= bytes;
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
