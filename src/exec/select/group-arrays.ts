/** Arrays that grow with a query's groups, within its memory. */
import type { HeldMemory } from '../held-memory.js';

const LENGTH_MIN = 64;

/** The length of an array that has `length` numbers now and needs `needed`. */
export const nextLength = (length: number, needed: number): number =>
  Math.max(needed, length * 2, LENGTH_MIN);

/** `array`, which came from here, or a longer copy of it with at least `length` numbers, the new ones `fill`. Throws 9006. */
export function grownF64(
  array: Float64Array<ArrayBuffer>,
  length: number,
  memory: HeldMemory,
  fill = 0,
): Float64Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const longerLength = nextLength(array.length, length);
  memory.take(longerLength * 8);
  const longer = new Float64Array(longerLength);
  longer.set(array);
  if (fill !== 0) longer.fill(fill, array.length);
  memory.give(array.byteLength);
  return longer;
}

/** The same for bytes, zeroed. Throws 9006. */
export function grownBytes(
  array: Uint8Array<ArrayBuffer>,
  length: number,
  memory: HeldMemory,
): Uint8Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const longerLength = nextLength(array.length, length);
  memory.take(longerLength);
  const longer = new Uint8Array(longerLength);
  longer.set(array);
  memory.give(array.byteLength);
  return longer;
}
