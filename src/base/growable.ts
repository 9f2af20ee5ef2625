/** Typed arrays that grow: a longer copy takes the place of one that is too short, at least twice as long. */
import type { MemoryAccount } from './memory-account.js';

export type Growable =
  | Uint8Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** The length of an array of `length` elements that grows to hold `needed`. */
export const grownLength = (length: number, needed: number, lengthMin = 0): number =>
  Math.max(needed, length * 2, lengthMin);

/** A copy of `array` with exactly `length` elements; the new ones are 0. */
export function longerCopy<A extends Growable>(array: A, length: number): A {
  const longer = new (array.constructor as new (length: number) => A)(length);
  longer.set(array as never);
  return longer;
}

/** `array`, or a copy of it with room for `needed` elements. */
export function grown<A extends Growable>(array: A, needed: number, lengthMin = 0): A {
  return needed <= array.length ? array : longerCopy(array, grownLength(array.length, needed, lengthMin));
}

/**
 * The same of an array whose bytes are reserved in `memory`; the new elements are `fill`. While it is copied, both arrays
 * are reserved. Throws 9006.
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
