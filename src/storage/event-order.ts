/** Events in order of their dates: a stable radix sort of places, and putting columns into that order. */

/** Bits of a radix pass: 11 keep the counters within the first-level cache. */
const RADIX_BITS = 11;
const RADIX = 1 << RADIX_BITS;

/** The stable order by date as places, or null when the dates ascend already. */
export function orderByDate(dates: Uint32Array, min: number, max: number): Uint32Array | null {
  const count = dates.length;
  let ascending = true;
  for (let place = 1; place < count && ascending; place++) ascending = dates[place - 1] <= dates[place];
  if (ascending) return null;
  let order = new Uint32Array(count);
  let next = new Uint32Array(count);
  for (let place = 0; place < count; place++) order[place] = place;
  const counters = new Uint32Array(RADIX + 1);
  for (let shift = 0; shift < 32 && (max - min) >>> shift !== 0; shift += RADIX_BITS) {
    counters.fill(0);
    for (let place = 0; place < count; place++)
      counters[(((dates[place] - min) >>> shift) & (RADIX - 1)) + 1]++;
    for (let digit = 0; digit < RADIX; digit++) counters[digit + 1] += counters[digit];
    for (let at = 0; at < count; at++) {
      const place = order[at];
      next[counters[((dates[place] - min) >>> shift) & (RADIX - 1)]++] = place;
    }
    [order, next] = [next, order];
  }
  return order;
}

/** Puts items of `width` elements each, from element `at`, into `order`. */
export function permute(
  array: Uint8Array | Uint16Array | Uint32Array | Float64Array,
  at: number,
  width: 1 | 2,
  order: Uint32Array,
): void {
  const copy = array.slice(at, at + order.length * width);
  if (width === 1) {
    for (let place = 0; place < order.length; place++) array[at + place] = copy[order[place]];
    return;
  }
  for (let place = 0; place < order.length; place++) {
    array[at + place * 2] = copy[order[place] * 2];
    array[at + place * 2 + 1] = copy[order[place] * 2 + 1];
  }
}
