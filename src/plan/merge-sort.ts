/**
 * Sorts numbers by a comparison function, in slices: short blocks by insertion, then merges of increasing width.
 * Cost  n log n comparisons for any input. Stable.
 */
import { inSlices, SLICE_TEXTS, type Task } from '../base/index.js';

export type Compare = (a: number, b: number) => number;

const BLOCK = 8;

/** The result is in `items` or `scratch`, which must have the same length; both are overwritten. */
export function* mergeSort(items: Uint32Array, scratch: Uint32Array, compare: Compare): Task<Uint32Array> {
  const count = items.length;
  yield* inSlices(
    Math.ceil(count / BLOCK),
    (from, to) => {
      for (let block = from; block < to; block++) {
        sortBlock(items, block * BLOCK, Math.min(count, (block + 1) * BLOCK), compare);
      }
    },
    SLICE_TEXTS / BLOCK,
  );
  let [from, to] = [items, scratch];
  for (let width = BLOCK; width < count; width *= 2) {
    yield* mergePass(from, to, width, compare);
    [from, to] = [to, from];
  }
  return from;
}

function sortBlock(items: Uint32Array, from: number, to: number, compare: Compare): void {
  for (let index = from + 1; index < to; index++) {
    const item = items[index];
    let at = index;
    for (; at > from && compare(items[at - 1], item) > 0; at--) items[at] = items[at - 1];
    items[at] = item;
  }
}

/** Merges neighboring runs of `width` sorted numbers. */
function* mergePass(from: Uint32Array, to: Uint32Array, width: number, compare: Compare): Task<void> {
  const count = from.length;
  let sliceCount = 0;
  for (let start = 0; start < count; start += 2 * width) {
    const middle = Math.min(count, start + width);
    const end = Math.min(count, start + 2 * width);
    const merge: Merge = { left: start, middle, right: middle, end };
    for (let at = start; at < end; ) {
      const next = Math.min(end, at + SLICE_TEXTS);
      mergeSome(from, to, merge, at, next, compare);
      sliceCount += next - at;
      at = next;
      if (sliceCount < SLICE_TEXTS) continue;
      sliceCount = 0;
      yield;
    }
  }
}

/** Sorted runs [left, middle) and [right, end) that remain to be merged. */
interface Merge {
  left: number;
  readonly middle: number;
  right: number;
  readonly end: number;
}

function mergeSome(
  from: Uint32Array,
  to: Uint32Array,
  merge: Merge,
  first: number,
  last: number,
  compare: Compare,
): void {
  const { middle, end } = merge;
  let { left, right } = merge;
  for (let at = first; at < last; at++) {
    const takesLeft = right === end || (left < middle && compare(from[left], from[right]) <= 0);
    to[at] = from[takesLeft ? left++ : right++];
  }
  merge.left = left;
  merge.right = right;
}
