/** Twins of wasm/arithmetic.ts, which documents Layout. `a`, `b` and `out` are elements of an i64 view. */

type Combine = (a: bigint, b: bigint) => bigint;

/** out[i] = combine(a[i], b[i]) modulo 2^64, which the assignment to a BigInt64Array takes. */
export function combineI64(
  combine: Combine,
  fields: BigInt64Array,
  rows: { readonly a: number; readonly b: number; readonly n: number; readonly out: number },
): void {
  const { a, b, n, out } = rows;
  for (let row = 0; row < n; row++) fields[out + row] = combine(fields[a + row], fields[b + row]);
}

export function clearMissingI64(
  fields: BigInt64Array,
  values: number,
  words: Uint32Array,
  bitmap: number,
  n: number,
): void {
  for (let row = 0; row < n; row++) {
    if ((words[bitmap + (row >>> 5)] & (1 << (row & 31))) === 0) fields[values + row] = 0n;
  }
}
