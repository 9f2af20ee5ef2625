/** Equality and an order of the texts of a list, by index: text t is bytes [offsets[t], offsets[t + 1]). */

/** Returns a function that compares two texts for equality. */
export function equalityOf(offsets: Uint32Array, bytes: Uint8Array): (a: number, b: number) => boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (a, b) => sameBytes(view, offsets[a], offsets[a + 1], offsets[b], offsets[b + 1]);
}

/** An arbitrary order that compares exactly equal texts as 0. Shorter texts sort first. */
export function orderOf(offsets: Uint32Array, bytes: Uint8Array): (a: number, b: number) => number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (a, b) => compareBytes(view, offsets[a], offsets[a + 1], offsets[b], offsets[b + 1]);
}

/** Compares four bytes at a time. */
function sameBytes(view: DataView, from: number, to: number, otherFrom: number, otherTo: number): boolean {
  if (to - from !== otherTo - otherFrom) return false;
  let at = from;
  let other = otherFrom;
  for (; at + 4 <= to; at += 4, other += 4) {
    if (view.getInt32(at) !== view.getInt32(other)) return false;
  }
  for (; at < to; at++, other++) {
    if (view.getUint8(at) !== view.getUint8(other)) return false;
  }
  return true;
}

function compareBytes(view: DataView, from: number, to: number, otherFrom: number, otherTo: number): number {
  const longer = to - from - (otherTo - otherFrom);
  if (longer !== 0) return longer;
  let at = from;
  let other = otherFrom;
  for (; at + 4 <= to; at += 4, other += 4) {
    const difference = view.getUint32(at) - view.getUint32(other);
    if (difference !== 0) return difference;
  }
  for (; at < to; at++, other++) {
    const difference = view.getUint8(at) - view.getUint8(other);
    if (difference !== 0) return difference;
  }
  return 0;
}
