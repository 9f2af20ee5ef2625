/**
 * A hash table of the numbers of a column, by row.
 * Layout  open addressing with linear probing, at most half full. A slot is 32 bits: the code of a number, which is its
 *         first row plus 1, in the lower bits, and bits of the hash in the others; 0 = free. The numbers are read in the
 *         column. Small slots matter most, because lookups in large tables wait for memory.
 * Hashes  clients choose the keys, so the hash has random multipliers; no result depends on it. -0 equals 0.
 */
import { randomBytes } from 'node:crypto';
import type { QueryRun } from '../query-run.js';

const SLOTS_MIN = 1_024;
/** A table that is half full grows by this factor, or for all rows if this share of the rows so far differ. */
const GROWTH = 4;
const DIFFERENT_SHARE = 0.75;

interface Slots {
  readonly entries: Int32Array;
  /** A slot's bits below this are the code. */
  readonly codeBits: number;
  /** The slot of a hash is the bits from this one on. */
  readonly shift: number;
  readonly first: number;
  readonly second: number;
}

/** Rows whose search is not over, and for each the slot it looked at last, the entry there and the hash's bits. */
interface Pending {
  readonly rows: Int32Array;
  readonly slots: Int32Array;
  readonly entries: Int32Array;
  readonly tags: Int32Array;
}

const pendingOf = (count: number): Pending => ({
  rows: new Int32Array(count),
  slots: new Int32Array(count),
  entries: new Int32Array(count),
  tags: new Int32Array(count),
});

export class NumberSlots {
  readonly #numbers: Float64Array;
  readonly #words: Int32Array;
  readonly #rowCount: number;
  readonly #run: QueryRun;
  #slots: Slots;
  #count = 0;
  #pending = pendingOf(0);

  /** A table for the first `rowCount` elements of `numbers`, empty at first. Throws 9006. */
  constructor(numbers: Float64Array, rowCount: number, run: QueryRun) {
    run.reserve(SLOTS_MIN * 4);
    const random = randomBytes(8);
    this.#numbers = numbers;
    this.#words = wordsOf(numbers);
    this.#rowCount = rowCount;
    this.#run = run;
    this.#slots = {
      entries: new Int32Array(SLOTS_MIN),
      codeBits: Math.max(32 - Math.clz32(rowCount), 1),
      shift: shiftOf(SLOTS_MIN),
      first: random.readInt32LE(0) | 1,
      second: random.readInt32LE(4) | 1,
    };
  }

  /** Ensures free slots for rows [from, to). Throws 9006. */
  reserve(from: number, to: number): void {
    const slotCount = this.#slots.entries.length;
    const needed = (this.#count + to - from) * 2;
    if (needed <= slotCount) return;
    const isDifferent = this.#count >= from * DIFFERENT_SHARE;
    let next = slotCount;
    while (next < needed || next < (isDifferent ? this.#rowCount * 2 : slotCount * GROWTH)) next *= 2;
    this.#run.reserve(next * 4);
    const slots = { ...this.#slots, entries: new Int32Array(next), shift: shiftOf(next) };
    moveEntries(this.#slots, slots, this.#numbers, this.#words);
    this.#slots = slots;
    this.#run.release(slotCount * 4);
  }

  /** Adds a row, for which slots are free, and returns its code. */
  add(row: number): number {
    const code = addRow(this.#slots, this.#numbers, this.#words, row);
    if (code === row + 1) this.#count++;
    return code;
  }

  /** Writes the codes of the first `count` values; 0 = not in the table. */
  find(values: Float64Array, count: number, codes: Int32Array): void {
    if (this.#pending.rows.length < count) this.#pending = pendingOf(count);
    const left = firstSlots(this.#slots, values, count, this.#pending, codes);
    furtherSlots(this.#slots, this.#numbers, values, this.#pending, left, codes);
  }
}

const shiftOf = (slotCount: number): number => Math.clz32(slotCount) + 1;

const wordsOf = (numbers: Float64Array): Int32Array =>
  new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);

/** The hash of a double with these words, which must not be those of -0. */
function hashOf(low: number, high: number, first: number, second: number): number {
  let hash = Math.imul(low ^ first, second);
  hash ^= (hash >>> 15) ^ high;
  hash = Math.imul(hash, first);
  hash ^= hash >>> 13;
  return Math.imul(hash, second);
}

function addRow(
  { entries, codeBits, shift, first, second }: Slots,
  numbers: Float64Array,
  words: Int32Array,
  row: number,
): number {
  const last = entries.length - 1;
  const mask = 2 ** codeBits - 1;
  const value = numbers[row];
  const hash = hashOf(words[2 * row], value === 0 ? 0 : words[2 * row + 1], first, second);
  const entry = (hash << codeBits) | (row + 1);
  let slot = hash >>> shift;
  for (let held = entries[slot]; held !== 0; held = entries[slot]) {
    if ((held ^ entry) >>> codeBits === 0 && numbers[(held & mask) - 1] === value) return held & mask;
    slot = (slot + 1) & last;
  }
  entries[slot] = entry;
  return row + 1;
}

function moveEntries(from: Slots, to: Slots, numbers: Float64Array, words: Int32Array): void {
  const { entries, codeBits } = from;
  const mask = 2 ** codeBits - 1;
  for (let slot = 0; slot < entries.length; slot++) {
    if (entries[slot] !== 0) addRow(to, numbers, words, (entries[slot] & mask) - 1);
  }
}

/**
 * Looks at the first slot of each row; returns the number of rows whose slot is not free.
 * No branch here and in `furtherSlots` depends on the slots, so the processor reads many slots at a time.
 */
function firstSlots(
  { entries, codeBits, shift, first, second }: Slots,
  values: Float64Array,
  count: number,
  pending: Pending,
  codes: Int32Array,
): number {
  const words = wordsOf(values);
  let left = 0;
  for (let row = 0; row < count; row++) {
    const hash = hashOf(words[2 * row], values[row] === 0 ? 0 : words[2 * row + 1], first, second);
    const slot = hash >>> shift;
    const entry = entries[slot];
    codes[row] = 0;
    pending.rows[left] = row;
    pending.slots[left] = slot;
    pending.entries[left] = entry;
    pending.tags[left] = hash << codeBits;
    left += Number(entry !== 0);
  }
  return left;
}

/** Compares the numbers of the slots with those of the rows, which then look at the next slot, and so on. */
function furtherSlots(
  { entries, codeBits }: Slots,
  numbers: Float64Array,
  values: Float64Array,
  pending: Pending,
  pendingCount: number,
  codes: Int32Array,
): void {
  const last = entries.length - 1;
  const mask = 2 ** codeBits - 1;
  for (let left = pendingCount; left > 0; ) {
    let next = 0;
    for (let index = 0; index < left; index++) {
      const row = pending.rows[index];
      const entry = pending.entries[index];
      const tag = pending.tags[index];
      const isSimilar = Number((entry ^ tag) >>> codeBits === 0);
      const code = entry & mask;
      // Without equal bits of the hash, the number of the first row is read instead, which is in the cache.
      const isEqual = isSimilar & Number(numbers[(code - 1) & -isSimilar] === values[row]);
      codes[row] = -isEqual & code;
      const slot = (pending.slots[index] + 1) & last;
      const following = entries[slot];
      pending.rows[next] = row;
      pending.slots[next] = slot;
      pending.entries[next] = following;
      pending.tags[next] = tag;
      next += Number(following !== 0) & (isEqual ^ 1);
    }
    left = next;
  }
}
