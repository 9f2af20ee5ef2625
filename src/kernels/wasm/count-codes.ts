/** Histograms of codes: no SIMD, but no bounds checks and no boxed numbers either. */
import { chosen, wordCount } from './_words';

// @ts-ignore: decorator
@inline
function countOne<T>(code: usize, table: usize): void {
  const at = table + (<usize>load<T>(code) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

// @ts-ignore: decorator
@inline
function countCodes<T>(codes: usize, bitmap: usize, n: u32, table: usize): void {
  const end = wordCount(n);
  for (let w: u32 = 0; w < end; w++) {
    let bits = chosen(bitmap, w, n);
    const from = codes + (<usize>w << 6) * sizeof<T>();
    if (~bits == 0) {
      for (let at = from; at < from + 64 * sizeof<T>(); at += 4 * sizeof<T>()) {
        countOne<T>(at, table);
        countOne<T>(at + sizeof<T>(), table);
        countOne<T>(at + 2 * sizeof<T>(), table);
        countOne<T>(at + 3 * sizeof<T>(), table);
      }
      continue;
    }
    while (bits != 0) {
      countOne<T>(from + <usize>ctz<u64>(bits) * sizeof<T>(), table);
      bits &= bits - 1;
    }
  }
}

/**
 * table[code] += 1 for every row set in `bitmap` (0: all).
 * Layout  one u8 code per row; one u32 per code in the table.
 * Needs   the table spans every code of a set row; it overlaps neither codes nor bitmap.
 * Cost    O(n / 64 + rows set), about 0.5 to 1.2 ns a row, a quarter of the twin's.
 * Twin    js/count-codes.ts
 */
export function countCodesU8(codes: usize, bitmap: usize, n: u32, table: usize): void {
  countCodes<u8>(codes, bitmap, n, table);
}

/** Like the previous kernel, over one u16 code per row.  Twin  js/count-codes.ts */
export function countCodesU16(codes: usize, bitmap: usize, n: u32, table: usize): void {
  countCodes<u16>(codes, bitmap, n, table);
}

/** Like the previous kernel, over one u32 code per row.  Twin  js/count-codes.ts */
export function countCodesU32(codes: usize, bitmap: usize, n: u32, table: usize): void {
  countCodes<u32>(codes, bitmap, n, table);
}
