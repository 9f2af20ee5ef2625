/**
 * Sort keys as words: rows are ordered by their words, the most significant first, and rows with equal keys have equal
 * words. Keys take as few bits as their values need (integers, dates and decimals by their range, texts by their
 * ranks), and the bits of several keys share words. In slices.
 * Layout  row r has word words[w][r]; key k ends after bit ends[k] of a row, counted from the highest bit of word 0.
 */
import {
  columnsOfWords,
  inSlices,
  type MemoryAccount,
  SLICE_ENTRIES,
  sortEntries,
  type Task,
} from '../base/index.js';
import { rankTexts } from './text-ranks.js';
import type { Vector, WideIntegers } from './vector.js';

export interface VectorOrder {
  readonly vector: Vector;
  readonly descending: boolean;
  /** Whether missing values are first, ascending or descending. */
  readonly missingFirst: boolean;
}

export interface SortWords {
  readonly words: readonly Uint32Array[];
  readonly ends: readonly number[];
}

const WORD_BITS = 32;
const WORD_VALUES = 2 ** WORD_BITS;
/** More than the values of any key with at most 53 bits. */
const NUMBERS_END = 2 ** 53;

/** The words, whose memory stays reserved. Throws 9006. */
export function* sortWords(
  keys: readonly VectorOrder[],
  count: number,
  memory: MemoryAccount,
): Task<SortWords> {
  const packer = new Packer(count, memory);
  const ends: number[] = [];
  for (const key of keys) {
    const { vector } = key;
    if (vector.kind === 'text') yield* packTexts(packer, key, memory);
    else if (vector.kind === 'boolean') yield* packNumbers(packer, key, vector.bits);
    else if (vector.kind === 'float') yield* packNumbers(packer, key, vector.numbers);
    else if (vector.numbers !== null) yield* packNumbers(packer, key, vector.numbers);
    else yield* packWide(packer, key, vector.wide as WideIntegers);
    ends.push(packer.bitCount);
  }
  return { words: packer.finish(), ends };
}

/**
 * The rows 0, ..., count - 1 in the order of the words; ties keep their order. The memory of the result stays
 * reserved: 4 bytes per row. Throws 9006.
 */
export function* rowsInOrder(
  { words }: SortWords,
  count: number,
  memory: MemoryAccount,
): Task<Uint32Array<ArrayBuffer>> {
  const rows = memory.u32(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  const source = columnsOfWords(words);
  if (words.length > 0 && !(yield* isSorted(words, count))) yield* sortEntries(source, rows, memory);
  return rows;
}

function* isSorted(words: readonly Uint32Array[], count: number): Task<boolean> {
  const [first] = words;
  const { compare } = columnsOfWords(words);
  let sorted = true;
  for (let from = 1; from < count && sorted; from += SLICE_ENTRIES) {
    const to = Math.min(count, from + SLICE_ENTRIES);
    for (let row = from; row < to; row++) {
      if (first[row - 1] < first[row]) continue;
      if (first[row - 1] > first[row] || compare(1, row - 1, row) > 0) {
        sorted = false;
        break;
      }
    }
    yield;
  }
  return sorted;
}

/** Appends numbers of a fixed number of bits to the words of each row. */
class Packer {
  readonly count: number;
  readonly #memory: MemoryAccount;
  /** The numbers that are appended next: integers from 0 on, below NUMBERS_END. They are overwritten. */
  readonly numbers: Float64Array;
  readonly #words: Uint32Array[] = [];
  /** Bits of the last word that are free. */
  #free = 0;
  bitCount = 0;

  constructor(count: number, memory: MemoryAccount) {
    memory.reserve(count * 8);
    this.count = count;
    this.#memory = memory;
    this.numbers = new Float64Array(count);
  }

  /** Appends the lowest `bits` bits of the numbers, which have no more. Throws 9006. */
  *append(bits: number): Task<void> {
    this.bitCount += bits;
    for (let left = bits; left > 0; ) {
      if (this.#free === 0) {
        this.#words.push(this.#memory.u32(this.count));
        this.#free = WORD_BITS;
      }
      const taken = Math.min(left, this.#free);
      left -= taken;
      this.#free -= taken;
      const words = this.#words[this.#words.length - 1];
      yield* inSlices(this.count, (from, to) =>
        appendBits(this.numbers, words, 2 ** left, 2 ** this.#free, from, to),
      );
    }
  }

  finish(): readonly Uint32Array[] {
    this.#memory.release(this.count * 8);
    return this.#words;
  }
}

/** Moves the bits from `unit` on to the words, at weight `weight`, and keeps the bits below. */
function appendBits(
  numbers: Float64Array,
  words: Uint32Array,
  unit: number,
  weight: number,
  from: number,
  to: number,
): void {
  if (unit === 1) {
    for (let row = from; row < to; row++) words[row] += numbers[row] * weight;
    return;
  }
  for (let row = from; row < to; row++) {
    const taken = Math.floor(numbers[row] / unit);
    words[row] += taken * weight;
    numbers[row] -= taken * unit;
  }
}

/** Bits of the integers from 0 to `max`, which is below NUMBERS_END. */
function bitsOf(max: number): number {
  if (max < WORD_VALUES) return WORD_BITS - Math.clz32(max);
  return WORD_BITS + bitsOf(Math.floor(max / WORD_VALUES));
}

/** The least and greatest value that is not missing; `least` is Infinity without values. */
interface Extremes {
  least: number;
  greatest: number;
  integers: boolean;
  missing: number;
}

function* extremesOf(
  numbers: Float64Array | Uint8Array | Uint32Array,
  { valid, count }: Vector,
): Task<Extremes> {
  const found: Extremes = {
    least: Number.POSITIVE_INFINITY,
    greatest: Number.NEGATIVE_INFINITY,
    integers: true,
    missing: 0,
  };
  yield* inSlices(count, (from, to) => {
    let { least, greatest, integers, missing } = found;
    for (let row = from; row < to; row++) {
      if (valid !== null && valid[row] === 0) {
        missing++;
        continue;
      }
      const number = numbers[row];
      if (number < least) least = number;
      if (number > greatest) greatest = number;
      if (Math.floor(number) !== number) integers = false;
    }
    found.least = least;
    found.greatest = greatest;
    found.integers = integers;
    found.missing = missing;
  });
  return found;
}

function* packNumbers(
  packer: Packer,
  key: VectorOrder,
  numbers: Float64Array | Uint8Array | Uint32Array,
): Task<void> {
  const { least, greatest, integers, missing } = yield* extremesOf(numbers, key.vector);
  // All values are missing.
  if (least > greatest) return;
  const isSafe = integers && least > -NUMBERS_END && greatest < NUMBERS_END;
  if (!isSafe || greatest - least >= NUMBERS_END - 2) {
    yield* packDoubles(packer, key, numbers as Float64Array, missing > 0);
    return;
  }
  const { valid } = key.vector;
  const shift = missing > 0 && key.missingFirst ? 1 : 0;
  const max = greatest - least + (missing > 0 ? 1 : 0);
  const ofMissing = key.missingFirst ? 0 : max;
  const target = packer.numbers;
  const { descending } = key;
  yield* inSlices(packer.count, (from, to) => {
    if (descending) for (let row = from; row < to; row++) target[row] = greatest - numbers[row] + shift;
    else for (let row = from; row < to; row++) target[row] = numbers[row] - least + shift;
    if (valid !== null) putMissing(target, valid, ofMissing, from, to);
  });
  yield* packer.append(bitsOf(max));
}

function putMissing(
  target: Float64Array,
  valid: Uint8Array,
  ofMissing: number,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) if (valid[row] === 0) target[row] = ofMissing;
}

/** Puts a bit that orders missing values before or after the others. */
function* packValidity(packer: Packer, { vector: { valid }, missingFirst }: VectorOrder): Task<void> {
  const target = packer.numbers;
  yield* inSlices(packer.count, (from, to) => {
    target.fill(missingFirst ? 1 : 0, from, to);
    if (valid !== null) putMissing(target, valid, missingFirst ? 0 : 1, from, to);
  });
  yield* packer.append(1);
}

/**
 * Uses the bits of the doubles: inverted below 0, otherwise with the sign bit set, so that they sort after all
 * negative numbers.
 */
function* packDoubles(
  packer: Packer,
  key: VectorOrder,
  numbers: Float64Array,
  hasMissing: boolean,
): Task<void> {
  if (hasMissing) yield* packValidity(packer, key);
  const { vector, descending } = key;
  const { valid } = vector;
  const halves = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);
  const target = packer.numbers;
  for (const half of [1, 0]) {
    yield* inSlices(packer.count, (from, to) => {
      for (let row = from; row < to; row++) {
        const bits = halves[row * 2 + half];
        // -0 becomes 0.
        const word = numbers[row] < 0 ? ~bits : half === 1 ? bits | 0x80000000 : bits;
        target[row] = (descending ? ~word : word) >>> 0;
      }
      if (valid !== null) putMissing(target, valid, 0, from, to);
    });
    yield* packer.append(WORD_BITS);
  }
}

/** Integers beyond the safe ones: their distance from the least or greatest. */
function* packWide(packer: Packer, key: VectorOrder, wide: WideIntegers): Task<void> {
  const { vector, descending } = key;
  const { valid, count } = vector;
  let [least, greatest]: (bigint | null)[] = [null, null];
  let missing = 0;
  for (let row = 0; row < count; row++) {
    if (valid !== null && valid[row] === 0) {
      missing++;
      continue;
    }
    const value = wide[row];
    if (least === null || value < least) least = value;
    if (greatest === null || value > greatest) greatest = value;
    if (row % 8_192 === 0) yield;
  }
  if (least === null || greatest === null) return;
  if (missing > 0) yield* packValidity(packer, key);
  const [low, high] = [least, greatest];
  const target = packer.numbers;
  for (let word = Math.ceil((high - low).toString(2).length / WORD_BITS) - 1; word >= 0; word--) {
    const shift = BigInt(word * WORD_BITS);
    yield* inSlices(count, (from, to) => {
      for (let row = from; row < to; row++) {
        const distance = descending ? high - wide[row] : wide[row] - low;
        target[row] = Number(BigInt.asUintN(WORD_BITS, distance >> shift));
      }
      if (valid !== null) putMissing(target, valid, 0, from, to);
    });
    yield* packer.append(WORD_BITS);
  }
}

function* packTexts(packer: Packer, key: VectorOrder, memory: MemoryAccount): Task<void> {
  const { vector } = key;
  if (vector.kind !== 'text') return;
  const { ranks } = yield* rankTexts(vector, memory);
  yield* packNumbers(packer, key, ranks);
  memory.release(ranks.byteLength);
}
