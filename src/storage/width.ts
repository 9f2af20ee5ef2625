/**
 * Variable widths of values: codes (unsigned) and 64-bit integers (signed) have the narrowest width that fits the widest value of
 * their segment so far. Narrow columns are smaller and proportionally faster to scan.
 */
import { bitmapBytes } from '../kernels/index.js';
import type { ValueKind } from '../schema/index.js';
import type { Arena, Block } from './arena.js';

/** Bytes per value; 8 for integers only. Kinds of fixed width use 1 and ignore it. */
export type Width = 1 | 2 | 4 | 8;

/** Values of consecutive rows as read from a snapshot file. */
export type StoredValues =
  | { readonly kind: 'code'; readonly codes: Uint32Array }
  /** (low, high) pairs of words. */
  | { readonly kind: 'i64'; readonly words: Uint32Array }
  | { readonly kind: 'i32'; readonly i32: Int32Array }
  /** A bitmap, as in Arrow. */
  | { readonly kind: 'bits'; readonly bitmap: Uint8Array }
  /** (longitude, latitude) pairs. */
  | { readonly kind: 'geo'; readonly f64: Float64Array };

export function widthOfValues(values: StoredValues): Width {
  if (values.kind === 'code') return widthOfCodes(values.codes);
  return values.kind === 'i64' ? widthOfIntegers(values.words) : 1;
}

/** Writes all values from byte offset `at` on; `width` must suffice for them. */
export function writeValues(arena: Arena, at: number, width: Width, values: StoredValues): void {
  switch (values.kind) {
    case 'code':
      writeCodes(arena, at, width, values.codes);
      break;
    case 'i64':
      writeIntegers(arena, at, width, values.words);
      break;
    case 'i32':
      arena.i32.set(values.i32, at >> 2);
      break;
    case 'bits':
      arena.u8.set(values.bitmap, at);
      break;
    case 'geo':
      arena.f64.set(values.f64, at >> 3);
      break;
  }
}

/** The size of `rows` values in bytes. */
export function valueBytes(kind: ValueKind, width: Width, rows: number): number {
  switch (kind) {
    case 'bits':
      return bitmapBytes(rows);
    case 'i32':
      return rows * 4;
    case 'geo':
      return rows * 16;
    case 'code':
    case 'i64':
      return rows * width;
  }
}

export function widthOfCode(code: number): Width {
  return code < 0x100 ? 1 : code < 0x10000 ? 2 : 4;
}

/** The width that the 64-bit integer with these words needs. */
export function widthOfInteger(low: number, high: number): Width {
  const small = low | 0;
  if ((high | 0) !== small >> 31) return 8;
  if (small === (small << 24) >> 24) return 1;
  return small === (small << 16) >> 16 ? 2 : 4;
}

/** Writes a code or an integer of at most `width` bytes. `at`: byte offset of the first value. */
export function writeNarrow(arena: Arena, at: number, width: 1 | 2 | 4, index: number, value: number): void {
  if (width === 1) arena.u8[at + index] = value;
  else if (width === 2) arena.u16[(at >> 1) + index] = value;
  else arena.u32[(at >> 2) + index] = value;
}

/** Writes a 64-bit integer that fits the width. */
export function writeInteger(
  arena: Arena,
  at: number,
  width: Width,
  index: number,
  low: number,
  high: number,
): void {
  if (width !== 8) {
    writeNarrow(arena, at, width, index, low);
    return;
  }
  const word = (at >> 2) + index * 2;
  arena.u32[word] = low;
  arena.u32[word + 1] = high;
}

/** A view of the first `count` codes. */
export function readCodes(
  arena: Arena,
  at: number,
  width: Width,
  count: number,
): Uint8Array | Uint16Array | Uint32Array {
  if (width === 1) return arena.u8.subarray(at, at + count);
  return width === 2
    ? arena.u16.subarray(at >> 1, (at >> 1) + count)
    : arena.u32.subarray(at >> 2, (at >> 2) + count);
}

/** Sets used[c] to 1 for every code c. */
export function markCodes(codes: Uint8Array | Uint16Array | Uint32Array, used: Uint8Array): void {
  for (let index = 0; index < codes.length; index++) used[codes[index]] = 1;
}

/** The first `count` integers as (low, high) pairs of words: a copy. */
export function readIntegers(arena: Arena, at: number, width: Width, count: number): Uint32Array {
  if (width === 8) return arena.u32.slice(at >> 2, (at >> 2) + count * 2);
  const words = new Uint32Array(count * 2);
  const source = signedValues(arena, at, width);
  for (let index = 0; index < count; index++) {
    const value = source[index];
    words[index * 2] = value;
    words[index * 2 + 1] = value >> 31;
  }
  return words;
}

function signedValues(arena: Arena, at: number, width: 1 | 2 | 4): Int8Array | Int16Array | Int32Array {
  if (width === 1) return arena.i8.subarray(at);
  return width === 2 ? arena.i16.subarray(at >> 1) : arena.i32.subarray(at >> 2);
}

/** Copies `count` values from `from` to the wider `to`. */
export function widenInto(
  kind: 'code' | 'i64',
  from: Block,
  fromWidth: Width,
  to: Block,
  toWidth: Width,
  count: number,
): void {
  if (kind === 'code') {
    const codes = readCodes(from.arena, from.at, fromWidth, count);
    for (let index = 0; index < count; index++)
      writeNarrow(to.arena, to.at, toWidth as 2 | 4, index, codes[index]);
    return;
  }
  const values = signedValues(from.arena, from.at, fromWidth as 1 | 2 | 4);
  for (let index = 0; index < count; index++) {
    writeInteger(to.arena, to.at, toWidth, index, values[index], values[index] >> 31);
  }
}

type Elements = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/**
 * Moves items of `perItem` elements each: item i of `to`, from element `toAt`, becomes item rows[i] of `from`, from element
 * `fromAt`. Both arrays may be the same: `rows` ascend, so writes never pass reads.
 */
export function gatherItems(
  from: Elements,
  fromAt: number,
  to: Elements,
  toAt: number,
  perItem: 1 | 2,
  rows: Uint32Array,
): void {
  if (perItem === 1) {
    for (let index = 0; index < rows.length; index++) to[toAt + index] = from[fromAt + rows[index]];
    return;
  }
  for (let index = 0; index < rows.length; index++) {
    to[toAt + index * 2] = from[fromAt + rows[index] * 2];
    to[toAt + index * 2 + 1] = from[fromAt + rows[index] * 2 + 1];
  }
}

/** Sets bit i of the cleared bitmap `to`, from byte `toAt`, if bit rows[i] of another bitmap is set. */
export function gatherBits(
  from: Uint8Array,
  fromAt: number,
  to: Uint8Array,
  toAt: number,
  rows: Uint32Array,
): void {
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index];
    to[toAt + (index >> 3)] |= ((from[fromAt + (row >> 3)] >> (row & 7)) & 1) << (index & 7);
  }
}

/** Copies the values of `rows`, which ascend; `to` may equal `from` except for bits. */
export function gatherValues(
  kind: ValueKind,
  width: Width,
  from: { readonly arena: Arena; readonly at: number },
  to: { readonly arena: Arena; readonly at: number },
  rows: Uint32Array,
): void {
  const [a, b] = [from.arena, to.arena];
  if (kind === 'bits') gatherBits(a.u8, from.at, b.u8, to.at, rows);
  else if (kind === 'geo') gatherItems(a.f64, from.at >> 3, b.f64, to.at >> 3, 2, rows);
  else if (kind === 'i32' || width === 4) gatherItems(a.u32, from.at >> 2, b.u32, to.at >> 2, 1, rows);
  else if (width === 8) gatherItems(a.u32, from.at >> 2, b.u32, to.at >> 2, 2, rows);
  else if (width === 2) gatherItems(a.u16, from.at >> 1, b.u16, to.at >> 1, 1, rows);
  else gatherItems(a.u8, from.at, b.u8, to.at, 1, rows);
}

/** The width that the widest of the codes needs. */
function widthOfCodes(codes: Uint32Array): Width {
  let greatest = 0;
  for (let index = 0; index < codes.length; index++) if (codes[index] > greatest) greatest = codes[index];
  return widthOfCode(greatest);
}

/** The width that the widest of the integers, (low, high) pairs of words, needs. */
function widthOfIntegers(words: Uint32Array): Width {
  let width: Width = 1;
  for (let at = 0; at < words.length && width < 8; at += 2) {
    const needed = widthOfInteger(words[at], words[at + 1]);
    if (needed > width) width = needed;
  }
  return width;
}

/** Writes all codes from byte offset `at` on; they fit the width. */
function writeCodes(arena: Arena, at: number, width: Width, codes: Uint32Array): void {
  if (width === 1) arena.u8.set(codes, at);
  else if (width === 2) arena.u16.set(codes, at >> 1);
  else arena.u32.set(codes, at >> 2);
}

/** Writes all integers, (low, high) pairs of words, from byte offset `at` on; they fit the width. */
function writeIntegers(arena: Arena, at: number, width: Width, words: Uint32Array): void {
  if (width === 8) {
    arena.u32.set(words, at >> 2);
    return;
  }
  for (let index = 0; index * 2 < words.length; index++)
    writeNarrow(arena, at, width, index, words[index * 2]);
}
