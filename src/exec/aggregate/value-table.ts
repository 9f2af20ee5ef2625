/**
 * Hash tables of one query, from 64-bit keys or points to dense numbers 0..n-1 in order of first occurrence.
 * Invariants  open addressing with linear probing over typed arrays, at most half full; a slot holds the number plus
 *             1; memory is reserved before a table grows. Clients choose the keys: slots are chosen by a randomized
 *             hash, and numbers do not depend on it.
 */
import { randomBytes } from 'node:crypto';
import { longerCopy, type MemoryAccount, type RandomBytes } from '../../base/index.js';
import { hashOfWord, tabulation, tabulationBytes } from './tabulation.js';

const CAPACITY_MIN = 64;
const SLOTS_PER_KEY = 2;

/** Bytes of a table with capacity for `capacity` keys. */
const tableBytes = (capacity: number, keyBytes: number): number => capacity * (keyBytes + SLOTS_PER_KEY * 4);

const hashOfWords = (random: Int32Array, low: number, high: number): number =>
  hashOfWord(random, 0, low) ^ hashOfWord(random, 1, high);

/** Keys are pairs of 32-bit words: 64-bit integers as (low, high), or two numbers of any other meaning. */
export class WordTable {
  readonly #memory: MemoryAccount;
  readonly #random: Int32Array;
  #slots: Int32Array<ArrayBuffer>;
  #keys: Int32Array<ArrayBuffer>;
  #count = 0;

  /** Throws 9006. */
  constructor(memory: MemoryAccount, random: RandomBytes = randomBytes) {
    this.#memory = memory;
    memory.reserve(tabulationBytes(2) + tableBytes(CAPACITY_MIN, 8));
    this.#random = tabulation(2, random);
    this.#slots = new Int32Array(CAPACITY_MIN * SLOTS_PER_KEY);
    this.#keys = new Int32Array(CAPACITY_MIN * 2);
  }

  get count(): number {
    return this.#count;
  }

  /** The words of key n are at 2 n: a view, valid until the next `add`. */
  get keys(): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.#keys.buffer, 0, this.#count * 2);
  }

  /** The number of the key, or -1; words are taken modulo 2^32. */
  find(low: number, high: number): number {
    const [first, second] = [low | 0, high | 0];
    const slots = this.#slots;
    const keys = this.#keys;
    const last = slots.length - 1;
    for (let slot = hashOfWords(this.#random, first, second) & last; ; slot = (slot + 1) & last) {
      const number = slots[slot] - 1;
      if (number < 0 || (keys[number * 2] === first && keys[number * 2 + 1] === second)) return number;
    }
  }

  /** The number of the key; a new key gets the next number. Throws 9006. */
  add(low: number, high: number): number {
    const [first, second] = [low | 0, high | 0];
    const slots = this.#slots;
    const keys = this.#keys;
    const last = slots.length - 1;
    for (let slot = hashOfWords(this.#random, first, second) & last; ; slot = (slot + 1) & last) {
      const number = slots[slot] - 1;
      if (number < 0) return this.#append(first, second, slot);
      if (keys[number * 2] === first && keys[number * 2 + 1] === second) return number;
    }
  }

  #append(low: number, high: number, slot: number): number {
    if (this.#count * 2 === this.#keys.length) {
      this.#grow();
      return this.add(low, high);
    }
    const number = this.#count++;
    this.#keys[number * 2] = low;
    this.#keys[number * 2 + 1] = high;
    this.#slots[slot] = number + 1;
    return number;
  }

  #grow(): void {
    const capacity = this.#count;
    this.#memory.reserve(tableBytes(capacity * 2, 8));
    const keys = longerCopy(this.#keys, capacity * 4);
    const slots = new Int32Array(capacity * 2 * SLOTS_PER_KEY);
    const last = slots.length - 1;
    const random = this.#random;
    for (let number = 0; number < capacity; number++) {
      let slot = hashOfWords(random, keys[number * 2], keys[number * 2 + 1]) & last;
      while (slots[slot] !== 0) slot = (slot + 1) & last;
      slots[slot] = number + 1;
    }
    this.#keys = keys;
    this.#slots = slots;
    this.#memory.release(tableBytes(capacity, 8));
  }
}

/** Keys are (longitude, latitude); -0 and 0 are the same. */
export class PointTable {
  readonly #memory: MemoryAccount;
  readonly #random: Int32Array;
  readonly #point = new Float64Array(2);
  readonly #words = new Int32Array(this.#point.buffer);
  #slots: Int32Array<ArrayBuffer>;
  #keys: Float64Array<ArrayBuffer>;
  #count = 0;

  /** Throws 9006. */
  constructor(memory: MemoryAccount, random: RandomBytes = randomBytes) {
    this.#memory = memory;
    memory.reserve(tabulationBytes(4) + tableBytes(CAPACITY_MIN, 16));
    this.#random = tabulation(4, random);
    this.#slots = new Int32Array(CAPACITY_MIN * SLOTS_PER_KEY);
    this.#keys = new Float64Array(CAPACITY_MIN * 2);
  }

  get count(): number {
    return this.#count;
  }

  /** Longitude and latitude of key n are at 2 n: a view, valid until the next `add`. */
  get keys(): Float64Array<ArrayBuffer> {
    return this.#keys.subarray(0, this.#count * 2);
  }

  #hashOf(longitude: number, latitude: number): number {
    this.#point[0] = longitude;
    this.#point[1] = latitude;
    const words = this.#words;
    const random = this.#random;
    return (
      hashOfWord(random, 0, words[0]) ^
      hashOfWord(random, 1, words[1]) ^
      hashOfWord(random, 2, words[2]) ^
      hashOfWord(random, 3, words[3])
    );
  }

  /** The slot of the point's number plus 1, or the free slot where it belongs. */
  #slotOf(longitude: number, latitude: number): number {
    const slots = this.#slots;
    const keys = this.#keys;
    const last = slots.length - 1;
    for (let slot = this.#hashOf(longitude, latitude) & last; ; slot = (slot + 1) & last) {
      const number = slots[slot] - 1;
      if (number < 0 || (keys[number * 2] === longitude && keys[number * 2 + 1] === latitude)) return slot;
    }
  }

  /** The number of the point, or -1. */
  find(longitude: number, latitude: number): number {
    // Adding 0 turns -0 into 0.
    return this.#slots[this.#slotOf(longitude + 0, latitude + 0)] - 1;
  }

  /** The number of the point; a new point gets the next number. Throws 9006. */
  add(longitude: number, latitude: number): number {
    const slot = this.#slotOf(longitude + 0, latitude + 0);
    const found = this.#slots[slot] - 1;
    if (found >= 0) return found;
    if (this.#count * 2 === this.#keys.length) {
      this.#grow();
      return this.add(longitude, latitude);
    }
    const number = this.#count++;
    this.#keys[number * 2] = longitude + 0;
    this.#keys[number * 2 + 1] = latitude + 0;
    this.#slots[slot] = number + 1;
    return number;
  }

  #grow(): void {
    const capacity = this.#count;
    this.#memory.reserve(tableBytes(capacity * 2, 16));
    const keys = longerCopy(this.#keys, capacity * 4);
    this.#keys = keys;
    this.#slots = new Int32Array(capacity * 2 * SLOTS_PER_KEY);
    for (let number = 0; number < capacity; number++) {
      this.#slots[this.#slotOf(keys[number * 2], keys[number * 2 + 1])] = number + 1;
    }
    this.#memory.release(tableBytes(capacity, 16));
  }
}
