/**
 * A hash table from numbers to codes.
 * Layout  open addressing with linear probing, at most half full. A slot is 16 bytes, so that a lookup reads one cache
 *         line: the number (double), its code (i32; 0 = free), 4 unused bytes.
 *         The filter has a bit per hash, at least 16 bits per number. Once most values are not found, each is looked up
 *         in the filter first, because it fits a smaller cache.
 * Hashes  clients choose the keys, so the hash has random multipliers; no result depends on it. -0 equals 0.
 */
import { randomBytes } from 'node:crypto';
import type { QueryRun } from '../../query-run.js';

const SLOT_BYTES = 16;
const SLOTS_MIN = 1_024;
/** A table that is half full grows by GROWTH. If DIFFERENT_SHARE of the rows so far differ, it grows for all rows at once. */
const GROWTH = 4;
const DIFFERENT_SHARE = 0.75;
/** Slots per 32 bits of the filter, which is a quarter full at most. */
const SLOTS_PER_WORD = 4;

interface Slots {
  /** Slot s: numbers[2 s] and codes[4 s + 2]. */
  readonly numbers: Float64Array;
  readonly codes: Int32Array;
  /** The slot of a hash is `hash >>> shift`. */
  readonly shift: number;
  readonly first: number;
  readonly second: number;
}

/** Bit (hash & 31) of words[hash >>> shift]. */
interface Filter {
  readonly words: Int32Array;
  readonly shift: number;
}

/** Rows that pass the filter, and the first slot of each. */
interface Passed {
  readonly rows: Int32Array;
  readonly slots: Int32Array;
}

export class NumberSlots {
  readonly #rowCount: number;
  readonly #run: QueryRun;
  #slots: Slots;
  #count = 0;
  /** Built when it is first used. */
  #filter: Filter | null = null;
  /** Whether most of the values looked up last were not found. */
  #isFiltered = false;
  #passed: Passed = { rows: new Int32Array(0), slots: new Int32Array(0) };

  /** An empty table, for the numbers of at most `rowCount` rows. Throws 9006. */
  constructor(rowCount: number, run: QueryRun) {
    run.reserve(SLOTS_MIN * SLOT_BYTES);
    const random = randomBytes(8);
    this.#rowCount = rowCount;
    this.#run = run;
    this.#slots = emptySlots(SLOTS_MIN, random.readInt32LE(0) | 1, random.readInt32LE(4) | 1);
  }

  /** Ensures free slots for rows [from, to). Throws 9006. */
  reserve(from: number, to: number): void {
    const { numbers, first, second } = this.#slots;
    const slotCount = numbers.length / 2;
    const needed = (this.#count + to - from) * 2;
    if (needed <= slotCount) return;
    const isDifferent = this.#count >= from * DIFFERENT_SHARE;
    let next = slotCount;
    while (next < needed || next < (isDifferent ? this.#rowCount * 2 : slotCount * GROWTH)) next *= 2;
    this.#run.reserve(next * SLOT_BYTES);
    const slots = emptySlots(next, first, second);
    copySlots(this.#slots, slots);
    this.#slots = slots;
    this.#run.release(slotCount * SLOT_BYTES);
  }

  /** The code of numbers[index], for which a slot is free; a new number gets row + 1. */
  add(numbers: Float64Array, words: Int32Array, index: number, row: number): number {
    const code = addNumber(this.#slots, numbers[index], words[2 * index], words[2 * index + 1], row + 1);
    if (code === row + 1) this.#count++;
    return code;
  }

  /** Writes the codes of the first `count` values; 0 = not in the table. */
  find(values: Float64Array, count: number, codes: Int32Array): void {
    const filter = this.#isFiltered ? this.#filterOf() : null;
    let found: number;
    if (filter === null) found = findAll(this.#slots, values, count, codes);
    else {
      if (this.#passed.rows.length < count) {
        this.#passed = { rows: new Int32Array(count), slots: new Int32Array(count) };
      }
      const passed = pass(this.#slots, filter, values, count, this.#passed, codes);
      found = findPassed(this.#slots, values, passed, this.#passed, codes);
    }
    this.#isFiltered = found * 2 < count;
  }

  /** null = the memory of the run does not suffice for a filter. */
  #filterOf(): Filter | null {
    if (this.#filter !== null) return this.#filter;
    const wordCount = this.#slots.numbers.length / 2 / SLOTS_PER_WORD;
    if (!this.#run.tryReserve(wordCount * 4)) return null;
    this.#filter = { words: new Int32Array(wordCount), shift: Math.clz32(wordCount) + 1 };
    fillFilter(this.#slots, this.#filter);
    return this.#filter;
  }
}

function emptySlots(count: number, first: number, second: number): Slots {
  const numbers = new Float64Array(count * 2);
  return { numbers, codes: new Int32Array(numbers.buffer), shift: Math.clz32(count) + 1, first, second };
}

/** The 32-bit words of doubles, the lower one first. */
export const wordsOf = (numbers: Float64Array): Int32Array =>
  new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);

/** The hash of a double with these words; for 0 and -0 `high` must be 0. */
function hashOf(low: number, high: number, first: number, second: number): number {
  let hash = Math.imul(low ^ first, second);
  hash ^= (hash >>> 15) ^ high;
  hash = Math.imul(hash, first);
  hash ^= hash >>> 13;
  return Math.imul(hash, second);
}

/** The code of the number; a new number gets `code`. */
function addNumber(slots: Slots, value: number, low: number, high: number, code: number): number {
  const { numbers, codes, shift, first, second } = slots;
  const last = numbers.length / 2 - 1;
  let slot = hashOf(low, value === 0 ? 0 : high, first, second) >>> shift;
  for (let stored = codes[4 * slot + 2]; stored !== 0; stored = codes[4 * slot + 2]) {
    if (numbers[2 * slot] === value) return stored;
    slot = (slot + 1) & last;
  }
  numbers[2 * slot] = value;
  codes[4 * slot + 2] = code;
  return code;
}

function copySlots({ numbers, codes }: Slots, to: Slots): void {
  for (let slot = 0; slot < numbers.length / 2; slot++) {
    const code = codes[4 * slot + 2];
    if (code !== 0) addNumber(to, numbers[2 * slot], codes[4 * slot], codes[4 * slot + 1], code);
  }
}

function fillFilter({ numbers, codes, first, second }: Slots, { words, shift }: Filter): void {
  for (let slot = 0; slot < numbers.length / 2; slot++) {
    if (codes[4 * slot + 2] === 0) continue;
    const high = numbers[2 * slot] === 0 ? 0 : codes[4 * slot + 1];
    const hash = hashOf(codes[4 * slot], high, first, second);
    words[hash >>> shift] |= 1 << (hash & 31);
  }
}

/** Returns the number of values found. */
function findAll(slots: Slots, values: Float64Array, count: number, out: Int32Array): number {
  const { numbers, codes, shift, first, second } = slots;
  const words = wordsOf(values);
  const last = numbers.length / 2 - 1;
  let found = 0;
  for (let row = 0; row < count; row++) {
    const value = values[row];
    let slot = hashOf(words[2 * row], value === 0 ? 0 : words[2 * row + 1], first, second) >>> shift;
    let code = codes[4 * slot + 2];
    while (code !== 0 && numbers[2 * slot] !== value) {
      slot = (slot + 1) & last;
      code = codes[4 * slot + 2];
    }
    out[row] = code;
    found += Number(code !== 0);
  }
  return found;
}

/** Sets all codes to 0 and returns the number of rows that pass the filter. No branch depends on the filter. */
function pass(
  slots: Slots,
  filter: Filter,
  values: Float64Array,
  count: number,
  passed: Passed,
  out: Int32Array,
): number {
  const words = wordsOf(values);
  const { rows, slots: starts } = passed;
  const { shift, first, second } = slots;
  const { words: bits, shift: bitShift } = filter;
  let next = 0;
  for (let row = 0; row < count; row++) {
    const hash = hashOf(words[2 * row], values[row] === 0 ? 0 : words[2 * row + 1], first, second);
    out[row] = 0;
    rows[next] = row;
    starts[next] = hash >>> shift;
    next += (bits[hash >>> bitShift] >>> (hash & 31)) & 1;
  }
  return next;
}

/** Returns the number of values found. */
function findPassed(
  { numbers, codes }: Slots,
  values: Float64Array,
  passedCount: number,
  { rows, slots }: Passed,
  out: Int32Array,
): number {
  const last = numbers.length / 2 - 1;
  let found = 0;
  for (let index = 0; index < passedCount; index++) {
    const row = rows[index];
    const value = values[row];
    let slot = slots[index];
    let code = codes[4 * slot + 2];
    while (code !== 0 && numbers[2 * slot] !== value) {
      slot = (slot + 1) & last;
      code = codes[4 * slot + 2];
    }
    out[row] = code;
    found += Number(code !== 0);
  }
  return found;
}
