/** Tests whether points lie in circles or boxes on the sphere. */
import type { GeoTest } from '../../ir/index.js';
import { greatCircleKm } from '../../kernels/index.js';
import { type ColumnRun, presentRows } from './run.js';

/** Whether the point lies in the area, before negation. */
export function areaHolds(area: GeoTest, longitude: number, latitude: number): boolean {
  if (area.kind === 'geo-radius') {
    return greatCircleKm(longitude, latitude, area.longitude, area.latitude) <= area.radiusKm;
  }
  if (latitude < area.south || latitude > area.north) return false;
  const [pastWest, beforeEast] = [longitude >= area.west, longitude <= area.east];
  return area.west > area.east ? pastWest || beforeEast : pastWest && beforeEast;
}

export function selectArea(
  { arena, valuesAt, validityAt, rowCount }: ColumnRun,
  area: GeoTest,
  out: number,
): number {
  const { kernels } = arena;
  if (area.kind === 'geo-box') {
    const { west, south, east, north, negated } = area;
    return kernels.geoBox(valuesAt, validityAt, rowCount, west, south, east, north, negated, out);
  }
  const { longitude, latitude, radiusKm, negated } = area;
  return kernels.geoRadius(valuesAt, validityAt, rowCount, longitude, latitude, radiusKm, negated, out);
}

/** Selects rows whose point lies in any of the areas, none of which may be negated. */
export function selectAreas(
  run: ColumnRun,
  areas: readonly GeoTest[],
  negated: boolean,
  out: number,
  spare: number,
): number {
  const { kernels } = run.arena;
  let count = selectArea(run, areas[0], out);
  for (const area of areas.slice(1)) {
    selectArea(run, area, spare);
    count = kernels.or(out, spare, run.rowCount, out);
  }
  if (!negated) return count;
  presentRows(run, spare);
  return kernels.andNot(spare, out, run.rowCount, out);
}
