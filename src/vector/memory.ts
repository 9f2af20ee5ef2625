/** Memory of vectors, for code that reserves memory before it stores them. */
import type { Vector } from './vector.js';

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
