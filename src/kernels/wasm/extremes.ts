/**
 * Least and greatest values. Per 64 rows: whole vectors if all are set; vectors with the other lanes replaced by the value of
 * some set row if many are; one row at a time if few are; nothing if none is.
 */
import { chosen, fewRows, lanesOf, wordCount } from './_words';

// @ts-ignore: decorator
@inline
function lesser<T>(a: v128, b: v128): v128 {
  if (sizeof<T>() == 1) return i8x16.min_s(a, b);
  if (sizeof<T>() == 2) return i16x8.min_s(a, b);
  if (sizeof<T>() == 4) return i32x4.min_s(a, b);
  return v128.bitselect(b, a, i64x2.gt_s(a, b));
}

// @ts-ignore: decorator
@inline
function greater<T>(a: v128, b: v128): v128 {
  if (sizeof<T>() == 1) return i8x16.max_s(a, b);
  if (sizeof<T>() == 2) return i16x8.max_s(a, b);
  if (sizeof<T>() == 4) return i32x4.max_s(a, b);
  return v128.bitselect(a, b, i64x2.gt_s(a, b));
}

/** Stores the least lane of `least` and the greatest of `greatest`, as i64 each; `out` serves for one vector meanwhile. */
// @ts-ignore: decorator
@inline
function storeAcrossLanes<T>(least: v128, greatest: v128, out: usize): void {
  v128.store(out, least);
  let low = <i64>load<T>(out);
  for (let at = out + sizeof<T>(); at < out + 16; at += sizeof<T>()) low = min<i64>(low, <i64>load<T>(at));
  v128.store(out, greatest);
  let high = <i64>load<T>(out);
  for (let at = out + sizeof<T>(); at < out + 16; at += sizeof<T>()) high = max<i64>(high, <i64>load<T>(at));
  store<i64>(out, low);
  store<i64>(out, high, 8);
}

// @ts-ignore: decorator
@inline
function extremes<T>(values: usize, bitmap: usize, n: u32, out: usize): u32 {
  const end = wordCount(n);
  let w: u32 = 0;
  while (w < end && chosen(bitmap, w, n) == 0) w++;
  if (w == end) return 0;
  const some = v128.splat<T>(load<T>(values + ((<usize>w << 6) + <usize>ctz<u64>(chosen(bitmap, w, n))) * sizeof<T>()));
  let least = some;
  let greatest = some;
  let rows: u32 = 0;
  for (; w < end; w++) {
    let bits = chosen(bitmap, w, n);
    const count = <u32>popcnt<u64>(bits);
    const from = values + (<usize>w << 6) * sizeof<T>();
    if (count == 64) {
      for (let at = from; at < from + 64 * sizeof<T>(); at += 64) {
        const a = v128.load(at);
        const b = v128.load(at, 16);
        const c = v128.load(at, 32);
        const d = v128.load(at, 48);
        least = lesser<T>(least, lesser<T>(lesser<T>(a, b), lesser<T>(c, d)));
        greatest = greater<T>(greatest, greater<T>(greater<T>(a, b), greater<T>(c, d)));
      }
    } else if (count > fewRows<T>()) {
      const lanes = 16 / sizeof<T>();
      for (let at = from; at < from + 64 * sizeof<T>(); at += 32) {
        const a = v128.bitselect(v128.load(at), some, lanesOf<T>(bits));
        const b = v128.bitselect(v128.load(at, 16), some, lanesOf<T>(bits >> lanes));
        least = lesser<T>(least, lesser<T>(a, b));
        greatest = greater<T>(greatest, greater<T>(a, b));
        bits >>= 2 * lanes;
      }
    } else {
      while (bits != 0) {
        const value = v128.splat<T>(load<T>(from + <usize>ctz<u64>(bits) * sizeof<T>()));
        least = lesser<T>(least, value);
        greatest = greater<T>(greatest, value);
        bits &= bits - 1;
      }
    }
    rows += count;
  }
  storeAcrossLanes<T>(least, greatest, out);
  return rows;
}

/**
 * The least and the greatest value of the rows set in `bitmap` (0: all).
 * Layout  one i8 per row; at out two i64: least, greatest.
 * Needs   values and bitmap readable to the end of the last 128-row group.
 * Gives   number of rows; without rows nothing is written.
 * Cost    O(n), less where whole words of the bitmap are 0: native-bench/kernels/aggregate.bench.ts
 * Twin    js/extremes.ts
 */
export function extremesI8(values: usize, bitmap: usize, n: u32, out: usize): u32 {
  return extremes<i8>(values, bitmap, n, out);
}

/** Like the previous kernel, over one i16 per row.  Twin  js/extremes.ts */
export function extremesI16(values: usize, bitmap: usize, n: u32, out: usize): u32 {
  return extremes<i16>(values, bitmap, n, out);
}

/** Like the previous kernel, over one i32 per row.  Twin  js/extremes.ts */
export function extremesI32(values: usize, bitmap: usize, n: u32, out: usize): u32 {
  return extremes<i32>(values, bitmap, n, out);
}

/** Like the previous kernel, over one i64 per row.  Twin  js/extremes.ts */
export function extremesI64(values: usize, bitmap: usize, n: u32, out: usize): u32 {
  return extremes<i64>(values, bitmap, n, out);
}
