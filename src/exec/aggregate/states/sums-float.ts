/**
 * Exact sums of doubles by group, independent of their order; group 0 means no group and has no sum.
 * Layout  a sum is high + low, plus the limbs that the group has spilled. Limbs have weights 2^32 apart, starting at
 *         2^-1074, the least double. A limb is an integer held as a double and may exceed 2^32.
 * Invariants  an addition that high + low would not represent exactly (by the errors of Knuth's two-sum) is spilled.
 *             No limb exceeds 2^53: limbs are carried every 2^19 additions.
 */
import { grownWithin, type MemoryAccount } from '../../../base/index.js';
import type { WireVector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { GROUPS_MIN } from '../../scan/array-lengths.js';

/** The sum of two doubles below this limit is finite. */
const ADDED_MAX = 2 ** 1000;
const LIMB_WEIGHT = 2 ** 32;
/** Covers 2^-1074 x 2^(32 x 68), more than 2^19 x the largest double plus carries. */
const LIMBS = 70;
const ADDITIONS_MAX = 2 ** 19;
/** Bytes of one group's limbs with their container. */
const SPILL_BYTES = LIMBS * 8 + 200;
/** Bytes of a sum in units of the least double. */
const TOTAL_BYTES = 304;

const scratchDouble = (): { readonly double: Float64Array; readonly words: Uint32Array } => {
  const double = new Float64Array(1);
  return { double, words: new Uint32Array(double.buffer) };
};

/** The finite double in units of 2^-1074. */
export function unitsOf(value: number): bigint {
  const { double, words } = scratchDouble();
  double[0] = value;
  const exponent = (words[1] >>> 20) & 0x7ff;
  const highBits = (words[1] & 0xfffff) | (exponent === 0 ? 0 : 0x100000);
  const bits = BigInt(highBits) * 2n ** 32n + BigInt(words[0]);
  const units = bits << BigInt(Math.max(exponent, 1) - 1);
  return value < 0 ? -units : units;
}

interface Spill {
  readonly limbs: Float64Array;
  additions: number;
}

export class FloatSums {
  readonly #memory: MemoryAccount;
  readonly #scratch = scratchDouble();
  #high: Float64Array<ArrayBuffer> = new Float64Array(0);
  #low: Float64Array<ArrayBuffer> = new Float64Array(0);
  readonly #spills = new Map<number, Spill>();

  constructor(memory: MemoryAccount) {
    this.#memory = memory;
  }

  /** Grows the arrays to hold groups below `groupEnd`. Throws 9006. */
  reserve(groupEnd: number): void {
    this.#high = grownWithin(this.#memory, this.#high, groupEnd, GROUPS_MIN);
    this.#low = grownWithin(this.#memory, this.#low, groupEnd, GROUPS_MIN);
  }

  /** Adds numbers[i] to groups[i]. Throws 9006. */
  add(numbers: Float64Array, groups: Uint32Array, count: number): void {
    const [high, low] = [this.#high, this.#low];
    for (let row = 0; ; row++) {
      row = addExact(numbers, groups, row, count, high, low);
      if (row === count) return;
      this.#spill(groups[row], numbers[row]);
    }
  }

  /** Adds a finite number. Throws 9006. */
  addOne(group: number, value: number): void {
    if (group !== 0) this.#spill(group, value);
  }

  /** Adds a value that does not fit into high + low; group 0 is ignored. */
  #spill(group: number, value: number): void {
    if (group === 0) return;
    let spill = this.#spills.get(group);
    if (spill === undefined) {
      this.#memory.reserve(SPILL_BYTES);
      spill = { limbs: new Float64Array(LIMBS), additions: 0 };
      this.#spills.set(group, spill);
    }
    // high and low are spilled as well. Otherwise, after an unfavorable pair, every later value would be spilled.
    for (const part of [this.#high[group], this.#low[group], value]) this.#addToLimbs(spill, part);
    this.#high[group] = 0;
    this.#low[group] = 0;
  }

  #addToLimbs(spill: Spill, value: number): void {
    const { double, words } = this.#scratch;
    double[0] = value;
    const low = words[0];
    const high = words[1];
    const exponent = (high >>> 20) & 0x7ff;
    const highBits = (high & 0xfffff) | (exponent === 0 ? 0 : 0x100000);
    const sign = high >>> 31 === 0 ? 1 : -1;
    const bitPosition = Math.max(exponent, 1) - 1;
    const limb = bitPosition >>> 5;
    const factor = 2 ** (bitPosition & 31);
    // Both products have at most 32 significant bits, so they and their parts are exact.
    const first = low * factor;
    const second = highBits * factor;
    const firstCarry = Math.floor(first / LIMB_WEIGHT);
    const secondCarry = Math.floor(second / LIMB_WEIGHT);
    const { limbs } = spill;
    limbs[limb] += sign * (first - firstCarry * LIMB_WEIGHT);
    limbs[limb + 1] += sign * (firstCarry + second - secondCarry * LIMB_WEIGHT);
    limbs[limb + 2] += sign * secondCarry;
    if (++spill.additions === ADDITIONS_MAX) {
      carry(limbs);
      spill.additions = 0;
    }
  }

  /** The group's sum in units of 2^-1074. */
  total(group: number): bigint {
    let total = 0n;
    const spill = this.#spills.get(group);
    if (spill !== undefined) {
      for (let limb = LIMBS - 1; limb >= 0; limb--) total = (total << 32n) + BigInt(spill.limbs[limb]);
    }
    return total + unitsOf(this.#high[group]) + unitsOf(this.#low[group]);
  }

  /** The sums of groups 1, ..., groupCount. Their memory is reserved in the run. Throws 9006. */
  totals(groupCount: number, run: QueryRun): WireVector {
    run.reserve(groupCount * TOTAL_BYTES);
    const wide = Array.from({ length: groupCount }, (_, group) => this.total(group + 1));
    return { kind: 'exact', count: groupCount, valid: null, numbers: null, wide };
  }
}

/** Adds from row `from` on until high + low would not be exact; returns that row, or `count`. */
function addExact(
  numbers: Float64Array,
  groups: Uint32Array,
  from: number,
  count: number,
  highs: Float64Array,
  lows: Float64Array,
): number {
  for (let row = from; row < count; row++) {
    const group = groups[row];
    const value = numbers[row];
    const high = highs[group];
    const low = lows[group];
    const sum = high + value;
    if (!(sum < ADDED_MAX && sum > -ADDED_MAX)) return row;
    const back = sum - high;
    const error = high - (sum - back) + (value - back);
    const rest = low + error;
    const restBack = rest - low;
    if (low - (rest - restBack) + (error - restBack) !== 0) return row;
    highs[group] = sum;
    lows[group] = rest;
  }
  return count;
}

/** Normalizes all limbs but the last to [0, 2^32). */
function carry(limbs: Float64Array): void {
  for (let limb = 0; limb + 1 < limbs.length; limb++) {
    const over = Math.floor(limbs[limb] / LIMB_WEIGHT);
    limbs[limb] -= over * LIMB_WEIGHT;
    limbs[limb + 1] += over;
  }
}
