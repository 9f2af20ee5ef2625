/**
 * Returns the index of the first number in [from, to) of `ascending` that is at least `value`; `to` when all are smaller.
 * Cost  O(log(to - from))
 */
export function lowerBound(
  ascending: Uint32Array,
  value: number,
  from = 0,
  to: number = ascending.length,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The same over other numbers: a function of its own, so that each reads one kind of array. */
export function lowerBoundOf(
  ascending: ArrayLike<number>,
  value: number,
  from = 0,
  to: number = ascending.length,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A result within this many positions is found one by one, without mispredicted branches. */
const NEAR = 32;

/** The same, from a position on; fast if the result is near `from`. */
export function nextLowerBound(ascending: Uint32Array, value: number, from: number): number {
  const near = Math.min(from + NEAR, ascending.length);
  let low = from;
  while (low < near && ascending[low] < value) low++;
  if (low < near) return low;
  let high = low;
  for (let step = 1; high < ascending.length && ascending[high] < value; step *= 2) {
    low = high + 1;
    high += step;
  }
  return lowerBound(ascending, value, low, Math.min(high, ascending.length));
}
