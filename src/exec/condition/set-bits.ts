/** Converts a bitmap to a list of its set bits. */

/**
 * Writes first + i to `out` for each i below n whose bit is set in words[wordAt...], ascending; returns their number.
 */
export function setBits(
  words: Int32Array,
  wordAt: number,
  n: number,
  first: number,
  out: Uint32Array,
): number {
  let count = 0;
  const end = wordAt + ((n + 31) >>> 5);
  for (let at = wordAt, base = first; at < end; at++, base += 32) {
    let bits = words[at];
    while (bits !== 0) {
      const lowest = bits & -bits;
      out[count++] = base + 31 - Math.clz32(lowest);
      bits ^= lowest;
    }
  }
  return count;
}
