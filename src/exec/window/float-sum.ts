/**
 * The exact sum of doubles that are added and removed, as a few doubles whose bits do not overlap, in ascending
 * magnitude. Partial sums must stay below 2^1023 in magnitude.
 * Source  Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997; the rounding is that of Python's fsum.
 */
import { unitsOf } from '../../vector/index.js';

/** Doubles whose bits do not overlap are at most 2,098 bits apart, with 53 bits each. */
const PARTS_MAX = 48;

export class FloatSum {
  readonly #parts = new Float64Array(PARTS_MAX);
  #count = 0;

  /** Adds a value; a value is removed by adding its negative. */
  add(value: number): void {
    const parts = this.#parts;
    const count = this.#count;
    let retained = 0;
    let sum = value;
    for (let index = 0; index < count; index++) {
      const part = parts[index];
      const next = sum + part;
      const back = next - sum;
      const error = sum - (next - back) + (part - back);
      if (error !== 0) parts[retained++] = error;
      sum = next;
    }
    if (sum !== 0) parts[retained++] = sum;
    this.#count = retained;
  }

  clear(): void {
    this.#count = 0;
  }

  /** The sum, rounded once (ties to even). */
  rounded(): number {
    const parts = this.#parts;
    let left = this.#count;
    if (left === 0) return 0;
    let sum = parts[--left];
    let error = 0;
    while (left > 0 && error === 0) {
      const greater = sum;
      const part = parts[--left];
      sum = greater + part;
      error = part - (sum - greater);
    }
    // A tie is decided by the next part.
    if (left > 0 && error !== 0 && error > 0 === parts[left - 1] > 0) {
      const twice = error * 2;
      const away = sum + twice;
      if (twice === away - sum) return away;
    }
    return sum;
  }

  /** The sum times `power`, a power of 2, if that is an integer; else null. */
  integer(power: number): bigint | null {
    let sum = 0n;
    for (let index = 0; index < this.#count; index++) {
      const part = this.#parts[index] * power;
      if (!Number.isInteger(part)) return null;
      sum += BigInt(part);
    }
    return sum;
  }

  /** The sum in units of 2^-1074. */
  get units(): bigint {
    let units = 0n;
    for (let index = 0; index < this.#count; index++) units += unitsOf(this.#parts[index]);
    return units;
  }
}
