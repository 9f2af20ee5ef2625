/**
 * Parses white space, strings and keys of an insert body, 16 bytes at a time. The body is followed by 64 zero bytes, which no
 * token contains, so every loop ends there and vectors may be read from any offset of the body. A string is plain if it has no
 * escapes, only ASCII characters, and from 1 to TEXT_BYTES_MAX bytes.
 */
import { Column, Dimension, Walk } from './_insert-records';

export const QUOTE: u32 = 0x22;
export const COMMA: u32 = 0x2c;
export const COLON: u32 = 0x3a;
export const OPEN_LIST: u32 = 0x5b;
export const CLOSE_LIST: u32 = 0x5d;
export const OPEN_OBJECT: u32 = 0x7b;
export const CLOSE_OBJECT: u32 = 0x7d;
/** TEXT_POINTS_MAX of src/base. */
const TEXT_BYTES_MAX: u32 = 1000;
/** HASH_SEED of src/base. */
const HASH_SEED: u32 = 0x51756172;

function skipSpaceSlowly(from: usize): usize {
  let at = from;
  let byte = <u32>load<u8>(at);
  while (byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09) byte = load<u8>(++at);
  return at;
}

/** Returns the offset of the first byte from `at` on that is not white space. */
// @ts-ignore: decorator
@inline
export function skipSpace(at: usize): usize {
  return load<u8>(at) > 0x20 ? at : skipSpaceSlowly(at);
}

/** Returns whether only blanks are between `from` and the end of its line. */
export function endsLine(from: usize): bool {
  let at = from;
  let byte = <u32>load<u8>(at);
  while (byte == 0x20 || byte == 0x0d || byte == 0x09) byte = load<u8>(++at);
  return byte == 0x0a;
}

/** Returns the offset of the value after a key's colon; 0 = there is no colon. */
// @ts-ignore: decorator
@inline
export function skipColon(from: usize): usize {
  const at = skipSpace(from);
  return load<u8>(at) == COLON ? skipSpace(at + 1) : 0;
}

/** Returns the length of the plain string whose first byte is at `from`; 0 = it is not plain. */
// @ts-ignore: decorator
@inline
export function plainLength(from: usize): u32 {
  const stops = stopsOf(v128.load(from));
  if (stops == 0) return longLength(from);
  const length = <u32>ctz<i32>(stops);
  return load<u8>(from + length) == QUOTE ? length : 0;
}

// @ts-ignore: decorator
@inline
function stopsOf(chunk: v128): i32 {
  const quotes = i8x16.eq(chunk, i8x16.splat(0x22));
  const slashes = i8x16.eq(chunk, i8x16.splat(0x5c));
  return i8x16.bitmask(v128.or(v128.or(quotes, slashes), i8x16.lt_s(chunk, i8x16.splat(0x20))));
}

function longLength(from: usize): u32 {
  for (let length: u32 = 16; length <= TEXT_BYTES_MAX; length += 16) {
    const stops = stopsOf(v128.load(from + length));
    if (stops == 0) continue;
    const whole = length + <u32>ctz<i32>(stops);
    return load<u8>(from + whole) == QUOTE && whole <= TEXT_BYTES_MAX ? whole : 0;
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function hashBlock(hash: u32, word: u32): u32 {
  return rotl<u32>(hash ^ (rotl<u32>(word * 0xcc9e2d51, 15) * 0x1b873593), 13) * 5 + 0xe6546b64;
}

/** Returns the hash (hashBytes of src/base) of the `length` bytes at `at`, which are readable in whole words. */
// @ts-ignore: decorator
@inline
export function hashOf(at: usize, length: u32): u32 {
  let hash = HASH_SEED;
  const end = at + (length & ~3);
  for (let place = at; place < end; place += 4) hash = hashBlock(hash, load<u32>(place));
  const tail = load<u32>(end) & ((1 << ((length & 3) << 3)) - 1);
  let mixed = hash ^ (rotl<u32>(tail * 0xcc9e2d51, 15) * 0x1b873593) ^ length;
  mixed = (mixed ^ (mixed >>> 16)) * 0x85ebca6b;
  mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
  return mixed ^ (mixed >>> 16);
}

/** Writes the `length` bytes at `from` to `to`, in whole vectors; returns their hash. */
export function copyText(from: usize, to: usize, length: u32): u32 {
  for (let done: u32 = 0; done < length; done += 16) v128.store(to + done, v128.load(from + done));
  return hashOf(to, length);
}

/** Writes the `length` bytes at `from` lower-cased to `to`, in whole vectors; returns their hash. */
// @ts-ignore: decorator
@inline
export function lowerText(from: usize, to: usize, length: u32): u32 {
  for (let done: u32 = 0; done < length; done += 16) {
    const chunk = v128.load(from + done);
    // 'A' to 'Z', and no other ASCII letters, become 0x66 to 0x7f.
    const capitals = i8x16.gt_s(i8x16.add(chunk, i8x16.splat(0x25)), i8x16.splat(0x65));
    v128.store(to + done, v128.or(chunk, v128.and(capitals, i8x16.splat(0x20))));
  }
  return hashOf(to, length);
}

/** Returns whether the string at `at` (its quote) equals the name at `name`, which has `bytes` bytes including both quotes. */
// @ts-ignore: decorator
@inline
export function isNamed(at: usize, name: usize, bytes: u32): bool {
  const unlike = unlikeAt(at, name);
  return bytes <= 16 ? unlike << (32 - bytes) == 0 : unlike == 0 && isNamedFurther(at, name, bytes);
}

/** Returns a bit for each byte in which the 16 bytes at `a` and at `b` differ. */
// @ts-ignore: decorator
@inline
function unlikeAt(a: usize, b: usize): u32 {
  return <u32>i8x16.bitmask(i8x16.ne(v128.load(a), v128.load(b)));
}

function isNamedFurther(at: usize, name: usize, bytes: u32): bool {
  let done: u32 = 16;
  for (; done + 16 < bytes; done += 16) if (unlikeAt(at + done, name + done) != 0) return false;
  return unlikeAt(at + done, name + done) << (32 - (bytes - done)) == 0;
}

/** Returns the dimension whose name is at `at` (its quote), or 0. */
export function dimensionNamed(walk: Walk, at: usize): u32 {
  const length = plainLength(at + 1);
  if (length == 0) return 0;
  const mask = walk.dimensionMask;
  let slot = hashOf(at + 1, length) & mask;
  let found = load<u32>(walk.dimensionsAt + (slot << 2));
  while (found != 0) {
    const dimension = changetype<Dimension>(found);
    if (dimension.nameBytes == length + 2 && isNamed(at, dimension.nameAt, length + 2)) break;
    slot = (slot + 1) & mask;
    found = load<u32>(walk.dimensionsAt + (slot << 2));
  }
  return found;
}

/** Returns the column of `dimension` whose name is at `at` (its quote), or 0. */
export function columnNamed(dimension: Dimension, at: usize): u32 {
  const length = plainLength(at + 1);
  if (length == 0) return 0;
  const mask = dimension.columnMask;
  let slot = hashOf(at + 1, length) & mask;
  let found = load<u32>(dimension.columnsAt + (slot << 2));
  while (found != 0) {
    const column = changetype<Column>(found);
    if (column.nameBytes == length + 2 && isNamed(at, column.nameAt, length + 2)) break;
    slot = (slot + 1) & mask;
    found = load<u32>(dimension.columnsAt + (slot << 2));
  }
  return found;
}
