/** SIMD filters over dictionary codes of 1, 2 or 4 bytes. Code 0 means "no value". */
import { bits16, put, trim, wordCount } from './_words';

const ALL: u64 = ~(<u64>0);

// @ts-ignore: decorator
@inline
function equalBits8(at: usize, code: v128): u64 {
  return <u64>i8x16.bitmask(i8x16.eq(v128.load(at), code))
    | (<u64>i8x16.bitmask(i8x16.eq(v128.load(at + 16), code)) << 16)
    | (<u64>i8x16.bitmask(i8x16.eq(v128.load(at + 32), code)) << 32)
    | (<u64>i8x16.bitmask(i8x16.eq(v128.load(at + 48), code)) << 48);
}

// @ts-ignore: decorator
@inline
function equal16x16(at: usize, code: v128): u64 {
  return <u64>i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.eq(v128.load(at), code), i16x8.eq(v128.load(at + 16), code)));
}

// @ts-ignore: decorator
@inline
function equalBits16(at: usize, code: v128): u64 {
  return equal16x16(at, code) | (equal16x16(at + 32, code) << 16) | (equal16x16(at + 64, code) << 32) | (equal16x16(at + 96, code) << 48);
}

// @ts-ignore: decorator
@inline
function equal32x16(at: usize, code: v128): u64 {
  return bits16(
    i32x4.eq(v128.load(at), code),
    i32x4.eq(v128.load(at + 16), code),
    i32x4.eq(v128.load(at + 32), code),
    i32x4.eq(v128.load(at + 48), code),
  );
}

// @ts-ignore: decorator
@inline
function equalBits32(at: usize, code: v128): u64 {
  return equal32x16(at, code) | (equal32x16(at + 64, code) << 16) | (equal32x16(at + 128, code) << 32) | (equal32x16(at + 192, code) << 48);
}

/**
 * Rows whose code equals `code`; negated: whose code differs and is not 0. A `code` too wide for the column
 * equals none of its rows.
 * Layout  one u8, u16 or u32 per row.
 * Needs   codes readable to the end of the last 128-row group.
 * Gives   number of bits set; bitmapBytes(n) bytes at out.
 * Cost    O(n), flat in selectivity; negated compares twice.
 * Twin    js/codes.ts
 */
export function equalU8(codes: usize, n: u32, code: u32, negated: bool, out: usize): u32 {
  const end = wordCount(n);
  if (code > 0xff) {
    if (!negated) {
      memory.fill(out, 0, end << 3);
      return 0;
    }
    code = 0;
  }
  const wanted = i8x16.splat(<i8>code);
  const none = i8x16.splat(0);
  let kept: u32 = 0;
  if (negated) {
    for (let w: u32 = 0; w < end; w++) {
      const at = codes + (<usize>w << 6);
      kept += put((equalBits8(at, wanted) | equalBits8(at, none)) ^ ALL, w, 0, out);
    }
  } else {
    for (let w: u32 = 0; w < end; w++) kept += put(equalBits8(codes + (<usize>w << 6), wanted), w, 0, out);
  }
  return kept - trim(n, out);
}

/** Like equalU8. */
export function equalU16(codes: usize, n: u32, code: u32, negated: bool, out: usize): u32 {
  const end = wordCount(n);
  if (code > 0xffff) {
    if (!negated) {
      memory.fill(out, 0, end << 3);
      return 0;
    }
    code = 0;
  }
  const wanted = i16x8.splat(<i16>code);
  const none = i16x8.splat(0);
  let kept: u32 = 0;
  if (negated) {
    for (let w: u32 = 0; w < end; w++) {
      const at = codes + (<usize>w << 7);
      kept += put((equalBits16(at, wanted) | equalBits16(at, none)) ^ ALL, w, 0, out);
    }
  } else {
    for (let w: u32 = 0; w < end; w++) kept += put(equalBits16(codes + (<usize>w << 7), wanted), w, 0, out);
  }
  return kept - trim(n, out);
}

/** Like equalU8. */
export function equalU32(codes: usize, n: u32, code: u32, negated: bool, out: usize): u32 {
  const end = wordCount(n);
  const wanted = i32x4.splat(code);
  const none = i32x4.splat(0);
  let kept: u32 = 0;
  if (negated) {
    for (let w: u32 = 0; w < end; w++) {
      const at = codes + (<usize>w << 8);
      kept += put((equalBits32(at, wanted) | equalBits32(at, none)) ^ ALL, w, 0, out);
    }
  } else {
    for (let w: u32 = 0; w < end; w++) kept += put(equalBits32(codes + (<usize>w << 8), wanted), w, 0, out);
  }
  return kept - trim(n, out);
}

/** 16 rows of u8 codes against a table of 256 bits, in two vectors. */
// @ts-ignore: decorator
@inline
function member8x16(at: usize, tableLow: v128, tableHigh: v128, bitOf: v128): u64 {
  const code = v128.load(at);
  const byte = i8x16.shr_u(code, 3);
  // A swizzle gives 0 for lane numbers above 15, so each half matches only its own codes.
  const held = v128.or(i8x16.swizzle(tableLow, byte), i8x16.swizzle(tableHigh, i8x16.sub(byte, i8x16.splat(16))));
  const bit = i8x16.swizzle(bitOf, v128.and(code, i8x16.splat(7)));
  return <u64>i8x16.bitmask(i8x16.eq(v128.and(held, bit), bit));
}

/**
 * Rows whose code's bit is set in `table`.
 * Layout  one u8 per row; table: 32 bytes, bit `code & 7` of byte `code >> 3`.
 * Needs   table bit 0 clear; 32 readable bytes at table; codes readable to the end of the last 128-row group.
 * Gives   number of bits set; bitmapBytes(n) bytes at out, which must not overlap the table.
 * Cost    O(n), flat in selectivity and table.
 * Twin    js/codes.ts
 */
export function memberU8(codes: usize, n: u32, table: usize, out: usize): u32 {
  const end = wordCount(n);
  const low = v128.load(table);
  const high = v128.load(table + 16);
  const bitOf = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    const at = codes + (<usize>w << 6);
    const bits = member8x16(at, low, high, bitOf) | (member8x16(at + 16, low, high, bitOf) << 16)
      | (member8x16(at + 32, low, high, bitOf) << 32) | (member8x16(at + 48, low, high, bitOf) << 48);
    kept += put(bits, w, 0, out);
  }
  return kept - trim(n, out);
}

/** 1 if the bit of `code` is set in the table. A 32-bit shift counts modulo 32. */
// @ts-ignore: decorator
@inline
function bitOfCode(table: usize, code: u32): u32 {
  return (load<u32>(table + (<usize>(code >>> 5) << 2)) >>> (code & 31)) & 1;
}

// @ts-ignore: decorator
@inline
function codeAt<T>(at: usize, row: usize): u32 {
  return <u32>load<T>(at + row * sizeof<T>());
}

/** Address in the table of the bit of a row's code. */
// @ts-ignore: decorator
@inline
function tableByte<T>(at: usize, table: usize, row: usize): usize {
  return table + <usize>(codeAt<T>(at, row) >>> 3);
}

/** The low 3 bits of 16 codes, one per byte. */
// @ts-ignore: decorator
@inline
function low3<T>(at: usize): v128 {
  if (sizeof<T>() == 2) {
    const seven = i16x8.splat(7);
    return i8x16.narrow_i16x8_s(v128.and(v128.load(at), seven), v128.and(v128.load(at + 16), seven));
  }
  const seven = i32x4.splat(7);
  return i8x16.narrow_i16x8_s(
    i16x8.narrow_i32x4_s(v128.and(v128.load(at), seven), v128.and(v128.load(at + 16), seven)),
    i16x8.narrow_i32x4_s(v128.and(v128.load(at + 32), seven), v128.and(v128.load(at + 48), seven)),
  );
}

/** Sixteen rows: their table bytes side by side, then all bits tested at once. */
// @ts-ignore: decorator
@inline
function member16Rows<T>(at: usize, table: usize, bitOf: v128): u64 {
  let held = i8x16.splat(load<i8>(tableByte<T>(at, table, 0)));
  held = v128.load_lane<u8>(tableByte<T>(at, table, 1), held, 1);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 2), held, 2);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 3), held, 3);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 4), held, 4);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 5), held, 5);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 6), held, 6);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 7), held, 7);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 8), held, 8);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 9), held, 9);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 10), held, 10);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 11), held, 11);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 12), held, 12);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 13), held, 13);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 14), held, 14);
  held = v128.load_lane<u8>(tableByte<T>(at, table, 15), held, 15);
  const bit = i8x16.swizzle(bitOf, low3<T>(at));
  return <u64>i8x16.bitmask(i8x16.eq(v128.and(held, bit), bit));
}

/** Rows from n on are not looked up: their codes may be far beyond the table. */
// @ts-ignore: decorator
@inline
function member<T>(codes: usize, n: u32, table: usize, out: usize): u32 {
  const end = wordCount(n);
  const bitOf = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    const from = w << 6;
    const rows: u32 = from >= n ? 0 : min<u32>(64, n - from);
    const whole = rows & ~15;
    let bits: u64 = 0;
    for (let row: u32 = 0; row < whole; row += 16) {
      bits |= member16Rows<T>(codes + <usize>(from + row) * sizeof<T>(), table, bitOf) << row;
    }
    for (let row = whole; row < rows; row++) {
      bits |= <u64>bitOfCode(table, codeAt<T>(codes, from + row)) << row;
    }
    kept += put(bits, w, 0, out);
  }
  return kept;
}

/**
 * Rows whose code's bit is set in `table`.
 * Layout  one u16 or u32 per row; table: bit `code & 7` of byte `code >> 3`.
 * Needs   table bit 0 clear; the table spans the code of every row below n, in whole 4-byte words.
 * Gives   number of bits set; bitmapBytes(n) bytes at out, which must not overlap the table.
 * Cost    O(n), one table load per row; flat while the table fits a cache.
 * Twin    js/codes.ts
 */
export function memberU16(codes: usize, n: u32, table: usize, out: usize): u32 {
  return member<u16>(codes, n, table, out);
}

/** Like memberU16. */
export function memberU32(codes: usize, n: u32, table: usize, out: usize): u32 {
  return member<u32>(codes, n, table, out);
}
