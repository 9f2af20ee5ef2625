/**
 * SIMD box filter over points: two (longitude, latitude) pairs become a vector of longitudes and one of latitudes. The radius
 * filter has no kernel of its own: see src/kernels/geo-radius.ts.
 */
import { bits16, halves, put, trim, wordCount } from './_words';

// @ts-ignore: decorator
@inline
function plain2(at: usize, west: v128, south: v128, east: v128, north: v128): v128 {
  const a = v128.load(at);
  const b = v128.load(at + 16);
  const longitude = v128.shuffle<f64>(a, b, 0, 2);
  const latitude = v128.shuffle<f64>(a, b, 1, 3);
  const inLongitude = v128.and(f64x2.ge(longitude, west), f64x2.le(longitude, east));
  return v128.and(inLongitude, v128.and(f64x2.ge(latitude, south), f64x2.le(latitude, north)));
}

// @ts-ignore: decorator
@inline
function across2(at: usize, west: v128, south: v128, east: v128, north: v128): v128 {
  const a = v128.load(at);
  const b = v128.load(at + 16);
  const longitude = v128.shuffle<f64>(a, b, 0, 2);
  const latitude = v128.shuffle<f64>(a, b, 1, 3);
  const inLongitude = v128.or(f64x2.ge(longitude, west), f64x2.le(longitude, east));
  return v128.and(inLongitude, v128.and(f64x2.ge(latitude, south), f64x2.le(latitude, north)));
}

// @ts-ignore: decorator
@inline
function plain4(at: usize, west: v128, south: v128, east: v128, north: v128): v128 {
  return halves(plain2(at, west, south, east, north), plain2(at + 32, west, south, east, north));
}

// @ts-ignore: decorator
@inline
function across4(at: usize, west: v128, south: v128, east: v128, north: v128): v128 {
  return halves(across2(at, west, south, east, north), across2(at + 32, west, south, east, north));
}

/**
 * Rows whose point is in the box, including its edges (west > east: across the antimeridian); negated: outside.
 * Layout  two f64 per row: longitude, latitude.
 * Needs   no NaN; points and validity readable to the end of the last 128-row group.
 * Gives   number of bits set; bitmapBytes(n) bytes at out, which may alias validity.
 * Cost    O(n), flat in selectivity.
 * Twin    js/geo.ts
 */
export function geoBox(
  points: usize, validity: usize, n: u32, west: f64, south: f64, east: f64, north: f64, negated: bool, out: usize,
): u32 {
  const end = wordCount(n);
  const flip: u64 = negated ? ~(<u64>0) : 0;
  const w2 = f64x2.splat(west);
  const s2 = f64x2.splat(south);
  const e2 = f64x2.splat(east);
  const n2 = f64x2.splat(north);
  const across = west > east;
  let kept: u32 = 0;
  for (let w: u32 = 0; w < end; w++) {
    let at = points + (<usize>w << 10);
    let bits: u64 = 0;
    if (across) {
      for (let row: u32 = 0; row < 64; row += 16, at += 256) {
        bits |= bits16(
          across4(at, w2, s2, e2, n2), across4(at + 64, w2, s2, e2, n2),
          across4(at + 128, w2, s2, e2, n2), across4(at + 192, w2, s2, e2, n2),
        ) << row;
      }
    } else {
      for (let row: u32 = 0; row < 64; row += 16, at += 256) {
        bits |= bits16(
          plain4(at, w2, s2, e2, n2), plain4(at + 64, w2, s2, e2, n2),
          plain4(at + 128, w2, s2, e2, n2), plain4(at + 192, w2, s2, e2, n2),
        ) << row;
      }
    }
    kept += put(bits ^ flip, w, validity, out);
  }
  return kept - trim(n, out);
}
