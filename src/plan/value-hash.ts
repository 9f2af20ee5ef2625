/** Hashes, equality and an order of the values of a list. Points with the same notation are equal: -0 is 0. */
import { HASH_SEED, hashBlock, hashBytes, hashEnd } from '../base/index.js';
import type { ValueList } from '../ir/index.js';

/**
 * Writes the 32-bit hash of the bytes of each value of [from, to). Clients that choose the values can choose their
 * hashes.
 */
export function hashValues(list: ValueList, hashes: Uint32Array, from: number, to: number): void {
  switch (list.kind) {
    case 'text':
      hashTexts(list.offsets, list.bytes, hashes, from, to);
      break;
    case 'i64':
      hashIntegers(list.words, hashes, from, to);
      break;
    case 'geo':
      hashPoints(list.points, hashes, from, to);
  }
}

function hashTexts(
  offsets: Uint32Array,
  bytes: Uint8Array,
  hashes: Uint32Array,
  from: number,
  to: number,
): void {
  for (let value = from; value < to; value++) {
    hashes[value] = hashBytes(bytes, offsets[value], offsets[value + 1]);
  }
}

function hashIntegers(words: Uint32Array, hashes: Uint32Array, from: number, to: number): void {
  for (let value = from; value < to; value++) {
    const hash = hashBlock(hashBlock(HASH_SEED, words[2 * value]), words[2 * value + 1]);
    hashes[value] = hashEnd(hash, 0, 8);
  }
}

function hashPoints(points: Float64Array, hashes: Uint32Array, from: number, to: number): void {
  const point = new Float64Array(2);
  const words = new Uint32Array(point.buffer);
  for (let value = from; value < to; value++) {
    // Adding 0 turns -0 into 0.
    point[0] = points[2 * value] + 0;
    point[1] = points[2 * value + 1] + 0;
    let hash = hashBlock(hashBlock(HASH_SEED, words[0]), words[1]);
    hash = hashBlock(hashBlock(hash, words[2]), words[3]);
    hashes[value] = hashEnd(hash, 0, 16);
  }
}

/** Returns a function that compares two values of the list, by index, for equality. */
export function equalityOf(list: ValueList): (a: number, b: number) => boolean {
  switch (list.kind) {
    case 'text': {
      const { offsets, bytes } = list;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return (a, b) => sameBytes(view, offsets[a], offsets[a + 1], offsets[b], offsets[b + 1]);
    }
    case 'i64': {
      const { words } = list;
      return (a, b) => words[2 * a] === words[2 * b] && words[2 * a + 1] === words[2 * b + 1];
    }
    case 'geo': {
      const { points } = list;
      return (a, b) => points[2 * a] === points[2 * b] && points[2 * a + 1] === points[2 * b + 1];
    }
  }
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

/**
 * An arbitrary order of the list's values, by index, that compares exactly equal values as 0. Shorter texts sort
 * first.
 */
export function orderOf(list: ValueList): (a: number, b: number) => number {
  switch (list.kind) {
    case 'text': {
      const { offsets, bytes } = list;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return (a, b) => compareBytes(view, offsets[a], offsets[a + 1], offsets[b], offsets[b + 1]);
    }
    case 'i64':
      return pairOrder(list.words);
    case 'geo':
      return pairOrder(list.points);
  }
}

const pairOrder =
  (numbers: Uint32Array | Float64Array) =>
  (a: number, b: number): number =>
    numbers[2 * a] - numbers[2 * b] || numbers[2 * a + 1] - numbers[2 * b + 1];

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
