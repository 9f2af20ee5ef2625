/**
 * Filters points that may lie in a ring around a center, without computing each distance: first by the bounding box
 * of the outer circle, then, if rows before the page lie inside, by the longitude extent of each circle in many bands
 * of latitude. Points that remain must be checked exactly; points that are dropped are certainly outside.
 */
import { boxAround, EARTH_RADIUS_KM } from '../../kernels/index.js';
import type { Point } from '../../schema/index.js';
import type { Arena } from '../../storage/index.js';
import { keepBits } from './row-words.js';

const RADIANS = Math.PI / 180;
/** Well above the rounding error of a distance, which is largest near the antipode: a few centimeters. */
const MARGIN_KM = 0.001;
const BANDS = 512;
/** Well above the rounding error of a latitude's band. */
const EDGE_DEGREES = 1e-9;
/** A circle that covers every longitude. */
const FULL_CIRCLE_DEGREES = 360;
const NONE = -1;
/** The outer circle is recomputed when its radius has shrunk to this fraction. */
const RECOMPUTE_RADIUS_RATIO = 0.95;

const haversine = (degrees: number): number => Math.sin(degrees * (RADIANS / 2)) ** 2;

/** The haversine of an arc of `km` kilometers; 2, which exceeds every haversine, if the arc includes the antipode. */
function haversineOf(km: number): number {
  const arc = Math.max(km, 0) / EARTH_RADIUS_KM;
  return arc >= Math.PI ? 2 : Math.sin(arc / 2) ** 2;
}

/** Solves hav(distance) = hav(latitude difference) + cos cos hav(longitude difference) for the longitude difference. */
function longitudeReach(left: number, cosines: number): number {
  const ratio = left / cosines;
  return ratio < 1 ? (2 * Math.asin(Math.sqrt(ratio))) / RADIANS : FULL_CIRCLE_DEGREES;
}

/** The extent of a circle by bands of latitude: degrees of longitude from its center, NONE = not in the band. */
class Circle {
  readonly radiusKm: number;
  /** The latitude at which the first band begins. */
  readonly south: number;
  readonly bandsPerDegree: number;
  /** Points within this longitude difference are certainly inside. */
  readonly surely = new Float64Array(BANDS);
  /** Points beyond this longitude difference are certainly outside. */
  readonly perhaps = new Float64Array(BANDS);

  constructor({ latitude }: Point, radiusKm: number) {
    this.radiusKm = radiusKm;
    const reach = Math.min(180, (radiusKm + MARGIN_KM) / EARTH_RADIUS_KM / RADIANS) + EDGE_DEGREES;
    this.south = latitude - reach;
    this.bandsPerDegree = BANDS / (2 * reach);
    const [within, around] = [haversineOf(radiusKm - MARGIN_KM), haversineOf(radiusKm + MARGIN_KM)];
    const cosine = Math.cos(latitude * RADIANS);
    for (let band = 0; band < BANDS; band++) {
      const from = Math.max(-90, this.south + band / this.bandsPerDegree - EDGE_DEGREES);
      const to = Math.min(90, this.south + (band + 1) / this.bandsPerDegree + EDGE_DEGREES);
      const apart = [Math.abs(from - latitude), Math.abs(to - latitude)];
      const cosines = [Math.cos(from * RADIANS), Math.cos(to * RADIANS)];
      const least = from <= latitude && latitude <= to ? 0 : haversine(Math.min(...apart));
      const widest = from <= 0 && to >= 0 ? 1 : Math.max(...cosines);
      const most = haversine(Math.max(...apart));
      this.surely[band] = from <= to && most < within ? longitudeReach(within - most, cosine * widest) : NONE;
      this.perhaps[band] =
        from <= to && least <= around ? longitudeReach(around - least, cosine * Math.min(...cosines)) : NONE;
    }
  }
}

export class GeoRing {
  readonly #center: Point;
  #inner: Circle | null = null;
  #outer: Circle | null = null;

  constructor(center: Point) {
    this.#center = center;
  }

  /**
   * Drops from `words` those of the first `count` points, (longitude, latitude) pairs at byte `pointsAt`, that are
   * certainly nearer than `nearKm` or farther than `farKm`. Overwrites scratch bitmap 0 of the arena.
   */
  narrow(
    nearKm: number,
    farKm: number,
    arena: Arena,
    pointsAt: number,
    count: number,
    words: Uint32Array,
  ): void {
    if (farKm !== Number.POSITIVE_INFINITY) {
      const { west, south, east, north } = boxAround(this.#center.longitude, this.#center.latitude, farKm);
      const out = arena.scratchBitmap(0);
      arena.kernels.geoBox(pointsAt, 0, count, west, south, east, north, false, out);
      keepBits(words, arena, out, count, true);
    }
    if (nearKm <= MARGIN_KM) return;
    if (this.#inner?.radiusKm !== nearKm) this.#inner = new Circle(this.#center, nearKm);
    dropSure(arena.f64, pointsAt >> 3, this.#center.longitude, this.#inner, this.#outerFor(farKm), words);
  }

  /** A circle of at least that radius. */
  #outerFor(farKm: number): Circle {
    const outer = this.#outer;
    if (
      outer !== null &&
      (outer.radiusKm === farKm ||
        (farKm < outer.radiusKm && farKm > outer.radiusKm * RECOMPUTE_RADIUS_RATIO))
    ) {
      return outer;
    }
    this.#outer = new Circle(this.#center, farKm);
    return this.#outer;
  }
}

function dropSure(
  f64: Float64Array,
  points: number,
  longitude: number,
  inner: Circle,
  outer: Circle,
  words: Uint32Array,
): void {
  const { surely } = inner;
  const { perhaps } = outer;
  for (let word = 0; word < words.length; word++) {
    let selected = words[word];
    for (let bits = selected; bits !== 0; bits &= bits - 1) {
      const bit = 31 - Math.clz32(bits & -bits);
      const at = points + 2 * (word * 32 + bit);
      const difference = Math.abs(f64[at] - longitude);
      const apart = difference > 180 ? 360 - difference : difference;
      const latitude = f64[at + 1];
      const bandIn = Math.floor((latitude - inner.south) * inner.bandsPerDegree);
      const bandOut = Math.floor((latitude - outer.south) * outer.bandsPerDegree);
      const inside = bandIn >= 0 && bandIn < BANDS && apart <= surely[bandIn];
      const outside = bandOut < 0 || bandOut >= BANDS || apart > perhaps[bandOut];
      if (inside || outside) selected &= ~(1 << bit);
    }
    words[word] = selected;
  }
}
