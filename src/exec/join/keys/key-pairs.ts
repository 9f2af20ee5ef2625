/**
 * Codes of pairs of codes, for keys of several columns.
 * Layout  open addressing with linear probing, at most half full; a slot is four integers: the two codes, the code of
 *         the pair (0 = free), and an unused one.
 * Hashes  have random multipliers, because clients choose the keys.
 */
import { randomBytes } from 'node:crypto';
import type { QueryRun } from '../../query-run.js';

const SLOT_BYTES = 16;
const SLOTS_MIN = 1_024;
/** A table that is half full grows by this factor. */
const GROWTH = 4;

export class PairCodes {
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

  /** Replaces codes[row] with the code of the pair (codes[row], others[row]), for rows [from, to). Throws 9006. */
  add(from: number, to: number, codes: Int32Array, others: Int32Array): void {
    this.#reserve(to - from);
    for (let row = from; row < to; row++) {
      if (codes[row] === 0 || others[row] === 0) codes[row] = 0;
      else codes[row] = this.#add(this.#slots, codes[row], others[row], row + 1);
      if (codes[row] === row + 1) this.#count++;
    }
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

  /** Replaces codes[row] with the code of the pair (codes[row], others[row]), or 0, for rows below `count`. */
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
