/** Memory of vectors, for code that reserves memory before it stores them. */
import type { ExactVector, Vector } from './vector.js';
import { are64 } from './wide-integers.js';
import type { WireVector } from './wire.js';

/** A bigint of up to 128 bits and the array element that refers to it. */
const WIDE_BYTES = 40;

function exactBytes({ numbers, wide }: ExactVector): number {
  if (wide === null) return numbers?.byteLength ?? 0;
  return are64(wide) ? wide.byteLength : wide.length * WIDE_BYTES;
}

/** Approximate bytes of the arrays and the texts; shared texts count in full for each vector. */
export function memoryBytesOf(vector: Vector): number {
  const valid = vector.valid?.byteLength ?? 0;
  switch (vector.kind) {
    case 'exact':
      return valid + exactBytes(vector);
    case 'float':
      return valid + vector.numbers.byteLength;
    case 'boolean':
      return valid + vector.bits.byteLength;
    case 'text':
      return valid + (vector.codes?.byteLength ?? 0) + vector.texts.memoryBytes;
  }
}

/** Approximate size of the vector. */
export function wireBytes(wire: WireVector): number {
  const valid = wire.valid?.byteLength ?? 0;
  switch (wire.kind) {
    case 'exact':
      return valid + exactBytes(wire);
    case 'float':
      return valid + wire.numbers.byteLength;
    case 'boolean':
      return valid + wire.bits.byteLength;
    case 'text':
      return (
        valid +
        (wire.codes?.byteLength ?? 0) +
        wire.offsets.byteLength +
        wire.bytes.byteLength +
        (wire.hashes?.byteLength ?? 0)
      );
  }
}
