/** Moves the integers of wide vectors; those of 64 bits stay side by side (a BigInt64Array), and no bigint is made for them. */
import type { ExactVector, WideIntegers } from './vector.js';

/** Whether the integers are 64 bits each, side by side. */
export const are64 = (values: WideIntegers): values is BigInt64Array<ArrayBufferLike> =>
  values instanceof BigInt64Array;

/** The lower and upper half of each integer, in turn. */
export const halvesOf = (values: BigInt64Array<ArrayBufferLike>): Int32Array<ArrayBufferLike> =>
  new Int32Array(values.buffer, values.byteOffset, values.length * 2);

/** Safe integers have an upper half in [-SAFE_HIGH, SAFE_HIGH), except that -2^53 is not safe. */
const SAFE_HIGH = 2 ** 21;
const TWO_32 = 2 ** 32;

/** The integer of these halves as a number; NaN = it is not a safe integer. */
export function safeNumberOf(low: number, high: number): number {
  const number = high * TWO_32 + (low >>> 0);
  return high >= -SAFE_HIGH && high < SAFE_HIGH && number !== Number.MIN_SAFE_INTEGER - 1
    ? number
    : Number.NaN;
}

/** Element i of the result is values[rows[i]], for i below `count`. */
export function gatherIntegers(values: WideIntegers, rows: Uint32Array, count: number): WideIntegers {
  if (!are64(values)) {
    const gathered = new Array<bigint>(count);
    for (let index = 0; index < count; index++) gathered[index] = values[rows[index]];
    return gathered;
  }
  const gathered = new BigInt64Array(count);
  const from = halvesOf(values);
  const to = halvesOf(gathered);
  for (let index = 0; index < count; index++) {
    to[index * 2] = from[rows[index] * 2];
    to[index * 2 + 1] = from[rows[index] * 2 + 1];
  }
  return gathered;
}

/** Elements [from, to); those of 64 bits are shared. */
export const sliceIntegers = (values: WideIntegers, from: number, to: number): WideIntegers =>
  are64(values) ? values.subarray(from, to) : values.slice(from, to);

/** Whether the integers of the vectors, of which at least one is wide, fit in 64 bits each. */
export const join64 = (vectors: readonly ExactVector[]): boolean =>
  vectors.every(({ wide }) => wide === null || are64(wide));

/** Writes rows [from, to) of an exact vector for which `join64` holds to `joined`, from `at` + `from` on. */
export function putIntegers(
  { numbers, wide }: ExactVector,
  from: number,
  to: number,
  joined: BigInt64Array<ArrayBufferLike>,
  at: number,
): void {
  if (numbers === null) {
    joined.set((wide as BigInt64Array).subarray(from, to), at + from);
    return;
  }
  const halves = halvesOf(joined);
  for (let row = from, out = (at + from) * 2; row < to; row++, out += 2) {
    halves[out] = numbers[row];
    halves[out + 1] = Math.floor(numbers[row] / TWO_32);
  }
}

/** An exact vector of 64-bit integers: with numbers if all of them are safe integers, including those of missing rows. */
export function exactVector64(valid: Uint8Array | null, values: BigInt64Array<ArrayBufferLike>): ExactVector {
  const { length: count } = values;
  const halves = halvesOf(values);
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    numbers[row] = safeNumberOf(halves[row * 2], halves[row * 2 + 1]);
    if (Number.isNaN(numbers[row])) return { kind: 'exact', count, valid, numbers: null, wide: values };
  }
  return { kind: 'exact', count, valid, numbers, wide: null };
}

/**
 * Exclusive limit of the magnitude of integers that `putOrdered` can represent: the bits of larger ones are those of
 * infinities and NaNs.
 */
export const ORDERED_MAX = 0x7ff0_0000_0000_0000;

/**
 * Writes an integer as a double that has the integer's sign, and its magnitude as bits: `halves` are those of a
 * Float64Array, `at` the lower one. Different integers are different doubles, in the same order.
 */
export function putOrdered(halves: Int32Array<ArrayBufferLike>, at: number, low: number, high: number): void {
  if (high >= 0) {
    halves[at] = low;
    halves[at + 1] = high;
    return;
  }
  halves[at] = -low;
  halves[at + 1] = ((low === 0 ? -high : ~high) | 0x80000000) >>> 0;
}

/** The integers that `putOrdered` wrote. */
export function integersOfOrdered(ordered: Float64Array<ArrayBufferLike>): BigInt64Array<ArrayBuffer> {
  const integers = new BigInt64Array(ordered.length);
  const to = halvesOf(integers);
  const from = new Int32Array(ordered.buffer, ordered.byteOffset, ordered.length * 2);
  for (let at = 0; at < from.length; at += 2) {
    const [low, high] = [from[at], from[at + 1]];
    const upper = high & 0x7fffffff;
    to[at] = high >= 0 ? low : -low;
    to[at + 1] = high >= 0 ? high : low === 0 ? -upper : ~upper;
  }
  return integers;
}

/** Safe integers as `putOrdered` writes them. */
export function orderedOfNumbers(numbers: Float64Array<ArrayBufferLike>): Float64Array<ArrayBuffer> {
  const ordered = new Float64Array(numbers.length);
  const halves = new Int32Array(ordered.buffer);
  for (let at = 0; at < numbers.length; at++) {
    putOrdered(halves, at * 2, numbers[at] | 0, Math.floor(numbers[at] / TWO_32));
  }
  return ordered;
}
