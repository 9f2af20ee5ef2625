/** Exact sums of squares by group; group 0 means no group and has no sum. */
import type { MemoryAccount } from '../../../base/index.js';
import { exactVector, type WideIntegers, type WireVector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { ExactSums } from './sums-exact.js';
import { FloatSums, unitsOf } from './sums-float.js';

/** Squares of integers up to this magnitude are safe integers. */
const SMALL_MAX = 2 ** 26;
/** A larger safe integer is split into high x 2^27 + low, both at most 2^26 in magnitude. */
const PART_WEIGHT = 2 ** 27;
/** Bytes of a total of safe integers: the sums of high^2 x 2^54, high low x 2^28 and low^2. */
const TOTAL_BYTES = 48;
/** Bytes of a sum of squares in units of 2^-2148, as a bigint in a map. */
const FLOAT_TOTAL_BYTES = 560;

export class ExactSquares {
  readonly #memory: MemoryAccount;
  readonly #scratch: Float64Array;
  readonly #low: ExactSums;
  /** Sums for integers that are not small; null = none so far. */
  #cross: ExactSums | null = null;
  #high: ExactSums | null = null;
  #groupEnd = 0;

  /** `countMax`: the largest number of values per call of `add`. */
  constructor(countMax: number, memory: MemoryAccount) {
    this.#memory = memory;
    this.#scratch = new Float64Array(countMax);
    this.#low = new ExactSums(memory);
  }

  /** Grows the arrays to hold groups below `groupEnd`. Throws 9006. */
  reserve(groupEnd: number): void {
    this.#groupEnd = groupEnd;
    this.#low.reserve(groupEnd);
    this.#cross?.reserve(groupEnd);
    this.#high?.reserve(groupEnd);
  }

  /** Adds the square of each safe integer numbers[i] to groups[i]. Throws 9006. */
  add(numbers: Float64Array, groups: Uint32Array, count: number): void {
    const scratch = this.#scratch;
    if (squareSmall(numbers, count, scratch)) {
      this.#low.add(scratch, groups, count);
      return;
    }
    const cross = this.#cross ?? this.#sums();
    const high = this.#high ?? this.#sums();
    [this.#cross, this.#high] = [cross, high];
    for (let row = 0; row < count; row++) {
      const part = numbers[row] - Math.round(numbers[row] / PART_WEIGHT) * PART_WEIGHT;
      scratch[row] = part * part;
    }
    this.#low.add(scratch, groups, count);
    for (let row = 0; row < count; row++) {
      const part = Math.round(numbers[row] / PART_WEIGHT);
      scratch[row] = part * (numbers[row] - part * PART_WEIGHT);
    }
    cross.add(scratch, groups, count);
    for (let row = 0; row < count; row++) scratch[row] = Math.round(numbers[row] / PART_WEIGHT) ** 2;
    high.add(scratch, groups, count);
  }

  #sums(): ExactSums {
    const sums = new ExactSums(this.#memory);
    sums.reserve(this.#groupEnd);
    return sums;
  }

  /** Adds the squares of integers of any size. Throws 9006. */
  addWide(values: WideIntegers, groups: Uint32Array, count: number): void {
    const squares = Array.from({ length: count }, (_, row) => values[row] * values[row]);
    this.#low.addWide(squares, groups, count);
  }

  total(group: number): bigint {
    const cross = this.#cross?.total(group) ?? 0n;
    const high = this.#high?.total(group) ?? 0n;
    return (high << 54n) + (cross << 28n) + this.#low.total(group);
  }

  /** The sums of groups 1, ..., groupCount. Their memory is reserved in the run. Throws 9006. */
  totals(groupCount: number, run: QueryRun): WireVector {
    if (this.#high === null) return this.#low.totals(groupCount, run);
    run.reserve(groupCount * TOTAL_BYTES);
    const wide = Array.from({ length: groupCount }, (_, group) => this.total(group + 1));
    return exactVector(null, wide);
  }
}

/** out[i] = numbers[i]^2; returns false if a number is not small, and `out` is then undefined. */
function squareSmall(numbers: Float64Array, count: number, out: Float64Array): boolean {
  for (let row = 0; row < count; row++) {
    const value = numbers[row];
    if (!(value <= SMALL_MAX && value >= -SMALL_MAX)) return false;
    out[row] = value * value;
  }
  return true;
}

/** The square of a double within these limits is a double plus an error that is also a double. */
const EXACT_MIN = 2 ** -450;
const EXACT_MAX = 2 ** 450;
/** Splits a double into two parts of 26 bits (Veltkamp). */
const SPLITTER = 2 ** 27 + 1;

export class FloatSquares {
  readonly #memory: MemoryAccount;
  readonly #squares: Float64Array;
  readonly #errors: Float64Array;
  readonly #sums: FloatSums;
  /** Sums of squares of doubles beyond the limits, in units of 2^-2148. */
  readonly #far = new Map<number, bigint>();

  /** `countMax`: the largest number of values per call of `add`. */
  constructor(countMax: number, memory: MemoryAccount) {
    this.#memory = memory;
    this.#squares = new Float64Array(countMax);
    this.#errors = new Float64Array(countMax);
    this.#sums = new FloatSums(memory);
  }

  /** Grows the arrays to hold groups below `groupEnd`. Throws 9006. */
  reserve(groupEnd: number): void {
    this.#sums.reserve(groupEnd);
  }

  /** Adds the square of each finite numbers[i] to groups[i]. Throws 9006. */
  add(numbers: Float64Array, groups: Uint32Array, count: number): void {
    for (let row = 0; row < count; row++) {
      if (!this.#square(numbers[row], row)) this.#addFar(groups[row], numbers[row]);
    }
    this.#sums.add(this.#squares, groups, count);
    this.#sums.add(this.#errors, groups, count);
  }

  /** Writes the square and its error; for a number beyond the limits writes zeros and returns false. */
  #square(value: number, row: number): boolean {
    const size = Math.abs(value);
    if (!(size > EXACT_MIN && size < EXACT_MAX)) {
      this.#squares[row] = 0;
      this.#errors[row] = 0;
      return value === 0;
    }
    const square = value * value;
    const turned = SPLITTER * value;
    const high = turned - (turned - value);
    const low = value - high;
    this.#squares[row] = square;
    this.#errors[row] = high * high - square + 2 * high * low + low * low;
    return true;
  }

  #addFar(group: number, value: number): void {
    if (group === 0) return;
    const stored = this.#far.get(group);
    if (stored === undefined) this.#memory.reserve(FLOAT_TOTAL_BYTES);
    this.#far.set(group, (stored ?? 0n) + unitsOf(value) ** 2n);
  }

  /** The sums of groups 1, ..., groupCount, in units of 2^-2148. Their memory is reserved in the run. Throws 9006. */
  totals(groupCount: number, run: QueryRun): WireVector {
    run.reserve(groupCount * FLOAT_TOTAL_BYTES);
    const wide = Array.from({ length: groupCount }, (_, index) => {
      const group = index + 1;
      return (this.#sums.total(group) << 1074n) + (this.#far.get(group) ?? 0n);
    });
    return { kind: 'exact', count: groupCount, valid: null, numbers: null, wide };
  }
}
