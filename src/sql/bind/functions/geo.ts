/** Functions of points. A point is a value of a geolocation column, or GEO_POINT(longitude, latitude). Distances are in metres. */
import { BOOLEAN, FLOAT, type ScalarFunction, TEXT } from '../../../ir/index.js';
import type { SqlType } from '../../../vector/index.js';
import { callOf, castOf, JSON_TYPE } from '../expressions/build.js';
import type { SqlFunction } from './function.js';

const calling =
  (name: ScalarFunction, type: SqlType): SqlFunction['make'] =>
  (args) =>
    callOf(name, type, args);

export const GEO_FUNCTIONS: readonly SqlFunction[] = [
  {
    names: ['geo_point', 'st_point', 'st_makepoint'],
    parameters: ['float', 'float'],
    make: (args) => castOf(callOf('geo-point', TEXT, args), JSON_TYPE),
  },
  { names: ['longitude', 'st_x'], parameters: ['point'], make: calling('longitude', FLOAT) },
  { names: ['latitude', 'st_y'], parameters: ['point'], make: calling('latitude', FLOAT) },
  {
    names: ['geo_distance', 'st_distance_sphere', 'st_distancesphere'],
    parameters: ['point', 'point'],
    make: calling('geo-distance', FLOAT),
  },
  {
    names: ['geo_within_radius'],
    parameters: ['point', 'point', 'float'],
    make: calling('geo-within-radius', BOOLEAN),
  },
  {
    names: ['geo_within_box'],
    parameters: ['point', 'point', 'point'],
    make: calling('geo-within-box', BOOLEAN),
  },
  {
    names: ['geo_within_polygon'],
    parameters: ['point', 'text'],
    make: calling('geo-within-polygon', BOOLEAN),
  },
];
