/**
 * Compares the memory of the whole process with its limit. The counted memory (data, reservations, queries) is not all of it:
 * threads, the allocator's free blocks, copies for a checkpoint and garbage take memory too. Writes and queries check the
 * process memory as well, so that it stays below the limit.
 */

/** Time for which a reading of the process memory is reused, since each reading costs a system call. */
const LOOK_MS = 5;
/** The limit divided by this number, and at least memory for one large query, is reserved for queries and checkpoints; writes may not use it. */
const SPARED_PART = 8;
/** A query may use its share on the workers, and the same again on the main thread. */
const SHARE_COPIES = 2;
/** The least share of a query with a concurrency slot: with less, most large queries are refused though they can spill. */
const SPILL_BYTES_MIN = 8 * 2 ** 20;
/** The least share of a query without a concurrency slot. */
const SMALL_BYTES_MIN = 4 * 2 ** 20;

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
    const spared = Math.max(this.#bytesMax / SPARED_PART, SPILL_BYTES_MIN * SHARE_COPIES);
    return this.#now() + bytes <= this.#bytesMax - spared;
  }

  /** Memory limit of a query without a concurrency slot that starts now, at most `bytesMax`. */
  smallBytes(bytesMax: number): number {
    return Math.min(bytesMax, Math.max(this.#freeShare(0), SMALL_BYTES_MIN));
  }

  /**
   * Memory limit of a query with a concurrency slot that starts now, at most `bytesMax`; null = it must wait for one of the
   * running queries, whose limits are `reservedBytes` together. A query beside no other never waits.
   */
  queryBytes(bytesMax: number, reservedBytes: number): number | null {
    const least = Math.min(bytesMax, SPILL_BYTES_MIN);
    const share = this.#freeShare(reservedBytes);
    return share < least && reservedBytes > 0 ? null : Math.min(bytesMax, Math.max(share, least));
  }

  #freeShare(reservedBytes: number): number {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    return Math.floor((this.#bytesMax - this.#now()) / SHARE_COPIES) - reservedBytes;
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
