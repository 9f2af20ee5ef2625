/** Exact sums by group: doubles while they are exact, bigints afterwards. */
import { invariant, type MemoryAccount } from '../../base/index.js';
import type { Vector, WideIntegers } from '../../vector/index.js';
import { BIGINT_BYTES } from './columns.js';

export class GroupSums {
  readonly #budget: MemoryAccount;
  readonly #numbers: Float64Array;
  /** The parts of sums that `#numbers` cannot hold; null = none. */
  #wide: bigint[] | null = null;

  /** Throws 9006. */
  constructor(groupCount: number, budget: MemoryAccount) {
    budget.reserve(groupCount * 8);
    this.#budget = budget;
    this.#numbers = new Float64Array(groupCount);
  }

  /** Adds an integer; a number must be a safe integer. Throws 9006. */
  add(group: number, value: number | bigint): void {
    if (typeof value === 'bigint') {
      this.#addWide(group, value);
      return;
    }
    const sum = this.#numbers[group] + value;
    if (Number.isSafeInteger(sum)) this.#numbers[group] = sum;
    else this.#addWide(group, BigInt(value));
  }

  /** Adds the square of an integer. Throws 9006. */
  addSquare(group: number, value: number | bigint): void {
    const square = typeof value === 'number' ? value * value : 0;
    if (typeof value === 'number' && Number.isSafeInteger(square)) this.add(group, square);
    else this.#addWide(group, BigInt(value) ** 2n);
  }

  #addWide(group: number, value: bigint): void {
    if (this.#wide === null) {
      this.#budget.reserve(this.#numbers.length * BIGINT_BYTES);
      this.#wide = new Array<bigint>(this.#numbers.length).fill(0n);
    }
    this.#wide[group] += value;
  }

  /** All sums if doubles hold them exactly, else null. */
  get numbers(): Float64Array | null {
    return this.#wide === null ? this.#numbers : null;
  }

  at(group: number): bigint {
    const number = BigInt(this.#numbers[group]);
    return this.#wide === null ? number : number + this.#wide[group];
  }
}

/** Reads exact values one by one in the form that GroupSums accepts. */
export function integerReader(vector: Vector): (row: number) => number | bigint {
  invariant(vector.kind === 'exact', 'only exact values are integers');
  const { numbers } = vector;
  if (numbers !== null) return (row) => numbers[row];
  const wide = vector.wide as WideIntegers;
  return (row) => wide[row];
}
