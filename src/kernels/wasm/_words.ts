/**
 * Functions shared by all SIMD kernels. Bitmaps are written in 64-row words, two words per 128-row group. A kernel computes whole words,
 * including padding rows, and `trim` clears the bits from n on; so values and validity must be readable, with arbitrary contents,
 * to the end of the last 128-row group.
 */

/** The number of words of a bitmap over n rows: bitmapBytes(n) / 8. */
// @ts-ignore: decorator
@inline
export function wordCount(n: u32): u32 {
  return (n >>> 7 << 1) + ((n & 127) != 0 ? 2 : 0);
}

/** The mask of rows below n in word w. */
// @ts-ignore: decorator
@inline
export function liveMask(w: u32, n: u32): u64 {
  const from = w << 6;
  if (from >= n) return 0;
  const rows = n - from;
  return rows >= 64 ? ~(<u64>0) : ((<u64>1) << rows) - 1;
}

/** Clears rows without a value in word w, stores it and returns the number of bits set. validity 0: all rows have one. */
// @ts-ignore: decorator
@inline
export function put(bits: u64, w: u32, validity: usize, out: usize): u32 {
  if (validity) bits &= load<u64>(validity + (<usize>w << 3));
  store<u64>(out + (<usize>w << 3), bits);
  return <u32>popcnt<u64>(bits);
}

/** Clears the bits from n on in the last 128-bit group of `out`; returns the number of bits cleared. */
export function trim(n: u32, out: usize): u32 {
  const end = wordCount(n);
  let cut: u32 = 0;
  for (let w = n >>> 6; w < end; w++) {
    const at = out + (<usize>w << 3);
    const bits = load<u64>(at);
    const live = bits & liveMask(w, n);
    store<u64>(at, live);
    cut += <u32>popcnt<u64>(bits ^ live);
  }
  return cut;
}

/** The mask bytes of four i32x4 comparisons (16 rows) as 16 bits. */
// @ts-ignore: decorator
@inline
export function bits16(a: v128, b: v128, c: v128, d: v128): u64 {
  const packed = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d));
  return <u64>i8x16.bitmask(packed);
}

/** Two i64x2 comparisons (4 rows) as one i32x4 comparison. */
// @ts-ignore: decorator
@inline
export function halves(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 0, 2, 4, 6);
}

/** Returns the rows of word w below n that are set in `bitmap`; bitmap 0: all. */
// @ts-ignore: decorator
@inline
export function chosen(bitmap: usize, w: u32, n: u32): u64 {
  const live = liveMask(w, n);
  return bitmap == 0 ? live : live & load<u64>(bitmap + (<usize>w << 3));
}

/** Returns a vector with all ones in the lanes whose bit is set; lane 0 has the lowest bit, excess bits are ignored. */
// @ts-ignore: decorator
@inline
export function lanesOf<T>(bits: u64): v128 {
  if (sizeof<T>() == 1) {
    const each = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
    const both = i16x8.splat(<i16>bits);
    return i8x16.eq(v128.and(v128.shuffle<i8>(both, both, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1), each), each);
  }
  if (sizeof<T>() == 2) {
    const each = i16x8(1, 2, 4, 8, 16, 32, 64, 128);
    return i16x8.eq(v128.and(i16x8.splat(<i16>bits), each), each);
  }
  if (sizeof<T>() == 4) {
    const each = i32x4(1, 2, 4, 8);
    return i32x4.eq(v128.and(i32x4.splat(<i32>bits), each), each);
  }
  const each = i64x2(1, 2);
  return i64x2.eq(v128.and(i64x2.splat(<i64>bits), each), each);
}

/**
 * Up to this many of 64 rows are read one by one: a vector costs about as much as two single rows, and wider values
 * take more vectors.
 */
// @ts-ignore: decorator
@inline
export function fewRows<T>(): u32 {
  return 2 * sizeof<T>();
}
