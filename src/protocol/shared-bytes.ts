/**
 * The location of bytes that threads share: a part of the memory that every worker received at its start, or a separate buffer.
 * Parts travel as two numbers. A buffer costs each receiving thread an object that the garbage collector takes to be as large as
 * the buffer, so that some dozens of messages would trigger a collection.
 */
export type SharedBytes = ArrayBufferLike | SharedPart;

/** Bytes [at, at + byteLength) of the common memory; `at` is 8-aligned. */
export interface SharedPart {
  readonly at: number;
  readonly byteLength: number;
}

/** Returns the buffer that contains the bytes, and their offset in it. */
export function locate(
  location: SharedBytes,
  common: SharedArrayBuffer,
): { buffer: ArrayBufferLike; at: number } {
  return 'at' in location ? { buffer: common, at: location.at } : { buffer: location, at: 0 };
}

/** Returns a view of the bytes. */
export function bytesAt(location: SharedBytes, common: SharedArrayBuffer): Uint8Array {
  const { buffer, at } = locate(location, common);
  return new Uint8Array(buffer, at, location.byteLength);
}
