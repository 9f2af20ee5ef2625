/**
 * Hashes for the tables of one query. Clients that choose keys cannot cause collisions, because they do not know the
 * random numbers, which are drawn for each table.
 * Layout  256 random numbers for each byte of a key, indexed by the byte; the hash is their exclusive or.
 * Result  3-independent hashes, with which linear probing takes an expected constant number of steps for any keys. No
 *         query result depends on them.
 * Source  Patrascu and Thorup, "The Power of Simple Tabulation Hashing", JACM 2012.
 */
import type { RandomBytes } from '../../base/index.js';

const NUMBERS_PER_WORD = 4 * 256;

/** Bytes of the random numbers for keys of `wordCount` 32-bit words. */
export const tabulationBytes = (wordCount: number): number => wordCount * NUMBERS_PER_WORD * 4;

export function tabulation(wordCount: number, random: RandomBytes): Int32Array {
  const bytes = random(tabulationBytes(wordCount));
  // Copied to a new buffer, because the given one may not be aligned to 4 bytes.
  return new Int32Array(Uint8Array.from(bytes).buffer);
}

/** The hash contribution of word `index` of a key; the hash is the exclusive or of all contributions. */
export function hashOfWord(numbers: Int32Array, index: number, word: number): number {
  const first = index * NUMBERS_PER_WORD;
  return (
    numbers[first + (word & 0xff)] ^
    numbers[first + 256 + ((word >>> 8) & 0xff)] ^
    numbers[first + 512 + ((word >>> 16) & 0xff)] ^
    numbers[first + 768 + (word >>> 24)]
  );
}
