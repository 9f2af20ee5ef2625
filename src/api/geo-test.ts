/**
 * geo_radius and geo_bounding_box as value tests, and what geo_near asks for. Degrees; distances along great circles of a sphere of
 * 6371.0088 km. On event columns `between` may stand inside the predicate's object.
 */
import { QuarryError, quoted } from '../base/index.js';
import type { GeoTest } from '../ir/index.js';
import type { Point } from '../schema/index.js';
import { objectAt, readLimit, refuseUnknown } from './fields.js';
import type { Json, JsonObject } from './json.js';
import { KNOWN_FIELDS } from './known-fields.js';
import { finiteNumber } from './operand.js';

const EARTH_RADIUS_KM = 6371.0088;
const KM_PER_UNIT: Readonly<Record<string, number>> = {
  km: 1,
  m: 0.001,
  mi: 1.609344,
  deg: (Math.PI / 180) * EARTH_RADIUS_KM,
};

export interface GeoPredicate {
  readonly test: GeoTest;
  /** The `between` that stood inside the predicate's object. */
  readonly between: Json | undefined;
}

function degrees(object: JsonObject, key: string, limit: number, place: string): number {
  const given = object.get(key);
  if (given === undefined) throw new QuarryError(4010, `${place} lacks ${quoted(key)}`);
  const value = finiteNumber(given);
  if (value !== null && Math.abs(value) <= limit) return value;
  throw new QuarryError(4049, `${place}.${key} must be a number from -${limit} to ${limit}`);
}

function point(json: Json | undefined, place: string): Point {
  const object = objectAt(json, 4049, place);
  refuseUnknown(object, KNOWN_FIELDS.point, 4049, place);
  return {
    longitude: degrees(object, 'longitude', 180, place),
    latitude: degrees(object, 'latitude', 90, place),
  };
}

export function readRadius(json: Json, place: string): GeoPredicate {
  const object = objectAt(json, 4049, place);
  refuseUnknown(object, KNOWN_FIELDS.geoRadius, 4049, place);
  const longitude = degrees(object, 'longitude', 180, place);
  const latitude = degrees(object, 'latitude', 90, place);
  for (const key of ['radius', 'unit']) {
    if (!object.has(key)) throw new QuarryError(4010, `${place} lacks ${quoted(key)}`);
  }
  const radius = finiteNumber(object.get('radius') as Json);
  if (radius === null || radius < 0) throw new QuarryError(4049, `${place}.radius must be a number from 0`);
  const unit = object.get('unit');
  if (typeof unit !== 'string' || !Object.hasOwn(KM_PER_UNIT, unit)) {
    throw new QuarryError(4049, `${place}.unit must be one of ${Object.keys(KM_PER_UNIT).join(', ')}`);
  }
  const radiusKm = radius * KM_PER_UNIT[unit];
  const test: GeoTest = { kind: 'geo-radius', longitude, latitude, radiusKm, negated: false };
  return { test, between: object.get('between') };
}

export function readBox(json: Json, place: string): GeoPredicate {
  const object = objectAt(json, 4049, place);
  refuseUnknown(object, KNOWN_FIELDS.geoBoundingBox, 4049, place);
  for (const key of ['lower-left', 'upper-right']) {
    if (!object.has(key)) throw new QuarryError(4010, `${place} lacks ${quoted(key)}`);
  }
  const low = point(object.get('lower-left'), `${place}.lower-left`);
  const high = point(object.get('upper-right'), `${place}.upper-right`);
  if (low.latitude > high.latitude)
    throw new QuarryError(4049, `${place} has its lower-left above its upper-right`);
  const test: GeoTest = {
    kind: 'geo-box',
    west: low.longitude,
    south: low.latitude,
    east: high.longitude,
    north: high.latitude,
    negated: false,
  };
  return { test, between: object.get('between') };
}

export interface NearArgument extends Point {
  readonly limit: number;
  readonly showCoordinates: boolean;
  /** The `between` that stood inside the predicate's object. */
  readonly between: Json | undefined;
}

/** Throws 4010, 4028 and 4049. `limitMax` null = any limit. */
export function readNear(json: Json | undefined, place: string, limitMax: number | null): NearArgument {
  const object = objectAt(json, 4049, place);
  refuseUnknown(object, KNOWN_FIELDS.geoNear, 4049, place);
  const longitude = degrees(object, 'longitude', 180, place);
  const latitude = degrees(object, 'latitude', 90, place);
  const given = object.get('limit');
  if (given === undefined) throw new QuarryError(4010, `${place} lacks "limit"`);
  const limit = readLimit(given, `${place}.limit`);
  if (limitMax !== null && limit > limitMax) {
    throw new QuarryError(4049, `${place}.limit must be at most ${limitMax}`);
  }
  const showCoordinates = object.get('show_coordinates') ?? false;
  if (typeof showCoordinates !== 'boolean') {
    throw new QuarryError(4049, `${place}.show_coordinates must be true or false`);
  }
  return { longitude, latitude, limit, showCoordinates, between: object.get('between') };
}
