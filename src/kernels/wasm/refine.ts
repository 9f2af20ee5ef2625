/**
 * Range filters for few rows: they read only the values of rows whose bit is set, a fraction of the values if the bitmap is
 * sparse.
 */
import { wordCount } from './_words';

/**
 * Keeps the set bits of `bitmap` whose row has a value with low <= value <= high (negated: outside).
 * Layout  one i64 per row.
 * Needs   low <= high; bits from n on are 0.
 * Gives   number of bits left; the bitmap is changed in place.
 * Cost    O(n / 64 + bits set).
 * Twin    js/refine.ts
 */
export function refineI64(values: usize, validity: usize, n: u32, low: i64, high: i64, negated: bool, bitmap: usize): u32 {
  const end = wordCount(n);
  const span = <u64>(high - low);
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    const at = bitmap + (<usize>w << 3);
    let bits = load<u64>(at);
    if (bits == 0) continue;
    const from = values + (<usize>w << 9);
    let left: u64 = 0;
    while (bits != 0) {
      const row = ctz<u64>(bits);
      const outside = <u64>(load<i64>(from + (<usize>row << 3)) - low) > span;
      left |= <u64>(outside == negated) << row;
      bits &= bits - 1;
    }
    if (validity != 0) left &= load<u64>(validity + (<usize>w << 3));
    store<u64>(at, left);
    kept += <u32>popcnt<u64>(left);
  }
  return kept;
}

/** Like the previous kernel, over one i32 per row. Twin  js/refine.ts */
export function refineI32(values: usize, validity: usize, n: u32, low: i32, high: i32, negated: bool, bitmap: usize): u32 {
  const end = wordCount(n);
  const span = <u32>(high - low);
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    const at = bitmap + (<usize>w << 3);
    let bits = load<u64>(at);
    if (bits == 0) continue;
    const from = values + (<usize>w << 8);
    let left: u64 = 0;
    while (bits != 0) {
      const row = ctz<u64>(bits);
      const outside = <u32>(load<i32>(from + (<usize>row << 2)) - low) > span;
      left |= <u64>(outside == negated) << row;
      bits &= bits - 1;
    }
    if (validity != 0) left &= load<u64>(validity + (<usize>w << 3));
    store<u64>(at, left);
    kept += <u32>popcnt<u64>(left);
  }
  return kept;
}
