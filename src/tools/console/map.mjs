/**
 * Builds the outlines of the console's map from vega-datasets (countries of Natural Earth, states of the US Census): land,
 * borders of countries, borders between US states. Coordinates are rounded to the resolution of a screen.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { feature, mesh } from 'topojson-client';

const maps = path.join(path.dirname(createRequire(import.meta.url).resolve('vega-datasets')), '../data');
const read = (name) => JSON.parse(fs.readFileSync(path.join(maps, name), 'utf8'));

const DECIMALS = 100;
/** Minimum distance of two points of a state's border, in degrees. */
const STEP_DEGREES = 0.04;

const rounded = (lines) =>
  lines.map((line) => line.map((point) => point.map((degrees) => Math.round(degrees * DECIMALS) / DECIMALS)));

/** Keeps both ends and drops points that are too close to the previous one. */
function thinned(line) {
  const retained = [line[0]];
  for (const point of line.slice(1, -1)) {
    const [x, y] = retained[retained.length - 1];
    if (Math.hypot(point[0] - x, point[1] - y) >= STEP_DEGREES) retained.push(point);
  }
  return [...retained, line[line.length - 1]];
}

const isBetween = (one, other) => one !== other;

export function mapOutlines() {
  const world = read('world-110m.json');
  const us = read('us-10m.json');
  const land = feature(world, world.objects.land);
  const polygons = (land.features ?? [land]).flatMap(({ geometry }) =>
    geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates,
  );
  const borders = mesh(world, world.objects.countries, isBetween).coordinates;
  const states = mesh(us, us.objects.states, isBetween).coordinates;
  return {
    land: { type: 'MultiPolygon', coordinates: polygons.map(rounded) },
    borders: { type: 'MultiLineString', coordinates: rounded(borders) },
    states: { type: 'MultiLineString', coordinates: rounded(states.map(thinned)) },
  };
}
