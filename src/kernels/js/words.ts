/**
 * Functions shared by the JS twins. Bitmaps are written in 32-row words. All offsets in js/ are element indexes into the given arrays;
 * twins.ts converts byte offsets into them.
 */

/** Means "every row has a value" where a kernel takes the word index of a validity bitmap. */
export const ALL_VALID = -1;

/** The number of 32-bit words of a bitmap over n rows: whole 128-bit groups. */
export const wordCount = (n: number): number => ((n + 127) >>> 7) << 2;

/** The number of bits set in a 32-bit word. */
export function popcount32(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The mask of rows below n in the word that starts at row `from`; from < n. */
export const liveMask = (from: number, n: number): number => (n - from >= 32 ? -1 : (1 << (n - from)) - 1);

/** Means "every row" where a kernel takes the word index of a bitmap of rows. */
export const ALL_ROWS = -1;

/** The rows below n that are set in `bitmap`, among the 32 rows from row `from` on; from < n. */
export function chosen(words: Uint32Array | Int32Array, bitmap: number, from: number, n: number): number {
  const live = liveMask(from, n);
  return bitmap === ALL_ROWS ? live : live & words[bitmap + (from >>> 5)];
}

/** The index of the lowest set bit of a nonzero word. */
export const lowestBit = (word: number): number => 31 - Math.clz32(word & -word);

/**
 * Stores word w of the bitmap at word index `out` without rows from n on and rows without a value; returns the number of bits
 * set.
 */
export function put(
  words: Uint32Array,
  bits: number,
  w: number,
  n: number,
  validity: number,
  out: number,
): number {
  let live = bits & liveMask(w << 5, n);
  if (validity !== ALL_VALID) live &= words[validity + w];
  words[out + w] = live;
  return popcount32(live);
}

/** Clears the words of a bitmap over n rows that contain no row: the rest of the last 128-bit group. */
export function clearRest(words: Uint32Array, n: number, out: number): void {
  words.fill(0, out + ((n + 31) >>> 5), out + wordCount(n));
}
