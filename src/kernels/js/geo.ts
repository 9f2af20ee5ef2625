/** Twin of wasm/geo.ts, which documents Layout, Needs and Gives. */
import { clearRest, put } from './words.js';

export function geoBox(
  f64: Float64Array,
  points: number,
  words: Uint32Array,
  validity: number,
  n: number,
  west: number,
  south: number,
  east: number,
  north: number,
  negated: boolean,
  out: number,
): number {
  const flip = negated ? -1 : 0;
  const across = west > east;
  let selectedCount = 0;
  for (let from = 0; from < n; from += 32) {
    const to = Math.min(32, n - from);
    let bits = 0;
    for (let row = 0; row < to; row++) {
      const longitude = f64[points + 2 * (from + row)];
      const latitude = f64[points + 2 * (from + row) + 1];
      const inLongitude = across
        ? longitude >= west || longitude <= east
        : longitude >= west && longitude <= east;
      if (inLongitude && latitude >= south && latitude <= north) bits |= 1 << row;
    }
    selectedCount += put(words, bits ^ flip, from >>> 5, n, validity, out);
  }
  clearRest(words, n, out);
  return selectedCount;
}
