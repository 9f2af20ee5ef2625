/** Validity of rows: bytes of 1 (has a value) and 0; null = all rows have a value. */

/** The validity of rows that are valid in both. May return one of the arguments. */
export function bothValid(a: Uint8Array | null, b: Uint8Array | null, count: number): Uint8Array | null {
  if (a === null || a === b) return b;
  if (b === null) return a;
  const both = new Uint8Array(count);
  for (let row = 0; row < count; row++) both[row] = a[row] & b[row];
  return both;
}

/** Returns a mutable copy. */
export const writableValid = (valid: Uint8Array | null, count: number): Uint8Array =>
  valid === null ? new Uint8Array(count).fill(1) : valid.slice(0, count);

/** Returns null if all `count` bytes are 1. */
export function simplified(valid: Uint8Array, count: number): Uint8Array | null {
  for (let row = 0; row < count; row++) if (valid[row] === 0) return valid;
  return null;
}

export const isValid = (valid: Uint8Array | null, row: number): boolean => valid === null || valid[row] === 1;
