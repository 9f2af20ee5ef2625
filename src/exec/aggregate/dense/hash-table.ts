/**
 * A hash table that numbers key words in order of appearance, in the memory of a query (see the kernels of
 * src/kernels/wasm/hash.ts). Its entries are u32 numbers; the key words are in an array of the caller.
 * Invariant  at most half of the entries are in use.
 */
import type { QueryMemory } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';

const ENTRIES_MIN = 16_384;

export class HashTable {
  readonly #memory: QueryMemory;
  readonly #run: QueryRun;
  #table = 0;
  /** The number of allocated entries, and of those in use as a table; powers of two. */
  #capacity = 0;
  #size = 0;
  /** The number of different key words since the last `clear`. */
  count = 0;

  constructor(memory: QueryMemory, run: QueryRun) {
    this.#memory = memory;
    this.#run = run;
  }

  /** Removes all key words; the memory stays allocated. */
  clear(): void {
    this.count = 0;
    this.#size = Math.min(ENTRIES_MIN, this.#capacity);
    this.#memory.u32.fill(0, this.#table / 4, this.#table / 4 + this.#size);
  }

  /**
   * Grows the table for `rows` more key words; `keysAt` is the offset of the key words so far. Returns false if the query
   * has no memory for it.
   */
  reserve(rows: number, keysAt: number): boolean {
    const needed = (this.count + rows) * 2;
    if (needed <= this.#size) return true;
    let size = Math.max(ENTRIES_MIN, this.#size);
    while (size < needed) size *= 4;
    if (size > this.#capacity) {
      const at = this.#memory.allocate(size * 4, this.#run);
      if (at === null) return false;
      this.#table = at;
      this.#capacity = size;
    } else this.#memory.u32.fill(0, this.#table / 4, this.#table / 4 + size);
    this.#size = size;
    this.#memory.kernels.rehashGroups(this.#memory.hashSeed, keysAt, this.count, this.#table, size - 1);
    return true;
  }

  /**
   * For each row that is set in `selected` (0 = all), writes the number of the row's key word to the row's slot (u32). The table
   * must have been reserved for `rows` more, and so must the key words at `keysAt`.
   */
  find(words: number, selected: number, rows: number, keysAt: number, slots: number): void {
    this.count = this.#memory.kernels.findGroups(
      this.#memory.hashSeed,
      words,
      selected,
      rows,
      this.#table,
      this.#size - 1,
      keysAt,
      this.count,
      slots,
    );
  }
}
