/** Collects rows of batches until there are enough to write them together. */
import { invariant } from '../../base/index.js';
import { concat, gather, type SqlType, type Texts, type Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';

const BUFFER_BYTES_MAX = 16 * 2 ** 20;
const BUFFER_BYTES_MIN = 32 * 2 ** 10;
/** The buffer takes this part of the free memory. */
const BUFFER_PART = 16;
/** The memory of the buffer, its concatenation, the order of its rows and their encoding, in sizes of the buffer. */
const BUFFER_COPIES = 4;
const VALUE_BYTES = 9;
const ROW_BYTES = 8;

export interface BufferedRows {
  readonly count: number;
  /** One per column. */
  readonly vectors: readonly Vector[];
}

export class RowBuffer {
  readonly #types: readonly SqlType[];
  readonly #memory: QueryRun;
  readonly #shareBytesMax: number;
  #capacityBytes = 0;
  #parts: Vector[][];
  #count = 0;
  #bytes = 0;
  /** By column, the list of texts of the last batch. */
  readonly #texts: (Texts | null)[];

  /** The run must be able to spill. Throws 9006. */
  constructor(types: readonly SqlType[], run: QueryRun) {
    invariant(run.spill !== null, 'rows are collected for a spill');
    this.#types = types;
    this.#memory = run.child();
    this.#shareBytesMax = run.spill.shareBytesMax;
    this.#parts = types.map(() => []);
    this.#texts = types.map(() => null);
    this.#reserve();
  }

  get count(): number {
    return this.#count;
  }

  /** The number of rows that fit if the query uses no other memory. */
  get rowsMax(): number {
    return Math.floor(this.#capacityOf(this.#memory.limitBytes) / this.#rowBytes);
  }

  get #rowBytes(): number {
    return this.#types.length * VALUE_BYTES + ROW_BYTES;
  }

  /** Takes more memory once it is free. */
  #reserve(): void {
    this.#memory.releaseAll();
    this.#capacityBytes = this.#capacityOf(this.#memory.freeBytes);
    this.#memory.reserve(this.#capacityBytes * BUFFER_COPIES);
  }

  #capacityOf(bytes: number): number {
    const wanted = Math.min(BUFFER_BYTES_MAX, bytes / BUFFER_PART, this.#shareBytesMax);
    return Math.max(BUFFER_BYTES_MIN, Math.floor(wanted));
  }

  /** Adds copies of the first `count` of `rows`; returns whether the rows are to be taken. */
  add(vectors: readonly Vector[], rows: Uint32Array, count: number): boolean {
    for (const [column, vector] of vectors.entries()) {
      this.#parts[column].push(gather(vector, rows, count));
      if (vector.kind !== 'text' || vector.texts === this.#texts[column]) continue;
      this.#texts[column] = vector.texts;
      // A short list belongs to the batch; a long one is shared.
      if (vector.texts.size <= count) this.#bytes += vector.texts.memoryBytes;
    }
    this.#count += count;
    this.#bytes += count * this.#rowBytes;
    return this.#bytes >= this.#capacityBytes || this.#bytes >= this.#shareBytesMax;
  }

  /** Removes all rows. Their memory is reserved until the next rows are added. Throws 9006. */
  take(): BufferedRows {
    const vectors = this.#parts.map((parts, column) => concat(parts, this.#types[column]));
    const count = this.#count;
    this.#parts = this.#types.map(() => []);
    this.#texts.fill(null);
    this.#count = 0;
    this.#bytes = 0;
    this.#reserve();
    return { count, vectors };
  }

  /** Releases all memory; may be called repeatedly. */
  release(): void {
    this.#parts = this.#types.map(() => []);
    this.#count = 0;
    this.#memory.releaseAll();
  }
}
