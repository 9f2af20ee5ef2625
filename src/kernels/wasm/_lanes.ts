/**
 * Functions shared by the aggregating kernels: bits of a bitmap as lanes. T is i8, i16, i32 or i64; the compiler evaluates conditions on
 * sizeof<T>().
 */
import { liveMask } from './_words';

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
