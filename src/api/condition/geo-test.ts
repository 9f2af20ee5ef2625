/**
 * geo_radius and geo_bounding_box as value tests, and the argument of geo_near. Degrees; distances along great circles of a
 * sphere of 6371.0088 km. On event columns `between` may be inside the predicate's object.
 */
import { QuarryError } from '../../base/index.js';
import {
  type DISTANCE_UNITS,
  type Fields,
  geoBoundingBox,
  geoNear,
  geoPoint,
  geoRadius,
} from '../../interface/index.js';
import type { GeoTest } from '../../ir/index.js';
import type { Point } from '../../schema/index.js';
import type { Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import { finiteNumber } from './operand.js';

const EARTH_RADIUS_KM = 6371.0088;
const KM_PER_UNIT: Readonly<Record<(typeof DISTANCE_UNITS)[number], number>> = {
  km: 1,
  m: 0.001,
  mi: 1.609344,
  deg: (Math.PI / 180) * EARTH_RADIUS_KM,
};

export interface GeoPredicate {
  readonly test: GeoTest;
  /** The `between` inside the predicate's object. */
  readonly between: Json | undefined;
}

/** The number in the field, from `least` to `most`. */
function numberIn<F extends Fields>(
  body: RequestBody<F>,
  field: keyof F & string,
  least: number,
  most: number,
): number {
  const value = finiteNumber(body.get(field) as Json);
  if (value !== null && value >= least && value <= most) return value;
  throw body.error(
    field,
    most === Number.MAX_VALUE
      ? `must be a number from ${least}`
      : `must be a number from ${least} to ${most}`,
  );
}

type PointBody = RequestBody<typeof geoPoint.properties>;
const pointOf = (body: PointBody): Point => ({
  longitude: numberIn(body, 'longitude', -180, 180),
  latitude: numberIn(body, 'latitude', -90, 90),
});

function point(json: Json, path: string): Point {
  const body = RequestBody.of(geoPoint, json, path, 'path');
  body.refuseUnknown();
  return pointOf(body);
}

/** Throws 4010 and 4049. */
export function readRadius(json: Json, path: string): GeoPredicate {
  const body = RequestBody.of(geoRadius, json, path, 'path');
  body.refuseUnknown();
  const { longitude, latitude } = pointOf(body);
  body.require('radius', 'unit');
  const radius = numberIn(body, 'radius', 0, Number.MAX_VALUE);
  const radiusKm = radius * KM_PER_UNIT[body.get('unit')];
  const test: GeoTest = { kind: 'geo-radius', longitude, latitude, radiusKm, negated: false };
  return { test, between: body.get('between') };
}

/** Throws 4010 and 4049. */
export function readBox(json: Json, path: string): GeoPredicate {
  const body = RequestBody.of(geoBoundingBox, json, path, 'path');
  body.refuseUnknown();
  body.require('lower-left', 'upper-right');
  const low = point(body.get('lower-left'), `${path}.lower-left`);
  const high = point(body.get('upper-right'), `${path}.upper-right`);
  if (low.latitude > high.latitude)
    throw new QuarryError(4049, `${path} has its lower-left above its upper-right`);
  const test: GeoTest = {
    kind: 'geo-box',
    west: low.longitude,
    south: low.latitude,
    east: high.longitude,
    north: high.latitude,
    negated: false,
  };
  return { test, between: body.get('between') };
}

export interface NearArgument extends Point {
  readonly limit: number;
  readonly showCoordinates: boolean;
  /** The `between` inside the predicate's object. */
  readonly between: Json | undefined;
}

/** Throws 4010, 4028 and 4049. `limitMax` null = any limit. */
export function readNear(json: Json | undefined, path: string, limitMax: number | null): NearArgument {
  const body = RequestBody.of(geoNear, json, path, 'path');
  body.refuseUnknown();
  const { longitude, latitude } = pointOf(body);
  const limit = body.get('limit');
  if (limitMax !== null && limit > limitMax) {
    throw new QuarryError(4049, `${path}.limit must be at most ${limitMax}`);
  }
  const showCoordinates = body.get('show_coordinates') ?? false;
  return { longitude, latitude, limit, showCoordinates, between: body.get('between') };
}
