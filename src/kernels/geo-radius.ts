/**
 * The radius filter, in two steps that both sets of kernels share: `geoBox` of each set selects the candidates, and one exact
 * test in TypeScript decides, so SIMD and JS agree to the last bit.
 * Invariant: the candidate box contains every point that the exact test would keep (BOX_MARGIN_DEGREES is far above the rounding
 * error of either step).
 */
import { invariant, SEGMENT_ROWS_MAX } from '../base/index.js';
import { liveMask, lowestBit } from './js/words.js';
import type { Kernels } from './kernels.js';
import { bitmapBytes } from './kernels.js';

export const EARTH_RADIUS_KM = 6371.0088;

const RADIANS = Math.PI / 180;
/** About a metre. */
const BOX_MARGIN_DEGREES = 1e-5;
/** Rows per step: the capacity of an arena's scratch bitmap. */
const STEP_ROWS = SEGMENT_ROWS_MAX;
export const RADIUS_SCRATCH_BYTES = bitmapBytes(STEP_ROWS);

/**
 * Great-circle distance in kilometres between two points given in degrees, by the haversine formula. Symmetric;
 * exactly 0 between equal points, the two sides of the antimeridian included.
 */
export function greatCircleKm(
  longitudeA: number,
  latitudeA: number,
  longitudeB: number,
  latitudeB: number,
): number {
  const apart = Math.abs(longitudeA - longitudeB);
  const sinLongitude = Math.sin((apart > 180 ? 360 - apart : apart) * (RADIANS / 2));
  const sinLatitude = Math.sin((latitudeA - latitudeB) * (RADIANS / 2));
  const haversine =
    sinLatitude * sinLatitude +
    Math.cos(latitudeA * RADIANS) * Math.cos(latitudeB * RADIANS) * (sinLongitude * sinLongitude);
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, haversine)));
}

/** In degrees; west > east means that the box crosses the antimeridian. */
export interface GeoBox {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Returns a box around the circle of radiusKm; the box may cross the antimeridian. */
export function boxAround(longitude: number, latitude: number, radiusKm: number): GeoBox {
  const reach = radiusKm / EARTH_RADIUS_KM / RADIANS + BOX_MARGIN_DEGREES;
  const south = latitude - reach;
  const north = latitude + reach;
  // A circle that contains a pole spans every longitude.
  const ratio = south <= -90 || north >= 90 ? 1 : Math.sin(reach * RADIANS) / Math.cos(latitude * RADIANS);
  if (ratio >= 1) return { west: -180, south, east: 180, north };
  const sideways = Math.asin(ratio) / RADIANS + BOX_MARGIN_DEGREES;
  const west = longitude - sideways;
  const east = longitude + sideways;
  return { west: west < -180 ? west + 360 : west, south, east: east > 180 ? east - 360 : east, north };
}

/**
 * Clears the bits of the bitmap at word index `out` whose points are farther away than radiusKm; returns the number of remaining
 * bits.
 */
function keepWithin(
  f64: Float64Array,
  points: number,
  n: number,
  longitude: number,
  latitude: number,
  radiusKm: number,
  words: Uint32Array,
  out: number,
): number {
  let selectedCount = 0;
  for (let from = 0; from < n; from += 32) {
    let left = words[out + (from >>> 5)] & liveMask(from, n);
    for (let bits = left; bits !== 0; bits &= bits - 1) {
      const row = lowestBit(bits);
      const at = points + 2 * (from + row);
      if (greatCircleKm(longitude, latitude, f64[at], f64[at + 1]) <= radiusKm) selectedCount++;
      else left &= ~(1 << row);
    }
    words[out + (from >>> 5)] = left;
  }
  return selectedCount;
}

/**
 * Creates the `geoRadius` kernel of one arena.
 * Layout  two f64 per row: longitude, latitude in degrees.
 * Needs   no NaN; RADIUS_SCRATCH_BYTES at `scratch` that no other code uses during a call (negated only).
 * Gives   number of bits set; bitmapBytes(n) bytes at out, which may alias validity.
 * Cost    one box filter, then about 0.1 us per row inside the box.
 */
export function geoRadiusOver(
  buffer: ArrayBuffer,
  kernels: Omit<Kernels, 'geoRadius'>,
  scratch: number,
): Kernels['geoRadius'] {
  invariant(STEP_ROWS % 128 === 0, 'a step of the radius filter is whole 128-row groups');
  const words = new Uint32Array(buffer);
  const f64 = new Float64Array(buffer);
  return (points, validity, n, longitude, latitude, radiusKm, negated, out) => {
    const { west, south, east, north } = boxAround(longitude, latitude, radiusKm);
    let selectedCount = 0;
    for (let from = 0; from < n; from += STEP_ROWS) {
      const rows = Math.min(STEP_ROWS, n - from);
      const pointsHere = points + from * 16;
      const validityHere = validity === 0 ? 0 : validity + from / 8;
      const outHere = out + from / 8;
      const near = negated ? scratch : outHere;
      kernels.geoBox(pointsHere, negated ? 0 : validityHere, rows, west, south, east, north, false, near);
      const within = keepWithin(f64, pointsHere / 8, rows, longitude, latitude, radiusKm, words, near / 4);
      if (!negated) {
        selectedCount += within;
        continue;
      }
      if (validity === 0) kernels.fill(rows, outHere);
      selectedCount += kernels.andNot(validity === 0 ? outHere : validityHere, near, rows, outHere);
    }
    return selectedCount;
  };
}
