/**
 * Numbers texts 0, 1, ... by their bytes, in order of first occurrence.
 * Invariants  open addressing with linear probing, at most half full; memory is reserved before anything grows. Clients
 *             choose the texts, so they are hashed with random tables (aggregate/tabulation.ts) and collisions cannot
 *             be predicted.
 */
import { randomBytes } from 'node:crypto';
import { grownWithin, type MemoryAccount, QuarryError, type RandomBytes } from '../../../base/index.js';
import { GROUPS_MIN } from '../../scan/array-lengths.js';
import { hashOfWord, tabulation, tabulationBytes } from '../tabulation.js';

const CAPACITY_MIN = 64;
/** The largest offset that fits 32 bits. */
const BYTES_MAX = 2 ** 32 - 1;

export class TextTable {
  readonly #memory: MemoryAccount;
  readonly #random: Int32Array;
  /** By slot: a text's number plus 1; 0 = free. */
  #slots: Uint32Array<ArrayBuffer>;
  /** By number. */
  #hashes: Uint32Array<ArrayBuffer>;
  #offsets: Uint32Array<ArrayBuffer>;
  #bytes: Uint8Array<ArrayBuffer>;
  #count = 0;

  /** Throws 9006. */
  constructor(memory: MemoryAccount, random: RandomBytes = randomBytes) {
    this.#memory = memory;
    memory.reserve(tabulationBytes(2));
    this.#random = tabulation(2, random);
    this.#slots = memory.u32(CAPACITY_MIN * 2);
    this.#hashes = memory.u32(CAPACITY_MIN);
    this.#offsets = memory.u32(CAPACITY_MIN + 1);
    this.#bytes = grownWithin(memory, new Uint8Array(0), CAPACITY_MIN * 8, GROUPS_MIN);
  }

  get count(): number {
    return this.#count;
  }

  /** Text t spans bytes[offsets[t], offsets[t + 1]). Valid until the next `add`. */
  get offsets(): Uint32Array {
    return this.#offsets;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** The number of the text bytes[from, to); a new text gets the next number. Throws 9006. */
  add(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashOf(this.#random, bytes, from, to);
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = hash & last;
    for (let number = slots[slot]; number !== 0; number = slots[slot]) {
      if (this.#hashes[number - 1] === hash && this.#equals(number - 1, bytes, from, to)) return number - 1;
      slot = (slot + 1) & last;
    }
    if ((this.#count + 1) * 2 > slots.length) {
      this.#grow();
      return this.add(bytes, from, to);
    }
    const number = this.#append(hash, bytes, from, to);
    slots[slot] = number + 1;
    return number;
  }

  #equals(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#offsets[number];
    const length = to - from;
    if (this.#offsets[number + 1] - start !== length) return false;
    const own = this.#bytes;
    for (let index = 0; index < length; index++) if (own[start + index] !== bytes[from + index]) return false;
    return true;
  }

  #append(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const number = this.#count;
    const start = this.#offsets[number];
    const end = start + to - from;
    if (end > BYTES_MAX) {
      throw new QuarryError(9006, 'the distinct strings of the query exceed 4 GiB in total');
    }
    this.#offsets = grownWithin(this.#memory, this.#offsets, number + 2);
    this.#hashes = grownWithin(this.#memory, this.#hashes, number + 1);
    this.#bytes = grownWithin(this.#memory, this.#bytes, end, GROUPS_MIN);
    for (let index = from, at = start; index < to; index++, at++) this.#bytes[at] = bytes[index];
    this.#offsets[number + 1] = end;
    this.#hashes[number] = hash;
    this.#count++;
    return number;
  }

  #grow(): void {
    const slots = this.#memory.u32(this.#slots.length * 2);
    const last = slots.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let slot = this.#hashes[number] & last;
      while (slots[slot] !== 0) slot = (slot + 1) & last;
      slots[slot] = number + 1;
    }
    this.#memory.release(this.#slots.byteLength);
    this.#slots = slots;
  }
}

/** Each word is mixed into the unpredictable hash of the words before it. */
function hashOf(random: Int32Array, bytes: Uint8Array, from: number, to: number): number {
  let hash = 0;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    hash = hashOfWord(random, 0, hash ^ word);
  }
  let tail = 0;
  for (; at < to; at++) tail = (tail << 8) | bytes[at];
  return (hashOfWord(random, 0, hash ^ tail) ^ hashOfWord(random, 1, to - from)) >>> 0;
}
