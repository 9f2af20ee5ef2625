import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { bitmapBytes, EARTH_RADIUS_KM, greatCircleKm } from '../../src/kernels/index.js';
import { ROW_COUNTS, TwinArena, validities } from './twin-arena.js';

const SEED = 20_005;
t.comment(`seed ${SEED}`);

type Point = readonly [longitude: number, latitude: number];

const CORNERS: readonly Point[] = [
  [0, 0],
  [180, 0],
  [-180, 0],
  [180, 90],
  [-180, -90],
  [0, 90],
  [77, -90],
  [-180, 45],
  [180, 45],
  [179.999, 10],
  [-179.999, 10],
];

const randomPoint = (prng: Prng): Point =>
  prng.chance(0.3)
    ? prng.pick(CORNERS)
    : prng.chance(0.3)
      ? [Math.round(prng.unit() * 36 - 18) * 10, Math.round(prng.unit() * 18 - 9) * 10]
      : [prng.unit() * 360 - 180, prng.unit() * 180 - 90];

t.test('geoBox keeps the points on and inside the box, also across the antimeridian', async (t) => {
  const prng = new Prng(SEED);
  const arena = new TwinArena(prng);
  let checked = 0;
  for (const n of [...ROW_COUNTS, 300 + prng.below(1000)]) {
    const points = Array.from({ length: n }, () => randomPoint(prng));
    for (const valid of validities(prng, n)) {
      for (let i = 0; i < 6; i++) {
        const [a, b] = [randomPoint(prng), randomPoint(prng)];
        const [west, east] = [a[0], b[0]];
        const [south, north] = a[1] <= b[1] ? [a[1], b[1]] : [b[1], a[1]];
        for (const negated of [false, true]) {
          for (const alias of valid === null ? [false] : [false, true]) {
            arena.reset();
            const at = arena.values('f64', points.flat(), 2);
            const validity = valid === null ? 0 : arena.bitmap(valid);
            const out = alias ? validity : arena.take(bitmapBytes(n));
            const expected = points.map(([longitude, latitude], row) => {
              const inLongitude =
                west <= east
                  ? longitude >= west && longitude <= east
                  : longitude >= west || longitude <= east;
              const inside = inLongitude && latitude >= south && latitude <= north;
              return (valid === null || valid[row]) && inside !== negated;
            });
            const mismatch = arena.filterMismatch(expected, out, (k) =>
              k.geoBox(at, validity, n, west, south, east, north, negated, out),
            );
            if (mismatch !== null) {
              t.fail(`n ${n}, box ${[west, south, east, north]}, negated ${negated}: ${mismatch}`);
              return;
            }
            checked++;
          }
        }
      }
    }
  }
  t.ok(checked > 200, `${checked} cases`);
});

t.test('geoRadius keeps exactly the points whose great-circle distance is at most the radius', async (t) => {
  const prng = new Prng(SEED + 1);
  const arena = new TwinArena(prng);
  let checked = 0;
  for (const n of [...ROW_COUNTS, 300 + prng.below(1000)]) {
    const points = Array.from({ length: n }, () => randomPoint(prng));
    for (const valid of validities(prng, n)) {
      for (let i = 0; i < 6; i++) {
        const centre = randomPoint(prng);
        // Half of the radii end exactly on a point, which a box without a margin would lose.
        const radiusKm =
          i % 2 === 0 && n > 0
            ? greatCircleKm(...centre, ...prng.pick(points))
            : prng.pick([0, 0.001, 1, 500 * prng.unit(), 10_000, 20_015, 25_000, Number.POSITIVE_INFINITY]);
        for (const negated of [false, true]) {
          for (const alias of valid === null ? [false] : [false, true]) {
            arena.reset();
            const at = arena.values('f64', points.flat(), 2);
            const validity = valid === null ? 0 : arena.bitmap(valid);
            const out = alias ? validity : arena.take(bitmapBytes(n));
            const expected = points.map(
              (point, row) =>
                (valid === null || valid[row]) && greatCircleKm(...centre, ...point) <= radiusKm !== negated,
            );
            const mismatch = arena.filterMismatch(expected, out, (k) =>
              k.geoRadius(at, validity, n, ...centre, radiusKm, negated, out),
            );
            if (mismatch !== null) {
              t.fail(`n ${n}, ${radiusKm} km around ${centre}, negated ${negated}: ${mismatch}`);
              return;
            }
            checked++;
          }
        }
      }
    }
  }
  t.ok(checked > 200, `${checked} cases`);
});

t.test('geoRadius loses no point near a pole, the antimeridian or the edge of its own box', async (t) => {
  const prng = new Prng(SEED + 2);
  const arena = new TwinArena(prng);
  const n = 256;
  let near = 0;
  for (let round = 0; round < 300; round++) {
    const radiusKm = 10 ** (prng.unit() * 7 - 3);
    const degrees = radiusKm / EARTH_RADIUS_KM / (Math.PI / 180);
    const latitude = prng.pick([
      90,
      -90,
      90 - degrees,
      degrees - 90,
      90 - degrees * 1.001,
      prng.unit() * 180 - 90,
    ]);
    const centre: Point = [
      prng.pick([180, -180, 180 - degrees / 2, prng.unit() * 360 - 180]),
      Math.max(-90, Math.min(90, latitude)),
    ].map((value) => Math.max(-180, Math.min(180, value))) as unknown as Point;
    const points = Array.from({ length: n }, () =>
      pointAt(centre, radiusKm * (0.999 + 0.0011 * prng.unit()), prng),
    );
    arena.reset();
    const at = arena.values('f64', points.flat(), 2);
    const out = arena.take(bitmapBytes(n));
    const expected = points.map((point) => greatCircleKm(...centre, ...point) <= radiusKm);
    near += expected.filter(Boolean).length;
    const mismatch = arena.filterMismatch(expected, out, (k) =>
      k.geoRadius(at, 0, n, ...centre, radiusKm, false, out),
    );
    if (mismatch !== null) {
      t.fail(`${radiusKm} km around ${centre}: ${mismatch}`);
      return;
    }
  }
  t.ok(near > 10_000, `${near} points inside`);
});

t.test('geoRadius processes more rows than its scratch memory holds in several steps', async (t) => {
  const prng = new Prng(SEED + 3);
  const arena = new TwinArena(prng, 128);
  const n = 70_001;
  const points = Array.from({ length: n }, () => randomPoint(prng));
  const at = arena.values('f64', points.flat(), 2);
  const valid = points.map(() => prng.chance(0.8));
  const validity = arena.bitmap(valid);
  const out = arena.take(bitmapBytes(n));
  for (const negated of [false, true]) {
    const expected = points.map(
      (point, row) => valid[row] && greatCircleKm(8, 47, ...point) <= 5_000 !== negated,
    );
    t.equal(
      arena.filterMismatch(expected, out, (k) => k.geoRadius(at, validity, n, 8, 47, 5_000, negated, out)),
      null,
    );
  }
});

t.test('greatCircleKm agrees with known distances and is continuous across the antimeridian', async (t) => {
  t.equal(greatCircleKm(180, 12, -180, 12), 0);
  t.equal(greatCircleKm(3, 4, 3, 4), 0);
  const quarter = (Math.PI / 2) * EARTH_RADIUS_KM;
  t.ok(Math.abs(greatCircleKm(0, 0, 90, 0) - quarter) < 1e-9);
  t.ok(Math.abs(greatCircleKm(0, 0, 180, 0) - 2 * quarter) < 1e-6);
  t.ok(Math.abs(greatCircleKm(-33, 0, 120, 90) - quarter) < 1e-9);
  // One degree of arc along the equator and along a meridian.
  t.ok(Math.abs(greatCircleKm(10, 0, 11, 0) - quarter / 90) < 1e-9);
  t.ok(Math.abs(greatCircleKm(10, 50, 10, 51) - quarter / 90) < 1e-9);
});

/** The point `distanceKm` from `centre` in a random direction. */
function pointAt([longitude, latitude]: Point, distanceKm: number, prng: Prng): Point {
  const radians = Math.PI / 180;
  const arc = distanceKm / EARTH_RADIUS_KM;
  const bearing = prng.unit() * 2 * Math.PI;
  const sinLatitude = Math.sin(latitude * radians);
  const cosLatitude = Math.cos(latitude * radians);
  const there = Math.asin(
    Math.max(-1, Math.min(1, sinLatitude * Math.cos(arc) + cosLatitude * Math.sin(arc) * Math.cos(bearing))),
  );
  const turned = Math.atan2(
    Math.sin(bearing) * Math.sin(arc) * cosLatitude,
    Math.cos(arc) - sinLatitude * Math.sin(there),
  );
  const turnedDegrees = (((longitude + turned / radians + 540) % 360) + 360) % 360;
  return [turnedDegrees - 180, there / radians];
}
