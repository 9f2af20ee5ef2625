/** Memory of vectors, for code that reserves memory before it stores them. */
import type { Vector } from './vector.js';
import type { WireVector } from './wire.js';

/** A bigint of up to 128 bits and the array element that refers to it. */
const WIDE_BYTES = 40;

/** Approximate bytes of the arrays and the texts; shared texts count in full for each vector. */
export function memoryBytesOf(vector: Vector): number {
  const valid = vector.valid?.byteLength ?? 0;
  switch (vector.kind) {
    case 'exact':
      return valid + (vector.numbers?.byteLength ?? 0) + (vector.wide?.length ?? 0) * WIDE_BYTES;
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
      return valid + (wire.numbers?.byteLength ?? (wire.wide?.length ?? 0) * WIDE_BYTES);
    case 'float':
      return valid + wire.numbers.byteLength;
    case 'boolean':
      return valid + wire.bits.byteLength;
    case 'text':
      return valid + (wire.codes?.byteLength ?? 0) + wire.offsets.byteLength + wire.bytes.byteLength;
  }
}
