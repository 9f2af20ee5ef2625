/**
 * Assigns codes to exact or float numbers in order of first occurrence; code 0 is the missing value.
 * Integers of a small range are looked up in a window with one entry per integer. If the range becomes too wide, and
 * for floats, the bits of the double are hashed. An integer beyond 2^53 is entered in the hash table as a NaN whose
 * low word is the integer's number.
 */
import { grownWithin, type MemoryAccount } from '../../../base/index.js';
import type { ExactVector, Vector, WireVector } from '../../../vector/index.js';
import { isSafe } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { GROUPS_MIN } from '../../scan/array-lengths.js';
import { WordTable } from '../value-table.js';
import { type Coded, type ValueCodes, validOf } from './group-codes.js';
import { WideTable } from './group-wide-table.js';

/** The largest number of integers in a window: 4 MiB. */
const WINDOW_MAX = 2 ** 20;
const WINDOW_MIN = 1_024;
/** The high word of a NaN. */
const WIDE_MARK = 0x7ff80000;
/** The high word of -0, which equals 0. */
const MINUS = 0x80000000 | 0;
/** Bytes of a bigint. */
const WIDE_BYTES = 40;

export class NumberCodes implements ValueCodes {
  readonly #kind: 'exact' | 'float';
  readonly #memory: MemoryAccount;
  readonly #windowMax: number;
  /** The code of integer base + i, 0 = none yet. Unused once `words` is set. */
  #window: Uint32Array<ArrayBuffer>;
  #base = 0;
  /** The range of the integers that have a code. */
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;
  /** By code: the values in the window. */
  #values: Float64Array<ArrayBuffer> = new Float64Array(0);
  #count = 1;
  /** Code - 1 by the words of a double. */
  #words: WordTable | null;
  #wide: WideTable | null = null;

  /** `windowMax`: the largest number of integers in the window. Throws 9006. */
  constructor(kind: 'exact' | 'float', memory: MemoryAccount, windowMax = WINDOW_MAX) {
    this.#kind = kind;
    this.#memory = memory;
    this.#windowMax = windowMax;
    this.#window = memory.u32(0);
    this.#words = kind === 'float' ? new WordTable(memory) : null;
  }

  get bound(): number {
    return this.#words === null ? this.#count : this.#words.count + 1;
  }

  code(vector: Vector, out: Uint32Array): Coded {
    if (vector.kind === 'exact' && vector.wide !== null) this.#codeWide(vector.wide, vector, out);
    else if (vector.kind === 'exact' || vector.kind === 'float') {
      const numbers = vector.numbers as Float64Array;
      const row = this.#words === null ? this.#codeInWindow(numbers, vector, out) : 0;
      if (this.#words !== null) this.#codeHashed(this.#words, numbers, vector, row, out);
    }
    return { codes: out, shift: 0 };
  }

  /** Returns the first row whose integer must be hashed. */
  #codeInWindow(numbers: Float64Array, { valid, count }: Vector, out: Uint32Array): number {
    let row = 0;
    while (this.#words === null) {
      row = codesInWindow(numbers, valid, this.#base, this.#window, row, count, out);
      if (row === count) return row;
      const value = numbers[row];
      if (!this.#reach(value)) {
        this.#hash();
        return row;
      }
      this.#values = grownWithin(this.#memory, this.#values, this.#count + 1, GROUPS_MIN);
      // Adding 0 turns -0 into 0.
      this.#values[this.#count] = value + 0;
      this.#window[value - this.#base] = this.#count++;
    }
    return row;
  }

  /** Widens the window to include `value`; returns false if it would become too wide. */
  #reach(value: number): boolean {
    const isBelow = value < this.#least;
    this.#least = Math.min(this.#least, value);
    this.#greatest = Math.max(this.#greatest, value);
    const end = this.#base + this.#window.length;
    if (value >= this.#base && value < end) return true;
    const needed = this.#greatest - this.#least + 1;
    if (needed > this.#windowMax) return false;
    const length = Math.min(this.#windowMax, Math.max(needed * 2, WINDOW_MIN));
    // Spare capacity is added in the direction in which the window grows.
    const base = this.#count > 1 && isBelow ? this.#greatest + 1 - length : this.#least;
    const window = this.#memory.u32(length);
    for (let code = 1; code < this.#count; code++) window[this.#values[code] - base] = code;
    this.#memory.release(this.#window.byteLength);
    [this.#window, this.#base] = [window, base];
    return true;
  }

  #hash(): WordTable {
    if (this.#words !== null) return this.#words;
    const words = new WordTable(this.#memory);
    const parts = new Int32Array(this.#values.buffer);
    for (let code = 1; code < this.#count; code++) words.add(parts[2 * code], parts[2 * code + 1]);
    this.#memory.release(this.#window.byteLength + this.#values.byteLength);
    this.#window = new Uint32Array(0);
    this.#values = new Float64Array(0);
    this.#words = words;
    return words;
  }

  #codeHashed(
    table: WordTable,
    numbers: Float64Array,
    { valid, count }: Vector,
    from: number,
    out: Uint32Array,
  ): void {
    const words = new Int32Array(numbers.buffer, numbers.byteOffset, count * 2);
    for (let row = from; row < count; row++) {
      if (valid !== null && valid[row] === 0) {
        out[row] = 0;
        continue;
      }
      const low = words[2 * row];
      const high = words[2 * row + 1];
      out[row] = table.add(low, low === 0 && high === MINUS ? 0 : high) + 1;
    }
  }

  #codeWide(wide: NonNullable<ExactVector['wide']>, { valid, count }: Vector, out: Uint32Array): void {
    const table = this.#hash();
    this.#wide ??= new WideTable(this.#memory);
    const number = new Float64Array(1);
    const words = new Int32Array(number.buffer);
    for (let row = 0; row < count; row++) {
      const value = wide[row];
      if (valid !== null && valid[row] === 0) out[row] = 0;
      else if (isSafe(value)) {
        number[0] = Number(value);
        out[row] = table.add(words[0], words[1]) + 1;
      } else out[row] = table.add(this.#wide.add(value), WIDE_MARK) + 1;
    }
  }

  values(codes: Uint32Array, run: QueryRun): WireVector {
    const count = codes.length;
    run.reserve(count * 9);
    const valid = validOf(codes);
    const numbers = new Float64Array(count);
    const keys = this.#words?.keys;
    // Indexed by code - 1 in the hash table, by code in the window.
    const stored = keys === undefined ? this.#values : new Float64Array(keys.buffer);
    const first = keys === undefined ? 0 : 1;
    let isWide = false;
    for (let at = 0; at < count; at++) {
      if (codes[at] === 0) continue;
      numbers[at] = stored[codes[at] - first];
      if (Number.isNaN(numbers[at])) isWide = true;
    }
    const values: WireVector =
      this.#kind === 'float'
        ? { kind: 'float', count, valid, numbers }
        : isWide && keys !== undefined
          ? { kind: 'exact', count, valid, numbers: null, wide: this.#wideValues(numbers, codes, keys, run) }
          : { kind: 'exact', count, valid, numbers, wide: null };
    return values;
  }

  #wideValues(numbers: Float64Array, codes: Uint32Array, keys: Uint32Array, run: QueryRun): bigint[] {
    run.reserve(codes.length * WIDE_BYTES);
    return Array.from(numbers, (number, at) =>
      Number.isNaN(number) ? (this.#wide as WideTable).value(keys[2 * (codes[at] - 1)]) : BigInt(number),
    );
  }
}

/** Codes rows from `from` on until an integer has no code; returns that row, or `count`. */
function codesInWindow(
  numbers: Float64Array,
  valid: Uint8Array | null,
  base: number,
  window: Uint32Array,
  from: number,
  count: number,
  out: Uint32Array,
): number {
  const length = window.length;
  for (let row = from; row < count; row++) {
    if (valid !== null && valid[row] === 0) {
      out[row] = 0;
      continue;
    }
    const offset = numbers[row] - base;
    if (!(offset >= 0 && offset < length)) return row;
    const code = window[offset | 0];
    if (code === 0) return row;
    out[row] = code;
  }
  return count;
}
