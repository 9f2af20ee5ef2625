/**
 * White space, strings and keys of an insert body, 16 bytes at a time. Behind the body lie 64 zero bytes, which no
 * token contains, so that every loop ends there and vectors may be read from any place of the body.
 * A string is plain when it has no escape and nothing beyond ASCII, is not empty and not too long.
 */
import { Column, Dimension, Walk } from './_insert-records';

export const QUOTE: u32 = 0x22;
export const COMMA: u32 = 0x2c;
export const COLON: u32 = 0x3a;
export const OPEN_LIST: u32 = 0x5b;
export const CLOSE_LIST: u32 = 0x5d;
export const OPEN_OBJECT: u32 = 0x7b;
export const CLOSE_OBJECT: u32 = 0x7d;
/** TEXT_POINTS_MAX of base. */
const TEXT_BYTES_MAX: u32 = 1000;
/** HASH_SEED of base. */
const HASH_SEED: u32 = 0x51756172;

function skipSpaceSlowly(from: usize): usize {
  let at = from;
  let byte = <u32>load<u8>(at);
  while (byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09) byte = load<u8>(++at);
  return at;
}

/** The first place from `at` on that is no white space. */
// @ts-ignore: decorator
@inline
export function skipSpace(at: usize): usize {
  return load<u8>(at) > 0x20 ? at : skipSpaceSlowly(at);
}

/** Whether nothing but blanks stands between `from` and the end of its line. */
export function endsLine(from: usize): bool {
  let at = from;
  let byte = <u32>load<u8>(at);
  while (byte == 0x20 || byte == 0x0d || byte == 0x09) byte = load<u8>(++at);
  return byte == 0x0a;
}

/** From behind a key to the value behind its colon; 0 = there is no colon. */
// @ts-ignore: decorator
@inline
export function skipColon(from: usize): usize {
  const at = skipSpace(from);
  return load<u8>(at) == COLON ? skipSpace(at + 1) : 0;
}

/** Bytes of the plain string whose first byte is at `from`, up to its quote; 0 = it is not plain. */
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

/** The hash of the `length` bytes at `at`, of which whole words are readable: hashBytes of base. */
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

/** Writes the `length` bytes at `from` lower-cased to `to`, in whole vectors; returns their hash. */
// @ts-ignore: decorator
@inline
export function lowerText(from: usize, to: usize, length: u32): u32 {
  for (let done: u32 = 0; done < length; done += 16) {
    const chunk = v128.load(from + done);
    // 'A' to 'Z', and no other ASCII letter, go to 0x66 to 0x7f.
    const capitals = i8x16.gt_s(i8x16.add(chunk, i8x16.splat(0x25)), i8x16.splat(0x65));
    v128.store(to + done, v128.or(chunk, v128.and(capitals, i8x16.splat(0x20))));
  }
  return hashOf(to, length);
}

/** Whether the string at `at` (its quote) is the name of `bytes` bytes, both quotes included, at `name`. */
// @ts-ignore: decorator
@inline
export function isNamed(at: usize, name: usize, bytes: u32): bool {
  const unlike = unlikeAt(at, name);
  return bytes <= 16 ? unlike << (32 - bytes) == 0 : unlike == 0 && isNamedFurther(at, name, bytes);
}

/** Bits of the bytes in which 16 at `a` and 16 at `b` differ. */
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

/** The dimension whose name stands at `at` (its quote), or 0. */
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

/** The column of `dimension` whose name stands at `at` (its quote), or 0. */
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
