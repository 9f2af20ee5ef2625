/** Converts bitmaps to row lists. */
import { liveMask } from './_words';

/**
 * Writes rows[i] for every set bit i below n to out, in order; returns their number.
 * Layout  one u32 per row.
 * Needs   capacity at out for one u32 per set bit.
 * Gives   nothing is written after the last one; out may alias rows (writes never pass reads).
 * Cost    O(n / 64 + bits set); a word of 64 set bits is copied in vectors.
 * Twin    js/gather.ts
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
