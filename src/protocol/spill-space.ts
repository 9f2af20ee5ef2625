/**
 * The disk space of the rows that queries spill, shared by all threads.
 * Layout  Int32 of blocks of SPILL_BLOCK_BYTES: all current blocks; all blocks ever written, modulo 2^32; the current blocks
 *         of each thread; then for each slot of WorkerQueryLimits the query's current blocks, and those that it wrote.
 *         Numbers of queries beyond the last slot begin with the first one again.
 * Invariant  the first number is the sum of those of the threads. A thread closes the files of a query some time after its
 *            end, so the number of the next query with the slot may be too low by then, and never too high.
 */
import { QuarryError } from '../base/index.js';

/** Files grow by blocks. */
export const SPILL_BLOCK_BYTES = 65_536;

/** The most queries that have a slot in shared memory at the same time. */
export const QUERY_SLOTS = 4_096;

export interface SpillLimits {
  /** Disk space of one query, in bytes. */
  readonly queryBytesMax: number;
  /** Disk space of all queries, in bytes. */
  readonly bytesMax: number;
}

const ALL = 0;
const WRITTEN = 1;
const THREADS = 2;

export class SpillSpace {
  readonly shared: SharedArrayBuffer;
  readonly #limits: SpillLimits;
  readonly #blocks: Int32Array;
  /** The first slot, and the number of slots. */
  readonly #slots: number;
  readonly #slotCount: number;

  /** `shared`: the memory of this space, which other threads may have, too. */
  constructor(shared: SharedArrayBuffer, limits: SpillLimits, threadCount: number) {
    this.shared = shared;
    this.#limits = limits;
    this.#blocks = new Int32Array(shared);
    this.#slots = THREADS + threadCount;
    this.#slotCount = (this.#blocks.length - this.#slots) / 2;
  }

  /** The memory of a space. */
  static memory(slotCount: number, threadCount: number): SharedArrayBuffer {
    return new SharedArrayBuffer((THREADS + threadCount + slotCount * 2) * Int32Array.BYTES_PER_ELEMENT);
  }

  /** Bytes on disk now, of all queries. */
  get bytes(): number {
    return Atomics.load(this.#blocks, ALL) * SPILL_BLOCK_BYTES;
  }

  /** Bytes that all queries have written, modulo 2^48. */
  get writtenBytes(): number {
    return (Atomics.load(this.#blocks, WRITTEN) >>> 0) * SPILL_BLOCK_BYTES;
  }

  /** Bytes that the query of the slot has written. */
  queryWrittenBytes(slot: number): number {
    return Atomics.load(this.#blocks, this.#at(slot) + 1) * SPILL_BLOCK_BYTES;
  }

  #at(slot: number): number {
    return this.#slots + (slot % this.#slotCount) * 2;
  }

  /** Called before a query uses the slot. */
  beginQuery(slot: number): void {
    Atomics.store(this.#blocks, this.#at(slot), 0);
    Atomics.store(this.#blocks, this.#at(slot) + 1, 0);
  }

  /** Reserves blocks for the query of the slot on a thread. Throws 9006 and reserves nothing if they exceed a limit. */
  reserve(slot: number, threadIndex: number, blockCount: number): void {
    const { queryBytesMax, bytesMax } = this.#limits;
    const own = this.#add(slot, threadIndex, blockCount) * SPILL_BLOCK_BYTES;
    if (own > queryBytesMax || this.bytes > bytesMax) {
      this.#add(slot, threadIndex, -blockCount);
      const limit =
        own > queryBytesMax
          ? `the ${queryBytesMax} bytes of disk of one query`
          : `the ${bytesMax} bytes of disk of all queries`;
      throw new QuarryError(9006, `the rows that the query cannot keep in memory take more than ${limit}`);
    }
    Atomics.add(this.#blocks, this.#at(slot) + 1, blockCount);
    Atomics.add(this.#blocks, WRITTEN, blockCount);
  }

  release(slot: number, threadIndex: number, blockCount: number): void {
    this.#add(slot, threadIndex, -blockCount);
  }

  /** Returns the query's blocks. */
  #add(slot: number, threadIndex: number, blockCount: number): number {
    Atomics.add(this.#blocks, ALL, blockCount);
    Atomics.add(this.#blocks, THREADS + threadIndex, blockCount);
    return Atomics.add(this.#blocks, this.#at(slot), blockCount) + blockCount;
  }

  /** Releases the blocks of a worker that died, whose files the system has closed. */
  releaseWorker(threadIndex: number): void {
    const blockCount = Atomics.exchange(this.#blocks, THREADS + threadIndex, 0);
    Atomics.sub(this.#blocks, ALL, blockCount);
  }
}
