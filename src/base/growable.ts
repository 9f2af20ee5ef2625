/** Growable typed arrays: an array that is too short is replaced with a copy of at least twice its length. */
import type { MemoryAccount } from './memory-account.js';

export type Growable =
  | Uint8Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** The new length of an array of `length` elements that needs at least `needed`. */
export const grownLength = (length: number, needed: number, lengthMin = 0): number =>
  Math.max(needed, length * 2, lengthMin);

/** A copy of `array` with exactly `length` elements; the new ones are 0. */
export function longerCopy<A extends Growable>(array: A, length: number): A {
  const longer = new (array.constructor as new (length: number) => A)(length);
  longer.set(array as never);
  return longer;
}

/** Returns `array`, or a longer copy if it has fewer than `needed` elements. */
export function grown<A extends Growable>(array: A, needed: number, lengthMin = 0): A {
  return needed <= array.length ? array : longerCopy(array, grownLength(array.length, needed, lengthMin));
}

/**
 * Like `grown`, for an array whose bytes are reserved in `memory`; new elements are `fill`. During the copy, the bytes
 * of both arrays are reserved. Throws 9006.
 */
export function grownWithin<A extends Growable>(
  memory: MemoryAccount,
  array: A,
  needed: number,
  lengthMin = 0,
  fill = 0,
): A {
  const { length } = array;
  if (needed <= length) return array;
  const newLength = grownLength(length, needed, lengthMin);
  memory.reserve(newLength * array.BYTES_PER_ELEMENT);
  const longer = longerCopy(array, newLength);
  if (fill !== 0) longer.fill(fill, length);
  memory.release(array.byteLength);
  return longer;
}
