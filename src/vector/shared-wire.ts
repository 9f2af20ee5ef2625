/** Vectors in shared memory, which messages pass to any number of threads without a copy. */
import type { WireVector } from './wire.js';

type WireArray = Uint8Array | Uint32Array | Float64Array;
type WireArrayType = new (memory: SharedArrayBuffer, at: number, length: number) => WireArray;

/** The alignment that every array type allows. */
const ALIGNED_BYTES = 8;

const isArray = (value: unknown): value is WireArray => ArrayBuffer.isView(value);
const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNED_BYTES) * ALIGNED_BYTES;

/** Copies the arrays of the vectors into one block of shared memory; only integers of more than 53 bits remain outside. */
export function sharedWires(wires: readonly WireVector[]): WireVector[] {
  const arrays = wires.flatMap((wire) => Object.values(wire).filter(isArray));
  const memory = new SharedArrayBuffer(arrays.reduce((sum, { byteLength }) => sum + aligned(byteLength), 0));
  let at = 0;
  const shared = (array: WireArray): WireArray => {
    const copy = new (array.constructor as WireArrayType)(memory, at, array.length);
    copy.set(array);
    at += aligned(array.byteLength);
    return copy;
  };
  return wires.map((wire) => {
    const members = Object.entries(wire).map(([name, value]) => [
      name,
      isArray(value) ? shared(value) : value,
    ]);
    return Object.fromEntries(members) as WireVector;
  });
}
