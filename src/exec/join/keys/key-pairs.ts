/**
 * Codes of pairs of codes, for keys of several columns: in chains by the first code (see pair-chains.ts), or, if a chain
 * is long, in a hash table.
 * Layout  open addressing with linear probing, at most half full; a slot is four integers: the two codes, the code of
 *         the pair (0 = free), and an unused one.
 * Hashes  have random multipliers, because clients choose the keys.
 */
import { randomBytes } from 'node:crypto';
import { invariant } from '../../../base/index.js';
import type { QueryRun } from '../../query-run.js';
import { PairChains, type PairList } from './pair-chains.js';

const SLOT_BYTES = 16;
const SLOTS_MIN = 1_024;
/** A table that is half full grows by this factor. */
const GROWTH = 4;

/** A table of pairs of codes. */
interface PairTable {
  /** Replaces codes[row] by the code of the pair (codes[row], others[row]); returns the first row without, or `to`. */
  add(from: number, to: number, codes: Int32Array, others: Int32Array): number;
  find(count: number, codes: Int32Array, others: Int32Array): void;
  /** Adds different pairs with their codes; returns false if not all are added. */
  addAll(pairs: Iterable<PairList>): boolean;
  pairs(): Iterable<PairList>;
  release(): void;
}

export class PairCodes {
  #table: PairTable;
  /** The tables to try when a chain of the current one is too long. */
  readonly #others: (() => PairTable)[];

  /** For at most `rowCount` rows. Throws 9006. */
  constructor(rowCount: number, run: QueryRun) {
    this.#table = new PairChains(rowCount, false, run);
    this.#others = [() => new PairChains(rowCount, true, run), () => new PairSlots(run)];
  }

  /** Replaces codes[row] with the code of the pair (codes[row], others[row]), for rows [from, to). Throws 9006. */
  add(from: number, to: number, codes: Int32Array, others: Int32Array): void {
    let row = this.#table.add(from, to, codes, others);
    while (row < to) {
      this.#replace();
      row = this.#table.add(row, to, codes, others);
    }
  }

  #replace(): void {
    const before = this.#table;
    for (let isWhole = false; !isWhole; ) {
      const create = this.#others.shift();
      invariant(create !== undefined, 'a hash table takes all pairs');
      this.#table = create();
      isWhole = this.#table.addAll(before.pairs());
      if (!isWhole) this.#table.release();
    }
    before.release();
  }

  /** Replaces codes[row] with the code of the pair (codes[row], others[row]), or 0, for rows below `count`. */
  find(count: number, codes: Int32Array, others: Int32Array): void {
    this.#table.find(count, codes, others);
  }
}

class PairSlots implements PairTable {
  readonly #run: QueryRun;
  readonly #first: number;
  readonly #second: number;
  #slots: Int32Array<ArrayBuffer>;
  #count = 0;

  /** Throws 9006. */
  constructor(run: QueryRun) {
    run.reserve(SLOTS_MIN * SLOT_BYTES);
    const random = randomBytes(8);
    this.#run = run;
    this.#first = random.readInt32LE(0) | 1;
    this.#second = random.readInt32LE(4) | 1;
    this.#slots = new Int32Array(SLOTS_MIN * 4);
  }

  addAll(pairs: Iterable<PairList>): boolean {
    for (const { firsts, seconds, codes } of pairs) {
      this.#reserve(codes.length);
      for (let at = 0; at < codes.length; at++) this.#add(this.#slots, firsts[at], seconds[at], codes[at]);
      this.#count += codes.length;
    }
    return true;
  }

  /** All pairs: none, because no other table replaces this one. */
  pairs(): Iterable<PairList> {
    return [];
  }

  release(): void {
    this.#run.release(this.#slots.length * 4);
  }

  add(from: number, to: number, codes: Int32Array, others: Int32Array): number {
    this.#reserve(to - from);
    for (let row = from; row < to; row++) {
      if (codes[row] === 0 || others[row] === 0) codes[row] = 0;
      else codes[row] = this.#add(this.#slots, codes[row], others[row], row + 1);
      if (codes[row] === row + 1) this.#count++;
    }
    return to;
  }

  /** The code of the pair; a new pair gets `code`. */
  #add(slots: Int32Array, a: number, b: number, code: number): number {
    const shift = Math.clz32(slots.length / 4) + 1;
    const last = slots.length - 1;
    let at = slotOf(a, b, this.#first, this.#second, shift) << 2;
    for (let stored = slots[at + 2]; stored !== 0; stored = slots[at + 2]) {
      if (slots[at] === a && slots[at + 1] === b) return stored;
      at = (at + 4) & last;
    }
    slots[at] = a;
    slots[at + 1] = b;
    slots[at + 2] = code;
    return code;
  }

  #reserve(rowCount: number): void {
    const slotCount = this.#slots.length / 4;
    if ((this.#count + rowCount) * 2 <= slotCount) return;
    let next = slotCount * GROWTH;
    while ((this.#count + rowCount) * 2 > next) next *= 2;
    this.#run.reserve(next * SLOT_BYTES);
    const slots = new Int32Array(next * 4);
    const from = this.#slots;
    for (let at = 0; at < from.length; at += 4) {
      if (from[at + 2] !== 0) this.#add(slots, from[at], from[at + 1], from[at + 2]);
    }
    this.#slots = slots;
    this.#run.release(slotCount * SLOT_BYTES);
  }

  find(count: number, codes: Int32Array, others: Int32Array): void {
    const slots = this.#slots;
    const [first, second] = [this.#first, this.#second];
    const shift = Math.clz32(slots.length / 4) + 1;
    const last = slots.length - 1;
    for (let row = 0; row < count; row++) {
      const [a, b] = [codes[row], others[row]];
      if (a === 0 || b === 0) {
        codes[row] = 0;
        continue;
      }
      let at = slotOf(a, b, first, second, shift) << 2;
      let code = slots[at + 2];
      while (code !== 0 && (slots[at] !== a || slots[at + 1] !== b)) {
        at = (at + 4) & last;
        code = slots[at + 2];
      }
      codes[row] = code;
    }
  }
}

function slotOf(a: number, b: number, first: number, second: number, shift: number): number {
  let hash = Math.imul(a, first);
  hash ^= (hash >>> 15) ^ b;
  hash = Math.imul(hash, second);
  hash ^= hash >>> 13;
  return Math.imul(hash, first) >>> shift;
}
