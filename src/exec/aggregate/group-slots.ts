/**
 * Assigns slots to the non-empty cells of an aggregation: consecutive numbers from 0 in order of first occurrence.
 * Memory grows with the non-empty cells, not with all possible ones.
 */
import type { MemoryAccount } from '../../base/index.js';
import { WordTable } from './value-table.js';

/** Up to this many cells are looked up in a direct table; more are hashed. */
const DIRECT_SLOTS_MAX = 65_536;

export class GroupSlots {
  /** By cell: the slot plus 1; 0 = none. null = hashed. */
  readonly #direct: Uint32Array | null = null;
  readonly #hashed: WordTable | null = null;
  #count = 0;

  /** `cellCount` is at most 2^32. Throws 9006. */
  constructor(cellCount: number, memory: MemoryAccount) {
    if (cellCount <= DIRECT_SLOTS_MAX) this.#direct = memory.u32(cellCount);
    else this.#hashed = new WordTable(memory);
  }

  /** Number of slots in use. */
  get count(): number {
    return this.#hashed?.count ?? this.#count;
  }

  /** The slot of the cell; a new cell gets the next slot. Throws 9006. */
  slotOf(cell: number): number {
    const direct = this.#direct;
    if (direct === null) return (this.#hashed as WordTable).add(cell, 0);
    const found = direct[cell];
    if (found > 0) return found - 1;
    direct[cell] = ++this.#count;
    return this.#count - 1;
  }

  /** By slot: its cell. */
  cells(): Uint32Array {
    const cells = new Uint32Array(this.count);
    if (this.#hashed !== null) {
      const { keys } = this.#hashed;
      for (let slot = 0; slot < cells.length; slot++) cells[slot] = keys[slot * 2];
    }
    this.#direct?.forEach((slot, cell) => {
      if (slot > 0) cells[slot - 1] = cell;
    });
    return cells;
  }
}
