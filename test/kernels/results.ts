/** Reads the results of the aggregating kernels: an i64 is two little-endian words at an 8-aligned offset. */

/** The i64 at byte offset `at`; `words` starts at the start of the arena. */
export function readI64(words: Uint32Array, at: number): bigint {
  const low = at >>> 2;
  return (BigInt(words[low + 1] | 0) << 32n) | BigInt(words[low]);
}

/** The sum that sumI64, sumI32, sumI16 or sumI8 wrote at byte offset `at`; it may need more than 64 bits. */
export function readSum(words: Uint32Array, at: number): bigint {
  return readI64(words, at) + (readI64(words, at + 8) << 32n);
}
