/**
 * Memory that writes may take: what the data and what is kept beside it take now, what writes that are under way were
 * promised, and what other parts of the server hold. Invariant: a write whose record is appended was checked here in the
 * same turn, so a logged record always fits.
 */
import { bytesOf, type DataMemory, MemoryAccount, QuarryError } from '../../base/index.js';
import type { ProcessMemory } from '../process-memory.js';
import type { LaneSet } from '../workers/worker-clients.js';
import type { OnceTable } from './deduplication.js';

/** What a parsed insert may take in the lanes beside its own bytes: index slots, dictionary entries, growth. */
export const MEMORY_PER_BATCH_BYTE = 2;
/**
 * Below this part of the limit the process is not asked: then so much was deleted that new data goes where the old one was,
 * and the process gives nothing back.
 */
const REUSED_PART = 2;
/** Bytes that a small insert takes. */
const SMALL_WRITE_BYTES = 64 * 2 ** 10;
/** A dictionary's bytes are counted by 32 bits, and grow by doubling. */
const DICTIONARY_BYTES_MAX = 2 ** 31;

/** All that counts against the limit, in bytes. */
export type UsedMemory = DataMemory & {
  readonly 'idempotency-keys': number;
  readonly 'writes-under-way': number;
  /** Of other parts of the server, while they run. */
  readonly 'postgres-catalog': number;
};

/** What may be reserved depends on the data, so `WriteMemory` decides. */
const uncapped = (): MemoryAccount =>
  new MemoryAccount(Number.POSITIVE_INFINITY, () => 'memory limit reached');

export class WriteMemory {
  readonly #lanes: Pick<LaneSet, 'memory' | 'dictionaryBytesMax'>;
  readonly #once: Pick<OnceTable, 'memoryBytes'>;
  readonly #limitBytes: number;
  readonly #process: ProcessMemory;
  readonly #writes = uncapped();
  readonly #others = uncapped();

  constructor(
    lanes: Pick<LaneSet, 'memory' | 'dictionaryBytesMax'>,
    once: Pick<OnceTable, 'memoryBytes'>,
    limitBytes: number,
    process: ProcessMemory,
  ) {
    this.#lanes = lanes;
    this.#once = once;
    this.#limitBytes = limitBytes;
    this.#process = process;
  }

  /** Memory of the data, of what is kept beside them, and what writes on their way were promised. */
  get used(): UsedMemory {
    return {
      ...this.#lanes.memory,
      'idempotency-keys': this.#once.memoryBytes,
      'writes-under-way': this.#writes.reservedBytes,
      'postgres-catalog': this.#others.reservedBytes,
    };
  }

  /** Throws 9003 when there is no room for so much more. */
  check(moreBytes: number): void {
    if (!this.#hasRoom(moreBytes)) {
      throw new QuarryError(9003, 'memory limit reached: writes are refused until memory is freed');
    }
    if (this.#lanes.dictionaryBytesMax > DICTIONARY_BYTES_MAX) {
      throw new QuarryError(9003, 'a column holds as many distinct strings as a shard takes');
    }
  }

  /** Whether even a small insert finds no room. */
  get isFull(): boolean {
    return !this.#hasRoom(SMALL_WRITE_BYTES);
  }

  #hasRoom(moreBytes: number): boolean {
    const bytes = bytesOf(this.used) + moreBytes;
    if (bytes > this.#limitBytes) return false;
    return (
      bytes <= this.#limitBytes / REUSED_PART || this.#process.hasRoom(this.#writes.reservedBytes + moreBytes)
    );
  }

  /** Counts `bytes` as taken by another part of the server until what it gives is called; null = there is no room for them. */
  hold(bytes: number): (() => void) | null {
    if (!this.#hasRoom(bytes)) return null;
    this.#others.reserve(bytes);
    return () => this.#others.release(bytes);
  }

  /** Counts `bytes` as taken until `work` is over. */
  async while<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    this.#writes.reserve(bytes);
    try {
      return await work();
    } finally {
      this.#writes.release(bytes);
    }
  }
}
