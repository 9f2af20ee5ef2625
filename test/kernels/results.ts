/** Reads what the aggregating kernels write: i64 in two little-endian words, 8-aligned. */

/** The i64 at byte offset `at`; `words` begins where the arena does. */
export function readI64(words: Uint32Array, at: number): bigint {
  const low = at >>> 2;
  return (BigInt(words[low + 1] | 0) << 32n) | BigInt(words[low]);
}

/** The sum that sumI64, sumI32, sumI16 or sumI8 wrote at byte offset `at`; it may need more than 64 bits. */
export function readSum(words: Uint32Array, at: number): bigint {
  return readI64(words, at) + (readI64(words, at + 8) << 32n);
}
