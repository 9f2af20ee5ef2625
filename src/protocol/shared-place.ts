/**
 * Where bytes lie that threads share: a part of the memory that every lane was given at its start, or a buffer of its own.
 * Parts travel as two numbers. A buffer costs each thread that receives it an object that the collector takes to be as
 * large as the buffer, so that some dozens of messages would make it run.
 */
export type SharedPlace = ArrayBufferLike | SharedPart;

/** Bytes [at, at + byteLength) of the common memory; `at` is 8-aligned. */
export interface SharedPart {
  readonly at: number;
  readonly byteLength: number;
}

/** The buffer that the place lies in, and where it begins there. */
export function locate(
  place: SharedPlace,
  common: SharedArrayBuffer,
): { buffer: ArrayBufferLike; at: number } {
  return 'at' in place ? { buffer: common, at: place.at } : { buffer: place, at: 0 };
}

/** The bytes of the place. */
export function bytesAt(place: SharedPlace, common: SharedArrayBuffer): Uint8Array {
  const { buffer, at } = locate(place, common);
  return new Uint8Array(buffer, at, place.byteLength);
}
