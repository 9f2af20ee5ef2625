/**
 * Hashes for the tables of one query, which nobody can aim at: whoever chooses the keys does not know the random numbers
 * that they are hashed with, and these are drawn anew for each table.
 * Layout  256 numbers for each byte of a key, one of which stands for what the byte is; the hash is their exclusive or.
 * Gives   3-independent hashes, with which linear probing takes a constant number of steps, whatever the keys are.
 *         Nothing that a query answers depends on them.
 * Source  Patrascu and Thorup, "The Power of Simple Tabulation Hashing", JACM 2012.
 */
import type { RandomBytes } from '../../base/index.js';

const NUMBERS_PER_WORD = 4 * 256;

/** Bytes of the random numbers for keys of so many 32-bit words. */
export const tabulationBytes = (wordCount: number): number => wordCount * NUMBERS_PER_WORD * 4;

export function tabulation(wordCount: number, random: RandomBytes): Int32Array {
  const bytes = random(tabulationBytes(wordCount));
  // Of its own buffer: others may begin where no 32-bit number does.
  return new Int32Array(Uint8Array.from(bytes).buffer);
}

/** The part of a key's hash that its word `index` makes; the hash is the exclusive or of all. */
export function hashOfWord(numbers: Int32Array, index: number, word: number): number {
  const first = index * NUMBERS_PER_WORD;
  return (
    numbers[first + (word & 0xff)] ^
    numbers[first + 256 + ((word >>> 8) & 0xff)] ^
    numbers[first + 512 + ((word >>> 16) & 0xff)] ^
    numbers[first + 768 + (word >>> 24)]
  );
}
