/**
 * Assigns slots to the group keys of an aggregation that occur: consecutive numbers from 0 in order of first occurrence.
 * Memory grows with these keys, not with all possible ones.
 */
import type { MemoryAccount } from '../../base/index.js';
import { WordTable } from './value-table.js';

/** Up to this many group keys are looked up in a direct table; more are hashed. */
const DIRECT_SLOTS_MAX = 65_536;

export class GroupSlots {
  /** By group key: the slot plus 1; 0 = none. null = hashed. */
  readonly #direct: Uint32Array | null = null;
  readonly #hashed: WordTable | null = null;
  #count = 0;

  /** `cellCount` is at most 2^32. Throws 9006. */
  constructor(groupKeyCount: number, memory: MemoryAccount) {
    if (groupKeyCount <= DIRECT_SLOTS_MAX) this.#direct = memory.u32(groupKeyCount);
    else this.#hashed = new WordTable(memory);
  }

  /** Number of slots in use. */
  get count(): number {
    return this.#hashed?.count ?? this.#count;
  }

  /** The slot of the group key; a new key gets the next slot. Throws 9006. */
  slotOf(groupKey: number): number {
    const direct = this.#direct;
    if (direct === null) return (this.#hashed as WordTable).add(groupKey, 0);
    const found = direct[groupKey];
    if (found > 0) return found - 1;
    direct[groupKey] = ++this.#count;
    return this.#count - 1;
  }

  /** By slot: its group key. */
  groupKeys(): Uint32Array {
    const groupKeys = new Uint32Array(this.count);
    if (this.#hashed !== null) {
      const { keys } = this.#hashed;
      for (let slot = 0; slot < groupKeys.length; slot++) groupKeys[slot] = keys[slot * 2];
    }
    this.#direct?.forEach((slot, groupKey) => {
      if (slot > 0) groupKeys[slot - 1] = groupKey;
    });
    return groupKeys;
  }
}
