/** Values with equal hashes, as an attacker who knows base/hash.ts can construct them. */
import { HASH_SEED, hashBlock } from '../../../src/base/index.js';

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/** The inverse of an odd factor modulo 2^32: each round of Newton's method doubles the number of correct bits. */
function inverse(factor: number): number {
  let found = factor;
  for (let round = 0; round < 5; round++) found = Math.imul(found, 2 - Math.imul(factor, found));
  return found;
}

const [FIFTH, FIRST, SECOND] = [5, 0xcc9e2d51, 0x1b873593].map(inverse);

/** The u32 word that changes `hash` to `target`: the inverse of hashBlock. */
export function wordTo(hash: number, target: number): number {
  const mixed = rotate(Math.imul((target - 0xe6546b64) | 0, FIFTH), 32 - 13);
  return Math.imul(rotate(Math.imul(mixed ^ hash, SECOND), 32 - 15), FIRST);
}

/** `count` different integers with the same hash, as (low, high) words. */
export function collidingTexts(count: number): Uint32Array {
  const words = new Uint32Array(2 * count);
  for (let index = 0; index < count; index++) {
    words[2 * index] = index;
    words[2 * index + 1] = wordTo(hashBlock(HASH_SEED, index), 0x12345678);
  }
  return words;
}
