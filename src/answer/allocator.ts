/** Memory allocation for the parts of an answer; callers that encode many parts reuse memory. */

/** Returns `byteCount` bytes with arbitrary contents at the start of a buffer of their own, which may be shared memory. */
export type Allocator = (byteCount: number) => Uint8Array;

/** `count` doubles with arbitrary contents. */
export function allocateDoubles(allocate: Allocator, count: number): Float64Array {
  const { buffer, byteOffset } = allocate(count * Float64Array.BYTES_PER_ELEMENT);
  return new Float64Array(buffer, byteOffset, count);
}

export const allocateFresh: Allocator = (byteCount) => new Uint8Array(byteCount);
