/**
 * The memory limit for writes. It counts the data and its auxiliary structures, the reservations of running writes, and those of
 * other parts of the server. Invariant: a write is checked here in the turn in which its record is appended, so a logged
 * record always fits.
 */
import { bytesOf, type DataMemory, MemoryAccount, QuarryError } from '../../base/index.js';
import type { ProcessMemory } from '../process-memory.js';
import type { WorkerClients } from '../workers/worker-clients.js';
import type { DeduplicationTable } from './deduplication.js';
import type { LineKeys } from './line-keys.js';

/** Memory in the workers per byte of a parsed insert, in addition to it: index slots, dictionary entries, growth. */
export const MEMORY_PER_BATCH_BYTE = 2;
/**
 * The process memory is checked only when the data takes more than the limit divided by this number. With less data, so much was
 * deleted that new data reuses memory that the process has not returned to the system.
 */
const REUSED_PART = 2;
/** Memory of a small insert. */
const SMALL_WRITE_BYTES = 64 * 2 ** 10;
/** A dictionary has 32-bit offsets and grows by doubling. */
const DICTIONARY_BYTES_MAX = 2 ** 31;

/** Memory that counts against the limit, by purpose, in bytes. */
export type UsedMemory = DataMemory & {
  readonly 'idempotency-keys': number;
  readonly 'line-keys': number;
  readonly 'writes-under-way': number;
  /** Reservations of the Postgres catalog while it runs. */
  readonly 'postgres-catalog': number;
};

/** What is remembered of writes, by which repeats are recognized. */
export interface KeyTables {
  readonly deduplication: Pick<DeduplicationTable, 'memoryBytes'>;
  readonly lineKeys: Pick<LineKeys, 'memoryBytes'>;
}

/** An account without a limit of its own, because `WriteMemory` checks the total. */
const uncapped = (): MemoryAccount =>
  new MemoryAccount(Number.POSITIVE_INFINITY, () => 'memory limit reached');

export class WriteMemory {
  readonly #workers: Pick<WorkerClients, 'memory' | 'dictionaryBytesMax'>;
  readonly #tables: KeyTables;
  readonly #limitBytes: number;
  readonly #process: ProcessMemory;
  readonly #writes = uncapped();
  readonly #others = uncapped();

  constructor(
    workers: Pick<WorkerClients, 'memory' | 'dictionaryBytesMax'>,
    tables: KeyTables,
    limitBytes: number,
    process: ProcessMemory,
  ) {
    this.#workers = workers;
    this.#tables = tables;
    this.#limitBytes = limitBytes;
    this.#process = process;
  }

  /** Memory of the data, of auxiliary structures and of reservations. */
  get used(): UsedMemory {
    return {
      ...this.#workers.memory,
      'idempotency-keys': this.#tables.deduplication.memoryBytes,
      'line-keys': this.#tables.lineKeys.memoryBytes,
      'writes-under-way': this.#writes.reservedBytes,
      'postgres-catalog': this.#others.reservedBytes,
    };
  }

  /** Throws 9003 if `moreBytes` more bytes would exceed the limit. */
  check(moreBytes: number): void {
    if (!this.#hasCapacity(moreBytes)) {
      throw new QuarryError(9003, 'memory limit reached: writes are refused until memory is freed');
    }
    if (this.#workers.dictionaryBytesMax > DICTIONARY_BYTES_MAX) {
      throw new QuarryError(9003, 'a column has the maximum number of distinct strings per shard');
    }
  }

  /** Whether not even a small insert fits. */
  get isFull(): boolean {
    return !this.#hasCapacity(SMALL_WRITE_BYTES);
  }

  #hasCapacity(moreBytes: number): boolean {
    const bytes = bytesOf(this.used) + moreBytes;
    if (bytes > this.#limitBytes) return false;
    return (
      bytes <= this.#limitBytes / REUSED_PART ||
      this.#process.hasCapacity(this.#writes.reservedBytes + moreBytes)
    );
  }

  /** Reserves `bytes` for another part of the server. Returns the function that releases them; null = they do not fit. */
  hold(bytes: number): (() => void) | null {
    if (!this.#hasCapacity(bytes)) return null;
    this.#others.reserve(bytes);
    return () => this.#others.release(bytes);
  }

  /** Reserves `bytes` until `work` settles. */
  async while<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    this.#writes.reserve(bytes);
    try {
      return await work();
    } finally {
      this.#writes.release(bytes);
    }
  }
}
