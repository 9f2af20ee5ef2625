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
/** Memory that running queries may use together, whatever the process takes. */
const QUERIES_BYTES_MIN = 48 * 2 ** 20;
/** A query waits for so much memory before it starts beside others: with less, it would spill nearly all of its rows. */
const QUERY_BYTES_MIN = 48 * 2 ** 20;
/** A query that does not wait for memory has this part of the free memory, and at least SMALL_QUERY_BYTES. */
const SMALL_QUERY_PART = 16;
const SMALL_QUERY_BYTES = 4 * 2 ** 20;

export class ProcessMemory {
  readonly #bytesMax: number;
  readonly #look: () => number;
  #bytes = 0;
  /** Memory that running queries may use, and their number. */
  #queryBytes = 0;
  #runningCount = 0;
  readonly #waiting: { readonly bytesMax: number; readonly start: (bytes: number) => void }[] = [];
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

  /** Memory limit of a query that does not wait for memory, at most `bytesMax`. */
  smallQueryBytes(bytesMax: number): number {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return bytesMax;
    const part = Math.floor((this.#bytesMax - this.#now()) / SMALL_QUERY_PART);
    return Math.min(bytesMax, Math.max(part, SMALL_QUERY_BYTES));
  }

  /**
   * Reserves memory for a query and resolves with its memory limit, at most `bytesMax`, when there is enough for it to start.
   * Queries start in the order of calls; a query beside no other starts at once. The caller calls `leaveQuery` with the same
   * number.
   */
  enterQuery(bytesMax: number): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.push({ bytesMax, start: resolve });
      this.#startWaiting();
    });
  }

  leaveQuery(bytes: number): void {
    this.#runningCount--;
    this.#queryBytes -= bytes;
    this.#startWaiting();
  }

  #startWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const { bytesMax, start } = next;
      const bytes = Math.min(bytesMax, Math.max(this.#freeBytes, QUERY_BYTES_MIN));
      if (this.#runningCount > 0 && bytes > this.#freeBytes) return;
      this.#waiting.shift();
      this.#runningCount++;
      this.#queryBytes += bytes;
      start(bytes);
    }
  }

  /** Memory that neither the process uses nor a query has reserved; queries together may have QUERIES_BYTES_MIN. */
  get #freeBytes(): number {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return this.#bytesMax;
    return Math.max(this.#bytesMax - this.#now(), QUERIES_BYTES_MIN) - this.#queryBytes;
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
