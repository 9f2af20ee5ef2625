/**
 * Memory of the whole process beside its bound. What is counted (data, promises, what queries take) is not all: there
 * are the threads themselves, what the allocator keeps between blocks, copies of a checkpoint, and what no collector
 * has looked at yet. Writes and queries look here too, so that these never add up to more than the process may have.
 */

/** How long a look at the process holds: it costs a system call. */
const LOOK_MS = 5;
/** Of the bound: kept free of writes, for queries and checkpoints. */
const SPARED_PART = 8;
/** What is free is shared by so many queries on so many threads. */
const QUERIES = 16;
/** A query may always take so much. */
const QUERY_BYTES_MIN = 4 * 2 ** 20;

export class ProcessMemory {
  readonly #bytesMax: number;
  readonly #look: () => number;
  #bytes = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** `look`: bytes that the process has in memory now. */
  constructor(bytesMax: number, look: () => number = () => process.memoryUsage.rss()) {
    this.#bytesMax = bytesMax;
    this.#look = look;
  }

  /** Whether a write that takes `bytes` would leave queries their part. */
  hasRoom(bytes: number): boolean {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return true;
    return this.#now() + bytes <= this.#bytesMax - this.#bytesMax / SPARED_PART;
  }

  /** What a query that begins now may take, `bytesMax` at most. */
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
