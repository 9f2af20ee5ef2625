/** What vectors take of memory, for those who must ask before they keep them. */
import type { Vector } from './vector.js';

/** A bigint of up to 128 bits and the place in which it stands. */
const WIDE_BYTES = 40;

/** Bytes of the arrays and of the texts, about; shared texts are counted whole, and each time. */
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
