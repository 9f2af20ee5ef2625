/** Conditions on the distance of points from a constant point, which the kernels of geo_radius evaluate. */
import { FLIPPED, type ValueTest } from '../../../ir/index.js';
import { baseTypeOf } from '../../../schema/index.js';
import type { ComparisonOperator, SqlNode } from '../../tree.js';
import type { ColumnRef } from '../clauses/sources.js';
import type { NodeOf } from '../scope.js';
import { type Leaf, type LeafScope, leafOf, type TestLeaf } from './leaf.js';
import { operandOf } from './operand.js';

const METRES_PER_KM = 1_000;
const POINTS: ReadonlySet<string> = new Set(['geo_point', 'st_point', 'st_makepoint']);
const DISTANCES: ReadonlySet<string> = new Set(['geo_distance', 'st_distance_sphere', 'st_distancesphere']);

/** A leaf of WHERE, as `leafOf` returns it, also for distances. */
export function leafOrDistance(node: SqlNode, scope: LeafScope): Leaf | null {
  if (node.is === 'call') return withinRadiusLeaf(node, scope);
  return (node.is === 'compare' ? distanceLeaf(node, scope) : null) ?? leafOf(node, scope);
}

/** GEO_WITHIN_RADIUS(column, GEO_POINT(...), metres) with constants; null for another call. */
function withinRadiusLeaf(node: NodeOf<'call'>, scope: LeafScope): TestLeaf | null {
  if (node.name !== 'geo_within_radius' || node.args.length !== 3 || node.distinct) return null;
  const [point, center, radius] = node.args;
  const metres = numberAt(radius, scope);
  return metres === null ? null : radiusLeaf(point, center, metres / METRES_PER_KM, scope);
}

/** A comparison of GEO_DISTANCE(column, GEO_POINT(...)) with a constant; null for another comparison. */
function distanceLeaf(node: NodeOf<'compare'>, scope: LeafScope): TestLeaf | null {
  const isLeft = isDistance(node.left);
  const call = isLeft ? node.left : node.right;
  if (!isDistance(call)) return null;
  const comparison = isLeft ? node.comparison : FLIPPED[node.comparison];
  const metres = numberAt(isLeft ? node.right : node.left, scope);
  if (metres === null || metres <= 0 || comparison === '=' || comparison === '<>') return null;
  const [point, center] = call.args;
  const leaf = radiusLeaf(point, center, kilometresBelow(metres, comparison), scope);
  return leaf === null ? null : { ...leaf, negated: comparison.startsWith('>') };
}

const isDistance = (node: SqlNode): node is NodeOf<'call'> =>
  node.is === 'call' && DISTANCES.has(node.name) && node.args.length === 2 && !node.distinct;

function radiusLeaf(point: SqlNode, center: SqlNode, radiusKm: number, scope: LeafScope): TestLeaf | null {
  const ref = pointColumnAt(point, scope);
  if (ref === null || center.is !== 'call' || !POINTS.has(center.name) || center.args.length !== 2)
    return null;
  const [longitude, latitude] = center.args.map((degrees) => numberAt(degrees, scope));
  if (longitude === null || latitude === null || !(radiusKm >= 0)) return null;
  // The expression refuses a point that does not exist.
  if (Math.abs(longitude) > 180 || Math.abs(latitude) > 90) return null;
  const test: ValueTest = { kind: 'geo-radius', longitude, latitude, radiusKm, negated: false };
  return { is: 'test', ref, test, negated: false, unknown: false };
}

function pointColumnAt(node: SqlNode, { sources, table }: LeafScope): ColumnRef | null {
  if (node.is !== 'column') return null;
  const ref = sources.lookUp(node);
  if (ref === null || ref.is === 'score' || ref.part !== 'attribute' || ref.source.index !== table)
    return null;
  const { type, storage } = ref.column;
  return baseTypeOf(type) === 'geolocation' && storage === 'latest-value' ? ref : null;
}

function numberAt(node: SqlNode, { sources, nowMs }: LeafScope): number | null {
  const operand = operandOf(node, sources, nowMs);
  return operand?.is === 'number' ? Number(operand.text) : null;
}

/**
 * The greatest number of kilometres whose product with 1,000 is at most `metres` (below it for < and >=), so that both
 * forms of a comparison agree to the last bit.
 */
function kilometresBelow(metres: number, comparison: ComparisonOperator): number {
  const isStrict = comparison === '<' || comparison === '>=';
  const isBelow = (kilometres: number): boolean =>
    isStrict ? kilometres * METRES_PER_KM < metres : kilometres * METRES_PER_KM <= metres;
  let kilometres = metres / METRES_PER_KM;
  while (isBelow(neighbour(kilometres, 1n))) kilometres = neighbour(kilometres, 1n);
  while (!isBelow(kilometres)) kilometres = neighbour(kilometres, -1n);
  return kilometres;
}

/** The next greater (1) or smaller (-1) float of a positive one. */
function neighbour(value: number, step: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigUint64(0, view.getBigUint64(0) + step);
  return view.getFloat64(0);
}
