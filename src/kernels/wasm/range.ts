/** SIMD range filters. Per 64 rows: compare vectors, narrow the masks to bytes, one bitmask per 16 rows. */
import { bits16, halves, put, trim, wordCount } from './_words';

/**
 * Two i64 rows: all ones where the value is outside [low, high]. value - low, modulo 2^64, is compared with
 * high - low as unsigned; SIMD has only the signed comparison, so both sides are shifted by 2^63.
 */
// @ts-ignore: decorator
@inline
function outside64(at: usize, shiftedLow: v128, shiftedSpan: v128): v128 {
  return i64x2.gt_s(i64x2.sub(v128.load(at), shiftedLow), shiftedSpan);
}

// @ts-ignore: decorator
@inline
function outside64Bits16(at: usize, low: v128, span: v128): u64 {
  return bits16(
    halves(outside64(at, low, span), outside64(at + 16, low, span)),
    halves(outside64(at + 32, low, span), outside64(at + 48, low, span)),
    halves(outside64(at + 64, low, span), outside64(at + 80, low, span)),
    halves(outside64(at + 96, low, span), outside64(at + 112, low, span)),
  );
}

// @ts-ignore: decorator
@inline
function equal64Bits16(at: usize, value: v128): u64 {
  return bits16(
    halves(i64x2.eq(v128.load(at), value), i64x2.eq(v128.load(at + 16), value)),
    halves(i64x2.eq(v128.load(at + 32), value), i64x2.eq(v128.load(at + 48), value)),
    halves(i64x2.eq(v128.load(at + 64), value), i64x2.eq(v128.load(at + 80), value)),
    halves(i64x2.eq(v128.load(at + 96), value), i64x2.eq(v128.load(at + 112), value)),
  );
}

/**
 * Rows with low <= value <= high (negated: outside) that have a value.
 * Layout  one i64 per row.
 * Needs   low <= high; values and validity readable to the end of the last 128-row group.
 * Gives   number of bits set; bitmapBytes(n) bytes at out, which may alias validity.
 * Cost    O(n), flat in selectivity; equality (low = high) spares the subtraction.
 * Twin    js/range.ts
 */
export function rangeI64(values: usize, validity: usize, n: u32, low: i64, high: i64, negated: bool, out: usize): u32 {
  const end = wordCount(n);
  let kept: u32 = 0;
  if (low == high) {
    const sought = i64x2.splat(low);
    const flip: u64 = negated ? ~(<u64>0) : 0;
    for (let w: u32 = 0; w < end; w++) {
      const at = values + (<usize>w << 9);
      const bits = equal64Bits16(at, sought) | (equal64Bits16(at + 128, sought) << 16)
        | (equal64Bits16(at + 256, sought) << 32) | (equal64Bits16(at + 384, sought) << 48);
      kept += put(bits ^ flip, w, validity, out);
    }
  } else {
    const lows = i64x2.splat(low ^ i64.MIN_VALUE);
    const spans = i64x2.splat((high - low) ^ i64.MIN_VALUE);
    const flip: u64 = negated ? 0 : ~(<u64>0);
    for (let w: u32 = 0; w < end; w++) {
      const at = values + (<usize>w << 9);
      const bits = outside64Bits16(at, lows, spans) | (outside64Bits16(at + 128, lows, spans) << 16)
        | (outside64Bits16(at + 256, lows, spans) << 32) | (outside64Bits16(at + 384, lows, spans) << 48);
      kept += put(bits ^ flip, w, validity, out);
    }
  }
  return kept - trim(n, out);
}

/** Four 32-bit rows: all ones where value - low <= span as unsigned, which holds for both signs. */
// @ts-ignore: decorator
@inline
function within32(at: usize, low: v128, span: v128): v128 {
  return i32x4.le_u(i32x4.sub(v128.load(at), low), span);
}

// @ts-ignore: decorator
@inline
function within32Bits16(at: usize, low: v128, span: v128): u64 {
  return bits16(within32(at, low, span), within32(at + 16, low, span), within32(at + 32, low, span), within32(at + 48, low, span));
}

// @ts-ignore: decorator
@inline
function range32(values: usize, validity: usize, n: u32, low: u32, high: u32, flip: u64, out: usize): u32 {
  const end = wordCount(n);
  const lows = i32x4.splat(low);
  const spans = i32x4.splat(high - low);
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    const at = values + (<usize>w << 8);
    const bits = within32Bits16(at, lows, spans) | (within32Bits16(at + 64, lows, spans) << 16)
      | (within32Bits16(at + 128, lows, spans) << 32) | (within32Bits16(at + 192, lows, spans) << 48);
    kept += put(bits ^ flip, w, validity, out);
  }
  return kept - trim(n, out);
}

/**
 * Rows with low <= value <= high (negated: outside) that have a value.
 * Layout  one i32 per row.
 * Needs   low <= high; values and validity readable to the end of the last 128-row group.
 * Gives   number of bits set; bitmapBytes(n) bytes at out, which may alias validity.
 * Cost    O(n), flat in selectivity.
 * Twin    js/range.ts
 */
export function rangeI32(values: usize, validity: usize, n: u32, low: i32, high: i32, negated: bool, out: usize): u32 {
  return range32(values, validity, n, low, high, negated ? ~(<u64>0) : 0, out);
}

/**
 * Rows with low <= value <= high; every row has a value.
 * Layout  one u32 per row.
 * Needs   low <= high; values readable to the end of the last 128-row group.
 * Gives   number of bits set; bitmapBytes(n) bytes at out.
 * Cost    O(n), flat in selectivity.
 * Twin    js/range.ts
 */
export function rangeU32(values: usize, n: u32, low: u32, high: u32, out: usize): u32 {
  return range32(values, 0, n, low, high, 0, out);
}

// @ts-ignore: decorator
@inline
function within16Bits16(at: usize, low: v128, span: v128): u64 {
  const packed = i8x16.narrow_i16x8_s(
    i16x8.le_u(i16x8.sub(v128.load(at), low), span),
    i16x8.le_u(i16x8.sub(v128.load(at + 16), low), span),
  );
  return <u64>i8x16.bitmask(packed);
}

/**
 * Rows with low <= value <= high (negated: outside) that have a value.
 * Layout  one i16 per row.
 * Needs   low <= high, both of 16 bits; values and validity readable to the end of the last 128-row group.
 * Gives   number of bits set; bitmapBytes(n) bytes at out, which may alias validity.
 * Cost    O(n), flat in selectivity.
 * Twin    js/range.ts
 */
export function rangeI16(values: usize, validity: usize, n: u32, low: i32, high: i32, negated: bool, out: usize): u32 {
  const end = wordCount(n);
  const lows = i16x8.splat(<i16>low);
  const spans = i16x8.splat(<i16>(high - low));
  const flip: u64 = negated ? ~(<u64>0) : 0;
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    const at = values + (<usize>w << 7);
    const bits = within16Bits16(at, lows, spans) | (within16Bits16(at + 32, lows, spans) << 16)
      | (within16Bits16(at + 64, lows, spans) << 32) | (within16Bits16(at + 96, lows, spans) << 48);
    kept += put(bits ^ flip, w, validity, out);
  }
  return kept - trim(n, out);
}

// @ts-ignore: decorator
@inline
function within8Bits16(at: usize, low: v128, span: v128): u64 {
  return <u64>i8x16.bitmask(i8x16.le_u(i8x16.sub(v128.load(at), low), span));
}

/** Like the previous kernel, over one i8 per row; low and high of 8 bits. Twin  js/range.ts */
export function rangeI8(values: usize, validity: usize, n: u32, low: i32, high: i32, negated: bool, out: usize): u32 {
  const end = wordCount(n);
  const lows = i8x16.splat(<i8>low);
  const spans = i8x16.splat(<i8>(high - low));
  const flip: u64 = negated ? ~(<u64>0) : 0;
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    const at = values + (<usize>w << 6);
    const bits = within8Bits16(at, lows, spans) | (within8Bits16(at + 16, lows, spans) << 16)
      | (within8Bits16(at + 32, lows, spans) << 32) | (within8Bits16(at + 48, lows, spans) << 48);
    kept += put(bits ^ flip, w, validity, out);
  }
  return kept - trim(n, out);
}
