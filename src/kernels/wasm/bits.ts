/**
 * Bitmap algebra, and bitmaps as row lists, 64 rows per step. Every input must be readable over bitmapBytes(n) bytes; its contents from bit n on are
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

/** Like `and`. */
export function or(a: usize, b: usize, n: u32, out: usize): u32 {
  const end = wordCount(n);
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    const at = <usize>w << 3;
    kept += put(load<u64>(a + at) | load<u64>(b + at), w, 0, out);
  }
  return kept - trim(n, out);
}

/** Like `and`. */
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

/**
 * Writes rows[i] for every set bit i below n to out, in order; returns their number.
 * Layout  one u32 per row.
 * Needs   capacity at out for one u32 per set bit.
 * Gives   nothing is written after the last one; out may alias rows (writes never pass reads).
 * Cost    O(n / 64 + bits set); a word of 64 set bits is copied in vectors.
 * Twin    js/bits.ts
 */
export function gatherU32(bitmap: usize, n: u32, rows: usize, out: usize): u32 {
  const end = (n >>> 6) + ((n & 63) != 0 ? 1 : 0);
  let at = out;
  for (let w: u32 = 0; w < end; w++) {
    const from = rows + (<usize>w << 8);
    let bits = load<u64>(bitmap + (<usize>w << 3)) & liveMask(w, n);
    if (~bits == 0) {
      for (let byte: usize = 0; byte < 256; byte += 16) v128.store(at + byte, v128.load(from + byte));
      at += 256;
      continue;
    }
    while (bits != 0) {
      store<u32>(at, load<u32>(from + (<usize>ctz<u64>(bits) << 2)));
      bits &= bits - 1;
      at += 4;
    }
  }
  return <u32>((at - out) >>> 2);
}
