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
