/** Orders events by date: a stable radix sort of row numbers, and permutation of columns. */

/** The maximum number of bits per radix pass; more counters would not fit in the L1 cache. */
const RADIX_BITS_MAX = 13;
const DAY_SECONDS = 86_400;

/** Returns the stable order by date as row numbers, or null if the dates are already ascending. */
export function orderByDate(dates: Uint32Array, min: number, max: number): Uint32Array | null {
  if (ascend(dates)) return null;
  // Whole days need few bits.
  const unit = areDays(dates, min) ? DAY_SECONDS : 1;
  const bits = 32 - Math.clz32((max - min) / unit);
  const passes = Math.ceil(bits / RADIX_BITS_MAX);
  const passBits = Math.ceil(bits / passes);
  const count = dates.length;
  let [keys, order] = [new Uint32Array(count), new Uint32Array(count)];
  let [nextKeys, nextOrder] = [new Uint32Array(count), new Uint32Array(count)];
  for (let row = 0; row < count; row++) {
    keys[row] = (((dates[row] - min) >>> 0) / unit) >>> 0;
    order[row] = row;
  }
  const ends = new Uint32Array((1 << passBits) + 1);
  for (let pass = 0; pass < passes; pass++) {
    radixPass(keys, order, nextKeys, nextOrder, pass * passBits, (1 << passBits) - 1, ends);
    [keys, nextKeys, order, nextOrder] = [nextKeys, keys, nextOrder, order];
  }
  return order;
}

function ascend(dates: Uint32Array): boolean {
  for (let row = 1; row < dates.length; row++) if (dates[row - 1] > dates[row]) return false;
  return true;
}

/** Returns whether all dates are whole days from `min` on. */
function areDays(dates: Uint32Array, min: number): boolean {
  for (let row = 0; row < dates.length; row++)
    if (((dates[row] - min) >>> 0) % DAY_SECONDS !== 0) return false;
  return true;
}

/** Sorts keys and their row numbers by the keys' digit at `shift`. `ends` is overwritten. */
function radixPass(
  keys: Uint32Array,
  rows: Uint32Array,
  toKeys: Uint32Array,
  toRows: Uint32Array,
  shift: number,
  mask: number,
  ends: Uint32Array,
): void {
  ends.fill(0);
  for (let at = 0; at < keys.length; at++) ends[((keys[at] >>> shift) & mask) + 1]++;
  for (let digit = 0; digit < mask; digit++) ends[digit + 1] += ends[digit];
  for (let at = 0; at < keys.length; at++) {
    const to = ends[(keys[at] >>> shift) & mask]++;
    toKeys[to] = keys[at];
    toRows[to] = rows[at];
  }
}

/** Permutes items of `width` elements each, from element `at`, into `order`. */
export function permute(
  array: Uint8Array | Uint16Array | Uint32Array | Float64Array,
  at: number,
  width: 1 | 2,
  order: Uint32Array,
): void {
  const copy = array.slice(at, at + order.length * width);
  if (width === 1) {
    for (let row = 0; row < order.length; row++) array[at + row] = copy[order[row]];
    return;
  }
  for (let row = 0; row < order.length; row++) {
    array[at + row * 2] = copy[order[row] * 2];
    array[at + row * 2 + 1] = copy[order[row] * 2 + 1];
  }
}
