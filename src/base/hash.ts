/**
 * The 32-bit hash of entity IDs and strings (MurmurHash3 x86_32 over the stored, lower-cased UTF-8 bytes), and
 * the comparison of bytes with equal hashes.
 * Invariant: the function and its seed never change within a format version, because shards, log records and
 * snapshots contain or depend on its values.
 * Source  Appleby, MurmurHash3 (public domain).
 */
/** Initial hash; `hashBytes` shows the use of the three parts. */
export const HASH_SEED = 0x51_75_61_72;

/** Adds four bytes, as a little-endian u32 word. */
export function hashBlock(hash: number, word: number): number {
  let block = Math.imul(word, 0xcc9e2d51);
  block = (block << 15) | (block >>> 17);
  const mixed = hash ^ Math.imul(block, 0x1b873593);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

/** Returns the final hash as an unsigned integer; `tail` has the last 0 to 3 bytes, little-endian, `length` counts all bytes. */
export function hashEnd(hash: number, tail: number, length: number): number {
  let block = Math.imul(tail, 0xcc9e2d51);
  block = (block << 15) | (block >>> 17);
  let mixed = hash ^ Math.imul(block, 0x1b873593) ^ length;
  mixed ^= mixed >>> 16;
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  mixed ^= mixed >>> 16;
  return mixed >>> 0;
}

/** The hash of bytes[from, to) as an unsigned 32-bit integer. */
export function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = HASH_SEED;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    hash = hashBlock(hash, bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24));
  }
  const rest = to - at;
  let tail = 0;
  if (rest === 3) tail = bytes[at + 2] << 16;
  if (rest >= 2) tail |= bytes[at + 1] << 8;
  if (rest >= 1) tail |= bytes[at];
  return hashEnd(hash, tail, to - from);
}

/** The shard of an entity: the scaled top bits of its hash. The entity index of a shard uses the low bits. */
export function shardOf(hash: number, shardCount: number): number {
  return Math.floor((hash * shardCount) / 2 ** 32);
}

/**
 * The hash with its bits in reverse order, unsigned. In this order an index by the low bits can be scanned from any point, even
 * after it was resized (like SCAN in Redis).
 */
export function reversedBits(hash: number): number {
  let bits = ((hash >>> 1) & 0x55555555) | ((hash & 0x55555555) << 1);
  bits = ((bits >>> 2) & 0x33333333) | ((bits & 0x33333333) << 2);
  bits = ((bits >>> 4) & 0x0f0f0f0f) | ((bits & 0x0f0f0f0f) << 4);
  bits = ((bits >>> 8) & 0x00ff00ff) | ((bits & 0x00ff00ff) << 8);
  return ((bits >>> 16) | (bits << 16)) >>> 0;
}

/** Returns whether a[aFrom, aFrom + length) equals b[bFrom, bFrom + length). */
export function sameBytes(
  a: Uint8Array,
  aFrom: number,
  b: Uint8Array,
  bFrom: number,
  length: number,
): boolean {
  for (let index = 0; index < length; index++) if (a[aFrom + index] !== b[bFrom + index]) return false;
  return true;
}
