/** Arrays that grow with the rows of a query, out of its memory. */
import type { HeldMemory } from '../held-memory.js';

const LENGTH_MIN = 1_024;

type Numbers = Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** `array`, which came from here, or a copy of it with at least `length` elements, twice as long as before. Throws 9006. */
export function grownTo<A extends Numbers>(array: A, length: number, memory: HeldMemory): A {
  if (length <= array.length) return array;
  const room = Math.max(length, array.length * 2, LENGTH_MIN);
  memory.take(room * array.BYTES_PER_ELEMENT);
  const longer = new (array.constructor as new (length: number) => A)(room);
  longer.set(array as never);
  memory.give(array.byteLength);
  return longer;
}
