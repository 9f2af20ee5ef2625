/**
 * Numbers the values of an integer column in order of appearance, for keys whose values do not fit in a key word as
 * they are. Cost: as a lookup in a hash table, 3 to 20 ns per row.
 */
import { halvesOf } from '../../../vector/index.js';
import type { QueryMemory } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';
import type { Allocate } from './allocations.js';
import { type Block, DENSE_BLOCK_ROWS, FIELD_BYTES } from './block.js';
import { HashTable } from './hash-table.js';
import type { SegmentColumns } from './segment-columns.js';

export class ValueNumbers {
  readonly #columnId: number;
  readonly #memory: QueryMemory;
  readonly #words: WordNumbers;
  /** The values of a block's rows, and their numbers (i32). */
  readonly #blockValues: number;
  readonly numbers: number;

  constructor(columnId: number, memory: QueryMemory, run: QueryRun, at: Allocate) {
    this.#columnId = columnId;
    this.#memory = memory;
    this.#words = new WordNumbers(memory, run);
    this.#blockValues = at(DENSE_BLOCK_ROWS * FIELD_BYTES);
    this.numbers = at(DENSE_BLOCK_ROWS * 4);
  }

  /**
   * Writes the number of each selected row of the block to `numbers`; -1 = the row has no value. Returns false if the
   * query has no memory for new values.
   */
  add(columns: SegmentColumns, block: Block): boolean {
    const { from, rows } = block;
    const { i32 } = this.#memory;
    i32.fill(-1, this.numbers / 4, this.numbers / 4 + rows);
    if (columns.column(this.#columnId).stored === null) return true;
    const target = { at: this.#blockValues, recordBytes: FIELD_BYTES };
    columns.stageValues(this.#columnId, { from, rows, selected: 0 }, target);
    const present = columns.presentRows(this.#columnId, block);
    return this.#words.find(this.#blockValues, present, rows, this.numbers);
  }

  /**
   * Replaces indexes, which are numbers plus 1, by their values, in the same memory; an arbitrary value for index 0.
   */
  valuesOf(indexes: Float64Array): BigInt64Array {
    const values = new BigInt64Array(indexes.buffer, indexes.byteOffset, indexes.length);
    const halves = halvesOf(values);
    const { i32 } = this.#memory;
    const first = this.#words.words / 4 - 2;
    for (let row = 0; row < indexes.length; row++) {
      if (indexes[row] === 0) continue;
      const at = first + indexes[row] * 2;
      halves[row * 2] = i32[at];
      halves[row * 2 + 1] = i32[at + 1];
    }
    return values;
  }
}

/** Numbers words of 64 bits in order of appearance. */
export class WordNumbers {
  readonly #memory: QueryMemory;
  readonly #run: QueryRun;
  readonly #hash: HashTable;
  /** Byte offset of the words by number, and how many there is memory for. */
  words = 0;
  #capacity = 0;

  constructor(memory: QueryMemory, run: QueryRun) {
    this.#memory = memory;
    this.#run = run;
    this.#hash = new HashTable(memory, run);
  }

  /**
   * Writes the number (u32) of each word that is set in `selected` (0 = all) to `numbers`. Returns false if the query
   * has no memory for new words.
   */
  find(words: number, selected: number, rows: number, numbers: number): boolean {
    if (!this.#reserve(rows) || !this.#hash.reserve(rows, this.words)) return false;
    this.#hash.find(words, selected, rows, this.words, numbers);
    return true;
  }

  #reserve(rows: number): boolean {
    const needed = this.#hash.count + rows;
    if (needed <= this.#capacity) return true;
    const capacity = Math.max(needed, this.#capacity * 2);
    const to = this.#memory.allocateUnset(capacity * FIELD_BYTES, this.#run);
    if (to === null) return false;
    this.#memory.u8.copyWithin(to, this.words, this.words + this.#hash.count * FIELD_BYTES);
    this.words = to;
    this.#capacity = capacity;
    return true;
  }
}
