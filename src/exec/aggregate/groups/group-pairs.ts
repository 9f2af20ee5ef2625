/**
 * Numbers codes, and pairs of codes, in order of first occurrence.
 * Invariants  numbers start at 1, 0 means none; a code or pair keeps its number. Pairs are in a direct table with a
 *             slot for every possible pair while that is small, otherwise in a hash table with randomized hashes.
 */
import { grownWithin, type MemoryAccount } from '../../../base/index.js';
import { WordTable } from '../value-table.js';
import type { Coded } from './group-codes.js';

/** The largest number of slots of a direct table: 16 MiB. */
export const DIRECT_PAIRS_MAX = 2 ** 22;

/**
 * A table that grows is hashed if it would have more than SLOTS_PER_PAIR_MAX slots per pair, and more than
 * SPARSE_SLOTS_MIN slots.
 */
const SLOTS_PER_PAIR_MAX = 64;
const SPARSE_SLOTS_MIN = 2 ** 16;

/** Numbers the codes of one key. */
export class CodeNumbers {
  readonly #memory: MemoryAccount;
  /** The number of each code; 0 = none yet. */
  #table: Uint32Array<ArrayBuffer>;
  #codes: Uint32Array<ArrayBuffer>;
  #count = 0;

  constructor(memory: MemoryAccount) {
    this.#memory = memory;
    this.#table = memory.u32(0);
    this.#codes = memory.u32(0);
  }

  get count(): number {
    return this.#count;
  }

  /** out[i] = the number of row i's code, which must be below `bound`. Throws 9006. */
  number({ codes, shift }: Coded, bound: number, count: number, out: Uint32Array): void {
    this.#table = grownWithin(this.#memory, this.#table, bound);
    const table = this.#table.subarray(shift);
    for (let row = 0; ; ) {
      row = numberCodes(codes, table, row, count, out);
      if (row === count) return;
      this.#codes = grownWithin(this.#memory, this.#codes, this.#count + 1);
      this.#codes[this.#count++] = codes[row] + shift;
      table[codes[row]] = this.#count;
    }
  }

  /** The codes with numbers 1, 2, ...: a view. */
  codes(): Uint32Array {
    return this.#codes.subarray(0, this.#count);
  }
}

/** Numbers rows from `from` on until a code has none; returns that row, or `count`. Unrolled: see aggregate-sums.ts. */
function numberCodes(
  codes: Uint32Array,
  table: Uint32Array,
  from: number,
  count: number,
  out: Uint32Array,
): number {
  let row = from;
  for (; row + 3 < count; row += 4) {
    const number0 = table[codes[row]];
    const number1 = table[codes[row + 1]];
    const number2 = table[codes[row + 2]];
    const number3 = table[codes[row + 3]];
    if (number0 === 0 || number1 === 0 || number2 === 0 || number3 === 0) break;
    out[row] = number0;
    out[row + 1] = number1;
    out[row + 2] = number2;
    out[row + 3] = number3;
  }
  for (; row < count; row++) {
    const number = table[codes[row]];
    if (number === 0) return row;
    out[row] = number;
  }
  return count;
}

/** Numbers pairs of codes. */
export class PairNumbers {
  readonly #memory: MemoryAccount;
  readonly #directPairsMax: number;
  /** The number of pair (a, b) is at a * stride + b; 0 = none yet. Unused once `hashed` is set. */
  #table: Uint32Array<ArrayBuffer>;
  #stride = 0;
  #firstEnd = 0;
  #firsts: Uint32Array<ArrayBuffer>;
  #seconds: Uint32Array<ArrayBuffer>;
  #count = 0;
  #hashed: WordTable | null = null;

  /** `directPairsMax`: the largest number of slots of the direct table. */
  constructor(memory: MemoryAccount, directPairsMax: number) {
    this.#memory = memory;
    this.#directPairsMax = directPairsMax;
    this.#table = memory.u32(0);
    this.#firsts = memory.u32(0);
    this.#seconds = memory.u32(0);
  }

  get count(): number {
    return this.#hashed?.count ?? this.#count;
  }

  get isDirect(): boolean {
    return this.#hashed === null;
  }

  /**
   * out[i] = the number of row i's pair of codes, which must be below their limits. `out` may be one of the code
   * arrays. Throws 9006.
   */
  number(
    first: Coded,
    firstBound: number,
    second: Coded,
    secondBound: number,
    count: number,
    out: Uint32Array,
  ): void {
    if (this.#hashed === null) this.#reserve(firstBound, secondBound);
    const hashed = this.#hashed;
    const [firsts, seconds] = [first.codes, second.codes];
    if (hashed !== null) {
      for (let row = 0; row < count; row++) {
        out[row] = hashed.add(firsts[row] + first.shift, seconds[row] + second.shift) + 1;
      }
      return;
    }
    const stride = this.#stride;
    const table = this.#table.subarray(first.shift * stride + second.shift);
    for (let row = 0; ; ) {
      row = numberPairs(firsts, seconds, stride, table, row, count, out);
      if (row === count) return;
      this.#append(firsts[row] + first.shift, seconds[row] + second.shift);
    }
  }

  /** Numbers a pair that has no number. Throws 9006. */
  add(first: number, second: number): void {
    if (this.#hashed === null) this.#reserve(first + 1, second + 1);
    if (this.#hashed === null) this.#append(first, second);
    else this.#hashed.add(first, second);
  }

  #append(first: number, second: number): void {
    this.#firsts = grownWithin(this.#memory, this.#firsts, this.#count + 1);
    this.#seconds = grownWithin(this.#memory, this.#seconds, this.#count + 1);
    this.#firsts[this.#count] = first;
    this.#seconds[this.#count++] = second;
    this.#table[first * this.#stride + second] = this.#count;
  }

  /** Grows the direct table, or switches to hashing. */
  #reserve(firstBound: number, secondBound: number): void {
    if (firstBound <= this.#firstEnd && secondBound <= this.#stride) return;
    let firstEnd = firstBound <= this.#firstEnd ? this.#firstEnd : Math.max(firstBound, this.#firstEnd * 2);
    let stride = secondBound <= this.#stride ? this.#stride : Math.max(secondBound, this.#stride * 2);
    if (firstEnd * stride > this.#directPairsMax) [firstEnd, stride] = [firstBound, secondBound];
    if (firstEnd * stride > this.#directPairsMax || this.#isSparse(firstEnd * stride)) {
      this.#hash();
      return;
    }
    const table = this.#memory.u32(firstEnd * stride);
    this.#memory.release(this.#table.byteLength);
    for (let pair = 0; pair < this.#count; pair++) {
      table[this.#firsts[pair] * stride + this.#seconds[pair]] = pair + 1;
    }
    [this.#table, this.#stride, this.#firstEnd] = [table, stride, firstEnd];
  }

  /** Whether a larger table would be mostly empty: codes that occur together once each give n pairs in n x n slots. */
  #isSparse(slotCount: number): boolean {
    if (this.#count === 0 || slotCount < SPARSE_SLOTS_MIN) return false;
    return slotCount > this.#count * SLOTS_PER_PAIR_MAX;
  }

  #hash(): void {
    const hashed = new WordTable(this.#memory);
    for (let pair = 0; pair < this.#count; pair++) hashed.add(this.#firsts[pair], this.#seconds[pair]);
    this.#hashed = hashed;
    this.#memory.release(this.#table.byteLength + this.#firsts.byteLength + this.#seconds.byteLength);
    [this.#table, this.#firsts, this.#seconds] = [NOTHING, NOTHING, NOTHING];
  }

  /** The components of the pairs with numbers 1, 2, ...: views, or copies accounted to the memory. Throws 9006. */
  parts(): readonly [firsts: Uint32Array, seconds: Uint32Array] {
    if (this.#hashed === null) {
      return [this.#firsts.subarray(0, this.#count), this.#seconds.subarray(0, this.#count)];
    }
    const { count, keys } = this.#hashed;
    const [firsts, seconds] = [this.#memory.u32(count), this.#memory.u32(count)];
    for (let pair = 0; pair < count; pair++) {
      firsts[pair] = keys[2 * pair];
      seconds[pair] = keys[2 * pair + 1];
    }
    return [firsts, seconds];
  }
}

const NOTHING = new Uint32Array(0);

/**
 * Numbers rows from `from` on until a pair has none; returns that row, or `count`. The table has fewer than 2^31
 * slots. Unrolled: see aggregate-sums.ts.
 */
function numberPairs(
  firsts: Uint32Array,
  seconds: Uint32Array,
  stride: number,
  table: Uint32Array,
  from: number,
  count: number,
  out: Uint32Array,
): number {
  let row = from;
  for (; row + 3 < count; row += 4) {
    const number0 = table[(Math.imul(firsts[row], stride) + seconds[row]) | 0];
    const number1 = table[(Math.imul(firsts[row + 1], stride) + seconds[row + 1]) | 0];
    const number2 = table[(Math.imul(firsts[row + 2], stride) + seconds[row + 2]) | 0];
    const number3 = table[(Math.imul(firsts[row + 3], stride) + seconds[row + 3]) | 0];
    if (number0 === 0 || number1 === 0 || number2 === 0 || number3 === 0) break;
    out[row] = number0;
    out[row + 1] = number1;
    out[row + 2] = number2;
    out[row + 3] = number3;
  }
  for (; row < count; row++) {
    const number = table[(Math.imul(firsts[row], stride) + seconds[row]) | 0];
    if (number === 0) return row;
    out[row] = number;
  }
  return count;
}
