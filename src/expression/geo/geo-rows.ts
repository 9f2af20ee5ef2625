/**
 * Functions of points, which are texts [longitude,latitude] in degrees. Distances are those of the condition geo_radius: great circles
 * on a sphere. The edges of polygons are straight between degrees of longitude and latitude.
 */
import { rememberLast } from '../../base/index.js';
import type { ScalarFunction } from '../../ir/index.js';
import { greatCircleKm } from '../../kernels/index.js';
import { textOfPoint } from '../../schema/index.js';
import { expressionError, quoted } from '../error.js';
import type { RowFunction } from '../functions/row-function.js';

const POINT = /^\[(-?[\d.]+(?:[eE][+-]?\d+)?),(-?[\d.]+(?:[eE][+-]?\d+)?)\]$/;
const METRES_PER_KM = 1_000;
const CORNERS_MAX = 1_000;

type Position = readonly [longitude: number, latitude: number];

/** Throws 6000 for another text, such as a list of several points. */
function positionOf(text: string): Position {
  const match = POINT.exec(text.replaceAll(' ', ''));
  if (match !== null) return checked(Number(match[1]), Number(match[2]));
  throw expressionError(`${quoted(text)} is not a point [longitude,latitude]`);
}

function checked(longitude: number, latitude: number): Position {
  if (Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90) return [longitude, latitude];
  throw expressionError(
    `there is no point at longitude ${longitude} and latitude ${latitude}; they are from -180 to 180 and from -90 to 90`,
  );
}

const kilometres = (a: Position, b: Position): number => greatCircleKm(a[0], a[1], b[0], b[1]);

function makeDistance(): (a: string, b: string) => number {
  const second = rememberLast(positionOf);
  return (a, b) => kilometres(positionOf(a), second(b)) * METRES_PER_KM;
}

function makeWithinRadius(): (point: string, center: string, metres: number) => boolean {
  const centerOf = rememberLast(positionOf);
  return (point, center, metres) => kilometres(positionOf(point), centerOf(center)) <= metres / METRES_PER_KM;
}

/** The edges belong to the box. A box whose west is greater than its east crosses the antimeridian. */
function makeWithinBox(): (point: string, southWest: string, northEast: string) => boolean {
  const [lower, upper] = [rememberLast(positionOf), rememberLast(positionOf)];
  return (point, southWest, northEast) => {
    const [longitude, latitude] = positionOf(point);
    const [[west, south], [east, north]] = [lower(southWest), upper(northEast)];
    if (latitude < south || latitude > north) return false;
    if (west > east) return longitude >= west || longitude <= east;
    return longitude >= west && longitude <= east;
  };
}

/** [[longitude,latitude],...]; the last corner may repeat the first. Throws 6000. */
function cornersOf(text: string): readonly Position[] {
  const refused = (why: string): Error =>
    expressionError(
      `${quoted(text)} ${why}; a polygon is [[longitude,latitude],...] with at least 3 corners`,
    );
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw refused('is not JSON');
  }
  if (!Array.isArray(read)) throw refused('is not a list');
  if (read.length > CORNERS_MAX) throw refused(`has more than ${CORNERS_MAX} corners`);
  const corners = read.map((corner) => {
    const isPoint =
      Array.isArray(corner) && corner.length === 2 && corner.every((one) => typeof one === 'number');
    if (!isPoint) throw refused('has a corner that is not a point');
    return checked(corner[0], corner[1]);
  });
  if (corners.length < 3) throw refused('has fewer than 3 corners');
  const longitudes = corners.map(([longitude]) => longitude);
  if (Math.max(...longitudes) - Math.min(...longitudes) > 180) {
    throw refused('spans more than 180 degrees of longitude');
  }
  return corners;
}

/** Whether a ray to the east crosses the edges an odd number of times; points on an edge may be on either side. */
function makeWithinPolygon(): (point: string, polygon: string) => boolean {
  const corners = rememberLast(cornersOf);
  return (point, polygon) => {
    const [longitude, latitude] = positionOf(point);
    let isInside = false;
    let [beforeLongitude, beforeLatitude] = corners(polygon).at(-1) as Position;
    for (const [toLongitude, toLatitude] of corners(polygon)) {
      const crosses = beforeLatitude > latitude !== toLatitude > latitude;
      if (crosses) {
        const share = (latitude - beforeLatitude) / (toLatitude - beforeLatitude);
        if (longitude < beforeLongitude + share * (toLongitude - beforeLongitude)) isInside = !isInside;
      }
      [beforeLongitude, beforeLatitude] = [toLongitude, toLatitude];
    }
    return isInside;
  };
}

const STRICT = { strict: true, variadic: false } as const;

export const GEO_ROW_FUNCTIONS: Partial<Readonly<Record<ScalarFunction, RowFunction>>> = {
  'geo-point': {
    ...STRICT,
    result: 'text',
    make: () => (x: number, y: number) => {
      const [longitude, latitude] = checked(x, y);
      return textOfPoint({ longitude, latitude });
    },
  },
  longitude: { ...STRICT, result: 'float', make: () => (point: string) => positionOf(point)[0] + 0 },
  latitude: { ...STRICT, result: 'float', make: () => (point: string) => positionOf(point)[1] + 0 },
  'geo-distance': { ...STRICT, result: 'float', make: makeDistance },
  'geo-within-radius': { ...STRICT, result: 'boolean', make: makeWithinRadius },
  'geo-within-box': { ...STRICT, result: 'boolean', make: makeWithinBox },
  'geo-within-polygon': { ...STRICT, result: 'boolean', make: makeWithinPolygon },
};
