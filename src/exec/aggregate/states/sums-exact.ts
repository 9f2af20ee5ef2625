/**
 * Exact sums of safe integers by group; group 0 means no group and has no sum.
 * Layout  a sum is low + high x 2^32, plus `wide`, which accumulates integers of any size.
 * Invariant  low is a safe integer: an addition that would reach 2^53 in magnitude carries into high first.
 */
import { grownWithin, type MemoryAccount } from '../../../base/index.js';
import { exactVector, type WideIntegers, type WireVector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { GROUPS_MIN } from '../../scan/array-lengths.js';

const LOW_MAX = 2 ** 53;
const HIGH_WEIGHT = 2 ** 32;
/** The sum of RUN_ROWS integers whose magnitudes are below this limit is safe. */
const SMALL_MAX = 2 ** 40;
const RUN_ROWS = 2 ** 13;
/** Bytes of a bigint in an array. */
const WIDE_BYTES = 48;

export class ExactSums {
  readonly #memory: MemoryAccount;
  #low: Float64Array<ArrayBuffer> = new Float64Array(0);
  #high: Float64Array<ArrayBuffer> = new Float64Array(0);
  #wide: bigint[] | null = null;
  #groupEnd = 0;

  constructor(memory: MemoryAccount) {
    this.#memory = memory;
  }

  /** Grows the arrays to hold groups below `groupEnd`. Throws 9006. */
  reserve(groupEnd: number): void {
    this.#groupEnd = Math.max(this.#groupEnd, groupEnd);
    this.#low = grownWithin(this.#memory, this.#low, groupEnd, GROUPS_MIN);
    if (this.#high.length > 0) this.#high = grownWithin(this.#memory, this.#high, groupEnd, GROUPS_MIN);
    if (this.#wide !== null) this.#reserveWide(this.#wide);
  }

  /** Adds numbers[i] to groups[i], and 1 to its count. Throws 9006. */
  addCounted(numbers: Float64Array, groups: Uint32Array, count: number, counts: Float64Array): void {
    const low = this.#low;
    for (let row = 0; ; row++) {
      row = addSmallCounted(numbers, groups, row, count, low, counts);
      if (row === count) return;
      counts[groups[row]]++;
      this.#carry(groups[row], numbers[row]);
    }
  }

  /** Adds numbers[i] to groups[i]. Throws 9006. */
  add(numbers: Float64Array, groups: Uint32Array, count: number): void {
    const low = this.#low;
    for (let row = 0; ; row++) {
      row = addSmall(numbers, groups, row, count, low);
      if (row === count) return;
      this.#carry(groups[row], numbers[row]);
    }
  }

  /** Adds all numbers to one group. Throws 9006. */
  addAll(numbers: Float64Array, count: number, group: number): void {
    for (let from = 0; from < count; from += RUN_ROWS) {
      const to = Math.min(from + RUN_ROWS, count);
      const sum = sumOfSmall(numbers, from, to);
      if (sum !== null) this.#carry(group, sum);
      else for (let row = from; row < to; row++) this.#carry(group, numbers[row]);
    }
  }

  /** Adds integers of any size. Throws 9006. */
  addWide(values: WideIntegers, groups: Uint32Array, count: number): void {
    const wide = this.#wide ?? this.#reserveWide([]);
    this.#wide = wide;
    for (let row = 0; row < count; row++) if (groups[row] !== 0) wide[groups[row]] += values[row];
  }

  #reserveWide(wide: bigint[]): bigint[] {
    const missing = this.#groupEnd - wide.length;
    if (missing > 0) {
      this.#memory.reserve(missing * WIDE_BYTES);
      for (let group = wide.length; group < this.#groupEnd; group++) wide.push(0n);
    }
    return wide;
  }

  /** Adds a safe integer to a sum whose low part may overflow. */
  #carry(group: number, value: number): void {
    if (group === 0) return;
    if (this.#high.length < this.#low.length) {
      this.#high = grownWithin(this.#memory, this.#high, this.#low.length, GROUPS_MIN);
    }
    const high = Math.floor(this.#low[group] / HIGH_WEIGHT);
    const added = Math.floor(value / HIGH_WEIGHT);
    this.#high[group] += high + added;
    this.#low[group] -= high * HIGH_WEIGHT;
    this.#low[group] += value - added * HIGH_WEIGHT;
  }

  total(group: number): bigint {
    const high = this.#high.length === 0 ? 0n : BigInt(this.#high[group]) * 2n ** 32n;
    return BigInt(this.#low[group]) + high + (this.#wide?.[group] ?? 0n);
  }

  /** The sums of groups 1, ..., groupCount. Their memory is reserved in the run. Throws 9006. */
  totals(groupCount: number, run: QueryRun): WireVector {
    run.reserve(groupCount * 8);
    if (this.#high.length === 0 && this.#wide === null) {
      const numbers = this.#low.slice(1, groupCount + 1);
      return { kind: 'exact', count: groupCount, valid: null, numbers, wide: null };
    }
    run.reserve(groupCount * WIDE_BYTES);
    const wide = Array.from({ length: groupCount }, (_, group) => this.total(group + 1));
    return exactVector(null, wide);
  }
}

/**
 * Adds from row `from` on until a sum would leave the safe integers; returns that row, or `count`. An inexact sum of
 * two safe integers is at least 2^53 in magnitude, and so is its rounded value. Unrolled: see aggregate-sums.ts.
 */
function addSmallCounted(
  numbers: Float64Array,
  groups: Uint32Array,
  from: number,
  count: number,
  sums: Float64Array,
  counts: Float64Array,
): number {
  let row = from;
  for (; row + 3 < count; row += 4) {
    const group0 = groups[row];
    const sum0 = sums[group0] + numbers[row];
    if (!(sum0 < LOW_MAX && sum0 > -LOW_MAX)) return row;
    sums[group0] = sum0;
    counts[group0]++;
    const group1 = groups[row + 1];
    const sum1 = sums[group1] + numbers[row + 1];
    if (!(sum1 < LOW_MAX && sum1 > -LOW_MAX)) return row + 1;
    sums[group1] = sum1;
    counts[group1]++;
    const group2 = groups[row + 2];
    const sum2 = sums[group2] + numbers[row + 2];
    if (!(sum2 < LOW_MAX && sum2 > -LOW_MAX)) return row + 2;
    sums[group2] = sum2;
    counts[group2]++;
    const group3 = groups[row + 3];
    const sum3 = sums[group3] + numbers[row + 3];
    if (!(sum3 < LOW_MAX && sum3 > -LOW_MAX)) return row + 3;
    sums[group3] = sum3;
    counts[group3]++;
  }
  for (; row < count; row++) {
    const group = groups[row];
    const sum = sums[group] + numbers[row];
    if (!(sum < LOW_MAX && sum > -LOW_MAX)) return row;
    sums[group] = sum;
    counts[group]++;
  }
  return count;
}

function addSmall(
  numbers: Float64Array,
  groups: Uint32Array,
  from: number,
  count: number,
  sums: Float64Array,
): number {
  for (let row = from; row < count; row++) {
    const group = groups[row];
    const sum = sums[group] + numbers[row];
    if (!(sum < LOW_MAX && sum > -LOW_MAX)) return row;
    sums[group] = sum;
  }
  return count;
}

/** The sum of at most RUN_ROWS rows; null if one of them is not small. */
function sumOfSmall(numbers: Float64Array, from: number, to: number): number | null {
  // Two sums, because additions to a single one would wait for each other.
  let first = 0;
  let second = 0;
  let row = from;
  for (; row + 3 < to; row += 4) {
    const value0 = numbers[row];
    const value1 = numbers[row + 1];
    const value2 = numbers[row + 2];
    const value3 = numbers[row + 3];
    if (!(Math.abs(value0) < SMALL_MAX && Math.abs(value1) < SMALL_MAX)) return null;
    if (!(Math.abs(value2) < SMALL_MAX && Math.abs(value3) < SMALL_MAX)) return null;
    first += value0 + value1;
    second += value2 + value3;
  }
  for (; row < to; row++) {
    if (!(Math.abs(numbers[row]) < SMALL_MAX)) return null;
    first += numbers[row];
  }
  return first + second;
}
