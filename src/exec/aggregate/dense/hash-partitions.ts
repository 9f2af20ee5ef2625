/**
 * Rows partitioned by the hash of their key words: each partition is a list of chunks in the memory of a query, so that the
 * groups of one partition fit in a core's cache while its rows are added (layout: partitionRows in
 * src/kernels/wasm/hash.ts).
 */
import type { QueryMemory } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';
import { DENSE_BLOCK_ROWS, FIELD_BYTES } from './block.js';

/** The hash's upper 8 bits select the partition. */
export const PARTITION_COUNT = 256;
const CHUNK_BYTES = 16_384;
const CHUNK_HEAD_BYTES = 16;
/** The number of chunks that are allocated at once. */
const CHUNKS_PER_STEP = 512;

/** Rows side by side: key words, records and records of extremes, at these offsets. */
export interface PartitionedRows {
  readonly words: number;
  readonly records: number;
  readonly extremes: number;
  readonly count: number;
}

export class HashPartitions {
  readonly #memory: QueryMemory;
  readonly #run: QueryRun;
  readonly #recordBytes: number;
  readonly #extremeBytes: number;
  readonly #chunkRows: number;
  readonly #chunkBytes: number;
  readonly #state: number;
  /** End of the memory of the chunks that are not in use yet, which are contiguous. */
  #freeEnd = 0;

  private constructor(memory: QueryMemory, run: QueryRun, state: number, bytes: readonly [number, number]) {
    const [recordBytes, extremeBytes] = bytes;
    const rowBytes = FIELD_BYTES + recordBytes + extremeBytes;
    this.#memory = memory;
    this.#run = run;
    this.#state = state;
    this.#recordBytes = recordBytes;
    this.#extremeBytes = extremeBytes;
    // Even, so that records are aligned to 16 bytes.
    this.#chunkRows = Math.min(
      DENSE_BLOCK_ROWS,
      Math.max(16, Math.floor((CHUNK_BYTES - CHUNK_HEAD_BYTES) / rowBytes / 2) * 2),
    );
    this.#chunkBytes = Math.ceil((CHUNK_HEAD_BYTES + this.#chunkRows * rowBytes) / 64) * 64;
    const { u32 } = memory;
    // An empty partition has no chunk, and no capacity in it.
    for (let partition = 0; partition < PARTITION_COUNT; partition++) {
      u32[state / 4 + partition * 2 + 1] = this.#chunkRows;
    }
    u32[state / 4 + PARTITION_COUNT * 2 + 1] = this.#chunkBytes;
  }

  /** null = the query has no memory for partitions. */
  static create(
    memory: QueryMemory,
    run: QueryRun,
    recordBytes: number,
    extremeBytes: number,
  ): HashPartitions | null {
    const state = memory.allocate(PARTITION_COUNT * 8 + 8, run);
    if (state === null) return null;
    const partitions = new HashPartitions(memory, run, state, [recordBytes, extremeBytes]);
    return partitions.#reserve() ? partitions : null;
  }

  get #next(): number {
    return this.#memory.u32[this.#state / 4 + PARTITION_COUNT * 2];
  }

  /** Ensures free chunks for DENSE_BLOCK_ROWS rows, whatever their partitions. */
  #reserve(): boolean {
    const needed = PARTITION_COUNT + Math.ceil(DENSE_BLOCK_ROWS / this.#chunkRows);
    if (this.#freeEnd - this.#next >= needed * this.#chunkBytes) return true;
    // If the new chunks do not follow the free ones, the free ones are left unused.
    const at = this.#memory.allocateUnset(CHUNKS_PER_STEP * this.#chunkBytes, this.#run);
    if (at === null) return false;
    if (at !== this.#freeEnd) this.#memory.u32[this.#state / 4 + PARTITION_COUNT * 2] = at;
    this.#freeEnd = at + CHUNKS_PER_STEP * this.#chunkBytes;
    return true;
  }

  /** Appends at most DENSE_BLOCK_ROWS rows. Returns false if the query has no memory for them. */
  add({ words, records, extremes, count }: PartitionedRows): boolean {
    if (!this.#reserve()) return false;
    this.#memory.kernels.partitionRows(
      this.#memory.hashSeed,
      words,
      count,
      records,
      this.#recordBytes,
      extremes,
      this.#extremeBytes,
      this.#chunkRows,
      this.#state,
    );
    return true;
  }

  /** The rows of a partition, chunk by chunk. */
  *rowsOf(partition: number): Generator<PartitionedRows, void> {
    const at = this.#state / 4 + partition * 2;
    let count = this.#memory.u32[at + 1];
    for (let chunk = this.#memory.u32[at]; chunk !== 0; chunk = this.#memory.u32[chunk / 4]) {
      const words = chunk + CHUNK_HEAD_BYTES;
      const records = words + this.#chunkRows * FIELD_BYTES;
      yield { words, records, extremes: records + this.#chunkRows * this.#recordBytes, count };
      count = this.#chunkRows;
    }
  }
}
