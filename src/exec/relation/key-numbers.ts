/**
 * Codes of number keys of any range, by hash.
 * Layout  open addressing with linear probing, at most half full. A slot is 16 bytes, so that a lookup reads one cache
 *         line: the number (double), its code (i32; 0 = free), 4 unused bytes.
 * Hashes  clients choose the keys, so the hash has random multipliers; no result depends on it. -0 equals 0. Integers
 *         beyond 2^53 have tables of their own.
 */
import { randomBytes } from 'node:crypto';
import { grownWithin } from '../../base/index.js';
import type { ExactVector, FloatVector, Vector } from '../../vector/index.js';
import { isSafe } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { WideTable } from '../select/group-wide-table.js';
import type { KeyCodes } from './key-codes.js';
import { MissingCode } from './key-missing.js';

const SLOT_BYTES = 16;
const SLOTS_MIN = 1_024;
/** A table that is half full grows by this factor. */
const GROWTH = 4;

interface Slots {
  /** Slot s: numbers[2 s] and codes[4 s + 2]. */
  readonly numbers: Float64Array;
  readonly codes: Int32Array;
  /** The number of slots is 2^(32 - shift). */
  readonly shift: number;
  readonly first: number;
  readonly second: number;
}

function emptySlots(count: number, first: number, second: number): Slots {
  const numbers = new Float64Array(count * 2);
  return { numbers, codes: new Int32Array(numbers.buffer), shift: Math.clz32(count) + 1, first, second };
}

/** The slot at which the search for a double with these words starts. */
function slotOf(low: number, high: number, { shift, first, second }: Slots): number {
  // The sign is not hashed, because -0 equals 0.
  let hash = Math.imul(low ^ first, second);
  hash ^= (hash >>> 15) ^ (high << 1);
  hash = Math.imul(hash, first);
  hash ^= hash >>> 13;
  return Math.imul(hash, second) >>> shift;
}

export class HashedCodes implements KeyCodes {
  readonly #vector: ExactVector | FloatVector;
  readonly #missing: MissingCode;
  readonly #run: QueryRun;
  #slots: Slots;
  /** Numbers in the slots. */
  #count = 0;
  #wide: WideTable | null = null;
  /** The codes of the numbers of `wide`. */
  #wideCodes: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  #wideCount = 0;

  /** Throws 9006. */
  constructor(vector: ExactVector | FloatVector, nullsEqual: boolean, run: QueryRun) {
    this.#vector = vector;
    this.#missing = new MissingCode(nullsEqual);
    this.#run = run;
    run.reserve(SLOTS_MIN * SLOT_BYTES);
    const random = randomBytes(8);
    this.#slots = emptySlots(SLOTS_MIN, random.readInt32LE(0) | 1, random.readInt32LE(4) | 1);
  }

  add(from: number, to: number, codes: Int32Array): void {
    const { numbers, valid } = this.#vector;
    this.#reserve(to - from);
    if (numbers === null) {
      this.#addWide(from, to, codes);
      return;
    }
    const words = wordsOf(numbers);
    const slots = this.#slots;
    for (let row = from; row < to; row++) {
      if (valid !== null && valid[row] === 0) {
        codes[row] = this.#missing.add(row);
        continue;
      }
      const code = addNumber(slots, numbers[row], words[2 * row], words[2 * row + 1], row + 1);
      codes[row] = code;
      if (code === row + 1) this.#count++;
    }
  }

  /** Ensures free slots for `rowCount` more numbers. */
  #reserve(rowCount: number): void {
    const { numbers, first, second } = this.#slots;
    const slotCount = numbers.length / 2;
    if ((this.#count + rowCount) * 2 <= slotCount) return;
    let next = slotCount * GROWTH;
    while ((this.#count + rowCount) * 2 > next) next *= 2;
    this.#run.reserve(next * SLOT_BYTES);
    const slots = emptySlots(next, first, second);
    copySlots(this.#slots, slots);
    this.#slots = slots;
    this.#run.release(slotCount * SLOT_BYTES);
  }

  #addWide(from: number, to: number, codes: Int32Array): void {
    const { wide, valid } = this.#vector as { wide: readonly bigint[]; valid: Uint8Array | null };
    const number = new Float64Array(1);
    const words = wordsOf(number);
    for (let row = from; row < to; row++) {
      if (valid !== null && valid[row] === 0) codes[row] = this.#missing.add(row);
      else if (isSafe(wide[row])) {
        number[0] = Number(wide[row]);
        codes[row] = addNumber(this.#slots, number[0], words[0], words[1], row + 1);
        if (codes[row] === row + 1) this.#count++;
      } else {
        this.#wide ??= new WideTable(this.#run);
        const found = this.#wide.add(wide[row]);
        if (found === this.#wideCount) {
          this.#wideCodes = grownWithin(this.#run, this.#wideCodes, found + 1, SLOTS_MIN);
          this.#wideCodes[found] = row + 1;
          this.#wideCount++;
        }
        codes[row] = this.#wideCodes[found];
      }
    }
  }

  find(vector: Vector, codes: Int32Array): void {
    const { numbers, count } = vector as ExactVector | FloatVector;
    if (numbers === null) this.#findWide(vector as ExactVector, codes);
    else findNumbers(this.#slots, numbers, wordsOf(numbers), count, codes);
    this.#missing.find(vector, codes);
  }

  #findWide({ wide, count }: ExactVector, codes: Int32Array): void {
    const number = new Float64Array(1);
    const words = wordsOf(number);
    const found = new Int32Array(1);
    for (let row = 0; row < count; row++) {
      const value = (wide as readonly bigint[])[row];
      if (isSafe(value)) {
        number[0] = Number(value);
        findNumbers(this.#slots, number, words, 1, found);
        codes[row] = found[0];
      } else {
        const at = this.#wide === null ? -1 : this.#wide.find(value);
        codes[row] = at < 0 ? 0 : this.#wideCodes[at];
      }
    }
  }
}

const wordsOf = (numbers: Float64Array): Int32Array =>
  new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);

/** The code of the number; a new number gets `code`. */
function addNumber(slots: Slots, value: number, low: number, high: number, code: number): number {
  const { numbers, codes } = slots;
  const last = numbers.length / 2 - 1;
  let slot = slotOf(low, high, slots);
  for (let held = codes[4 * slot + 2]; held !== 0; held = codes[4 * slot + 2]) {
    if (numbers[2 * slot] === value) return held;
    slot = (slot + 1) & last;
  }
  numbers[2 * slot] = value;
  codes[4 * slot + 2] = code;
  return code;
}

function copySlots(from: Slots, to: Slots): void {
  const { numbers, codes } = from;
  const words = wordsOf(numbers);
  const slotCount = numbers.length / 2;
  for (let slot = 0; slot < slotCount; slot++) {
    const code = codes[4 * slot + 2];
    if (code !== 0) addNumber(to, numbers[2 * slot], words[4 * slot], words[4 * slot + 1], code);
  }
}

function findNumbers(
  slots: Slots,
  values: Float64Array,
  words: Int32Array,
  count: number,
  out: Int32Array,
): void {
  const { numbers, codes } = slots;
  const last = numbers.length / 2 - 1;
  for (let row = 0; row < count; row++) {
    const value = values[row];
    let slot = slotOf(words[2 * row], words[2 * row + 1], slots);
    let code = codes[4 * slot + 2];
    while (code !== 0 && numbers[2 * slot] !== value) {
      slot = (slot + 1) & last;
      code = codes[4 * slot + 2];
    }
    out[row] = code;
  }
}
