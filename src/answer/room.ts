/** Memory for the parts of an answer: whoever makes many has it used again. */

/** So many bytes, with whatever stood in them, alone in their buffer, which may be shared, from its beginning on. */
export type Room = (byteCount: number) => Uint8Array;

export const freshRoom: Room = (byteCount) => new Uint8Array(byteCount);
