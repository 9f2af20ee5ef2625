/**
 * RANDOM: a number of a seed and a row's identity, so that a query that evaluates it twice for a row gets the same number. The bits
 * are a hash of both, mixed as in MurmurHash3.
 */

/** Mixes 32 bits so that each depends on all. */
function mixed(bits: number): number {
  let hash = bits;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function hashOf(text: string, seed: number): number {
  let hash = seed | 0;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ Math.imul(text.charCodeAt(at) + 1, 0xcc9e2d51), 0x1b873593);
    hash = (((hash << 13) | (hash >>> 19)) * 5 + 0xe6546b64) | 0;
  }
  return mixed(hash ^ text.length);
}

/** A double from 0 to below 1 with 53 random bits. */
export function randomOf(seed: number, row: string): number {
  const low = Math.floor(seed) >>> 0;
  const high = Math.floor(seed / 2 ** 32) >>> 0;
  const first = hashOf(row, mixed(low ^ 0x9e3779b9) ^ high);
  const second = hashOf(row, mixed(first ^ low) ^ 0x85157af5);
  return ((first >>> 5) * 2 ** 26 + (second >>> 6)) / 2 ** 53;
}
