/** Points, circles and boxes on a sphere of 6371.0088 km; angles in degrees. */
import type { JsonObject } from '../../../src/api/index.js';
import type { Point } from './facts.js';
import { asCount, asObject } from './json.js';

const EARTH_KM = 6371.0088;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

export function pointOf(object: JsonObject): Point {
  return { longitude: asCount(object.get('longitude')), latitude: asCount(object.get('latitude')) };
}

/** The angle between two points seen from the centre, in radians: the haversine formula. */
function arcOf(one: Point, other: Point): number {
  const [a, b] = [radians(one.latitude), radians(other.latitude)];
  const across = Math.sin((b - a) / 2) ** 2;
  const along = Math.cos(a) * Math.cos(b) * Math.sin(radians(other.longitude - one.longitude) / 2) ** 2;
  return 2 * Math.asin(Math.min(1, Math.sqrt(across + along)));
}

export const distanceKm = (one: Point, other: Point): number => arcOf(one, other) * EARTH_KM;

export function withinRadius(point: Point, circle: JsonObject): boolean {
  const arc = arcOf(point, pointOf(circle));
  const radius = asCount(circle.get('radius'));
  switch (circle.get('unit')) {
    case 'deg':
      return arc <= radians(radius);
    case 'm':
      return arc * EARTH_KM * 1000 <= radius;
    case 'mi':
      return arc * EARTH_KM <= radius * 1.609344;
    default:
      return arc * EARTH_KM <= radius;
  }
}

export function withinBox({ longitude, latitude }: Point, box: JsonObject): boolean {
  const [low, high] = [pointOf(asObject(box.get('lower-left'))), pointOf(asObject(box.get('upper-right')))];
  if (latitude < low.latitude || latitude > high.latitude) return false;
  return low.longitude <= high.longitude
    ? longitude >= low.longitude && longitude <= high.longitude
    : longitude >= low.longitude || longitude <= high.longitude;
}
