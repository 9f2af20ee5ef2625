/**
 * Exact sums. Per 64 rows: whole vectors if all are set; vectors with the other lanes cleared if many are; one row at a time if
 * few are; nothing if none is.
 */
import { chosen, fewRows, lanesOf, wordCount } from './_words';

/** `sums` plus a vector of i8 or i16 (into i32x4) or of i32 (into i64x2). 65,536 rows overflow neither. */
// @ts-ignore: decorator
@inline
function plus<T>(sums: v128, values: v128): v128 {
  if (sizeof<T>() == 1) {
    return i32x4.add(sums, i32x4.extadd_pairwise_i16x8_s(i16x8.extadd_pairwise_i8x16_s(values)));
  }
  if (sizeof<T>() == 2) return i32x4.add(sums, i32x4.extadd_pairwise_i16x8_s(values));
  return i64x2.add(sums, i64x2.add(i64x2.extend_low_i32x4_s(values), i64x2.extend_high_i32x4_s(values)));
}

// @ts-ignore: decorator
@inline
function acrossLanes<T>(sums: v128): i64 {
  if (sizeof<T>() == 4) return i64x2.extract_lane(sums, 0) + i64x2.extract_lane(sums, 1);
  const halves = i64x2.add(i64x2.extend_low_i32x4_s(sums), i64x2.extend_high_i32x4_s(sums));
  return i64x2.extract_lane(halves, 0) + i64x2.extract_lane(halves, 1);
}

// @ts-ignore: decorator
@inline
function sumNarrow<T>(values: usize, bitmap: usize, n: u32, out: usize): u32 {
  const end = wordCount(n);
  const lanes = 16 / sizeof<T>();
  let sums = i64x2.splat(0);
  let sum: i64 = 0;
  let rows: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    let bits = chosen(bitmap, w, n);
    const count = <u32>popcnt<u64>(bits);
    const from = values + (<usize>w << 6) * sizeof<T>();
    if (count == 64) {
      for (let at = from; at < from + 64 * sizeof<T>(); at += 64) {
        sums = plus<T>(sums, v128.load(at));
        sums = plus<T>(sums, v128.load(at, 16));
        sums = plus<T>(sums, v128.load(at, 32));
        sums = plus<T>(sums, v128.load(at, 48));
      }
    } else if (count > fewRows<T>()) {
      for (let at = from; at < from + 64 * sizeof<T>(); at += 16) {
        sums = plus<T>(sums, v128.and(v128.load(at), lanesOf<T>(bits)));
        bits >>= lanes;
      }
    } else {
      while (bits != 0) {
        sum += <i64>load<T>(from + <usize>ctz<u64>(bits) * sizeof<T>());
        bits &= bits - 1;
      }
    }
    rows += count;
  }
  store<i64>(out, sum + acrossLanes<T>(sums));
  store<i64>(out, 0, 8);
  return rows;
}

/**
 * The sum of the rows set in `bitmap` (0: all).
 * Layout  one i8 per row; at out two i64, sum = first + second * 2^32; here the second is 0.
 * Needs   n <= 65,536; values and bitmap readable to the end of the last 128-row group.
 * Gives   number of rows added.
 * Cost    O(n), less where whole words of the bitmap are 0: native-bench/kernels/aggregate.bench.ts
 * Twin    js/sum.ts
 */
export function sumI8(values: usize, bitmap: usize, n: u32, out: usize): u32 {
  return sumNarrow<i8>(values, bitmap, n, out);
}

/** Like the previous kernel, over one i16 per row.  Twin  js/sum.ts */
export function sumI16(values: usize, bitmap: usize, n: u32, out: usize): u32 {
  return sumNarrow<i16>(values, bitmap, n, out);
}

/** Like the previous kernel, over one i32 per row.  Twin  js/sum.ts */
export function sumI32(values: usize, bitmap: usize, n: u32, out: usize): u32 {
  return sumNarrow<i32>(values, bitmap, n, out);
}

/**
 * Like the previous kernel, over one i64 per row: the first i64 at out is the sum of the low words, as unsigned, the second that of
 * the high words, as signed. SIMD shifts 64-bit lanes quickly only as unsigned: high words are summed plus 2^31 each.
 * Twin  js/sum.ts
 */
export function sumI64(values: usize, bitmap: usize, n: u32, out: usize): u32 {
  const end = wordCount(n);
  const lowWord = i64x2.splat(0xffffffff);
  const signs = i64x2.splat(i64.MIN_VALUE);
  let lows = i64x2.splat(0);
  let highs = i64x2.splat(0);
  let low: i64 = 0;
  let high: i64 = 0;
  let rows: u32 = 0;
  let biased: i64 = 0;
  for (let w: u32 = 0; w < end; w++) {
    let bits = chosen(bitmap, w, n);
    const count = <u32>popcnt<u64>(bits);
    const from = values + (<usize>w << 9);
    if (count == 64) {
      for (let at = from; at < from + 512; at += 32) {
        const one = v128.load(at);
        const two = v128.load(at, 16);
        lows = i64x2.add(lows, i64x2.add(v128.and(one, lowWord), v128.and(two, lowWord)));
        highs = i64x2.add(highs, i64x2.add(i64x2.shr_u(v128.xor(one, signs), 32), i64x2.shr_u(v128.xor(two, signs), 32)));
      }
      biased += 64;
    } else if (count > fewRows<i64>()) {
      for (let at = from; at < from + 512; at += 16) {
        const lanes = lanesOf<i64>(bits);
        const value = v128.load(at);
        lows = i64x2.add(lows, v128.and(value, i64x2.shr_u(lanes, 32)));
        highs = i64x2.add(highs, i64x2.shr_u(v128.and(v128.xor(value, signs), lanes), 32));
        bits >>= 2;
      }
      biased += count;
    } else {
      while (bits != 0) {
        const value = load<i64>(from + (<usize>ctz<u64>(bits) << 3));
        low += value & 0xffffffff;
        high += value >> 32;
        bits &= bits - 1;
      }
    }
    rows += count;
  }
  store<i64>(out, low + i64x2.extract_lane(lows, 0) + i64x2.extract_lane(lows, 1));
  store<i64>(out, high + i64x2.extract_lane(highs, 0) + i64x2.extract_lane(highs, 1) - (biased << 31), 8);
  return rows;
}
