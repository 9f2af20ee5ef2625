/**
 * The edit distance of two words for typing errors (optimal string alignment).
 * Source  Ukkonen, "Algorithms for Approximate String Matching", 1985, for the band around the diagonal.
 */

/**
 * The number of characters to insert, delete, replace or swap with a neighbour. If it exceeds `bound`, the result is
 * any number above `bound`. Only table entries at most `bound` away from the diagonal are computed.
 */
export function editDistance(from: string, to: string, bound: number): number {
  return distanceWithin(...differing(from, to), bound);
}

/** Both words without their common prefix and suffix. */
function differing(a: string, b: string): readonly [string, string] {
  let start = 0;
  const shorter = Math.min(a.length, b.length);
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

function distanceWithin(a: string, b: string, bound: number): number {
  const far = bound + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => Math.min(index, far));
  for (let row = 1; row <= a.length; row++) {
    const current = new Array<number>(b.length + 1).fill(far);
    current[0] = Math.min(row, far);
    let nearest = current[0];
    const end = Math.min(b.length, row + bound);
    for (let column = Math.max(1, row - bound); column <= end; column++) {
      const same = a[row - 1] === b[column - 1];
      let least = Math.min(last[column - 1] + (same ? 0 : 1), last[column] + 1, current[column - 1] + 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) least = Math.min(least, before[column - 2] + 1);
      current[column] = Math.min(least, far);
      nearest = Math.min(nearest, least, last[column]);
    }
    // An edit refers to at most two previous rows (a swap).
    if (nearest > bound && last[0] > bound) return far;
    before = last;
    last = current;
  }
  return last[b.length];
}
