/**
 * What every JS twin shares: the bitmap is written in 32-row words. All offsets in js/ are element indexes into
 * the arrays given; adapters in twins.ts turn the contract's byte offsets into them.
 */

/** Stands for "every row has a value" where a kernel takes the word index of a validity bitmap. */
export const ALL_VALID = -1;

/** 32-bit words of a bitmap over n rows, whole 128-bit groups. */
export const wordCount = (n: number): number => ((n + 127) >>> 7) << 2;

/** Bits set in a 32-bit word. */
export function popcount32(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Bits of the word that starts at row `from` that stand for rows below n; from < n. */
export const liveMask = (from: number, n: number): number => (n - from >= 32 ? -1 : (1 << (n - from)) - 1);

/** Stands for "every row" where a kernel takes the word index of a bitmap of rows. */
export const ALL_ROWS = -1;

/** Of the 32 rows from row `from` on, those below n that are set in `bitmap`; from < n. */
export function chosen(words: Uint32Array | Int32Array, bitmap: number, from: number, n: number): number {
  const live = liveMask(from, n);
  return bitmap === ALL_ROWS ? live : live & words[bitmap + (from >>> 5)];
}

/** Place of the lowest set bit of a word that is not 0. */
export const lowestBit = (word: number): number => 31 - Math.clz32(word & -word);

/**
 * Stores word w of the bitmap at word index `out`, without rows from n on and rows without a value, and returns
 * its bits set.
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

/** Clears the words of a bitmap over n rows that hold no row: the rest of the last 128-bit group. */
export function clearRest(words: Uint32Array, n: number, out: number): void {
  words.fill(0, out + ((n + 31) >>> 5), out + wordCount(n));
}
