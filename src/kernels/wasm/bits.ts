/**
 * Bitmap algebra, 64 rows per step. Every input must be readable over bitmapBytes(n) bytes; its contents from bit n on are
 * ignored.
 */
import { liveMask, put, trim, wordCount } from './_words';

/**
 * Rows whose bit equals `wanted` and that have a value.
 * Gives   number of bits set; bitmapBytes(n) bytes at out, which may alias bits or validity.
 * Cost    O(n / 64).
 * Twin    js/bits.ts
 */
export function bitsEqual(bits: usize, validity: usize, n: u32, wanted: bool, out: usize): u32 {
  const end = wordCount(n);
  const flip: u64 = wanted ? 0 : ~(<u64>0);
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) kept += put(load<u64>(bits + (<usize>w << 3)) ^ flip, w, validity, out);
  return kept - trim(n, out);
}

/**
 * a & b, a | b, a & ~b.
 * Gives   number of bits set; bitmapBytes(n) bytes at out, which may alias a or b.
 * Cost    O(n / 64).
 * Twin    js/bits.ts
 */
export function and(a: usize, b: usize, n: u32, out: usize): u32 {
  const end = wordCount(n);
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    const at = <usize>w << 3;
    kept += put(load<u64>(a + at) & load<u64>(b + at), w, 0, out);
  }
  return kept - trim(n, out);
}

/** As and. */
export function or(a: usize, b: usize, n: u32, out: usize): u32 {
  const end = wordCount(n);
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    const at = <usize>w << 3;
    kept += put(load<u64>(a + at) | load<u64>(b + at), w, 0, out);
  }
  return kept - trim(n, out);
}

/** As and. */
export function andNot(a: usize, b: usize, n: u32, out: usize): u32 {
  const end = wordCount(n);
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    const at = <usize>w << 3;
    kept += put(load<u64>(a + at) & ~load<u64>(b + at), w, 0, out);
  }
  return kept - trim(n, out);
}

/** Sets bits [0, n) and clears the rest of the last vector.  Twin  js/bits.ts */
export function fill(n: u32, out: usize): void {
  memory.fill(out, 0xff, wordCount(n) << 3);
  trim(n, out);
}

/** Clears the bitmap over n rows.  Twin  js/bits.ts */
export function clear(n: u32, out: usize): void {
  memory.fill(out, 0, wordCount(n) << 3);
}

/** Bits set among the first n.  Cost  O(n / 64).  Twin  js/bits.ts */
export function count(bitmap: usize, n: u32): u32 {
  const whole = n >>> 6;
  let kept: u32 = 0;
  for (let w: u32 = 0; w < whole; w++) kept += <u32>popcnt<u64>(load<u64>(bitmap + (<usize>w << 3)));
  if ((n & 63) != 0) kept += <u32>popcnt<u64>(load<u64>(bitmap + (<usize>whole << 3)) & liveMask(whole, n));
  return kept;
}
