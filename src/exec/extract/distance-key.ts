/** A sort key by the distance of a row's point, or of the nearest point of its list, from a center. */
import { SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { NearPlan, RowPosition } from '../../ir/index.js';
import { greatCircleKm } from '../../kernels/index.js';
import type { Point } from '../../schema/index.js';
import type { DimensionShard, ListColumn } from '../../storage/index.js';
import { PreparedTest } from '../condition/value-test.js';
import type { QueryRun } from '../query-run.js';
import { GeoRing } from './geo-ring.js';
import { exactBound, type KeyBound, MISSING_ZONE, NO_ZONE, type RowSortKey } from './sort-key.js';

export interface NearestPoint extends Point {
  readonly distanceKm: number;
}

export type NearAttribute = Extract<NearPlan, { readonly from: 'attribute' }>;

export const distanceFrom = (center: Point, longitude: number, latitude: number): number =>
  greatCircleKm(center.longitude, center.latitude, longitude, latitude);

/**
 * Whether `a` is nearer than `b`; of equally near points the one further west, then further south, counts as nearer.
 */
export function isNearer(a: NearestPoint, b: NearestPoint | undefined): boolean {
  if (b === undefined) return true;
  if (a.distanceKm !== b.distanceKm) return a.distanceKm < b.distanceKm;
  return a.longitude === b.longitude ? a.latitude < b.latitude : a.longitude < b.longitude;
}

/** Rows without a matching point have distance Infinity; callers exclude them. */
export class DistanceKey implements RowSortKey {
  readonly #shard: DimensionShard;
  readonly #near: NearAttribute;
  readonly #tests: readonly PreparedTest[];
  readonly #ring: GeoRing;

  constructor(shard: DimensionShard, near: NearAttribute, run: QueryRun) {
    this.#shard = shard;
    this.#near = near;
    this.#ring = new GeoRing(near);
    this.#tests = near.tests.map((test) => new PreparedTest(test, undefined, run));
  }

  zone(segmentIndex: number): typeof NO_ZONE | typeof MISSING_ZONE {
    const segment = this.#shard.segments[segmentIndex];
    const { columnId } = this.#near;
    return (segment.latest(columnId) ?? segment.list(columnId)) ? NO_ZONE : MISSING_ZONE;
  }

  narrow(segmentIndex: number, low: number, high: number, words: Uint32Array): void {
    const segment = this.#shard.segments[segmentIndex];
    const column = segment.latest(this.#near.columnId);
    if (column === undefined) return;
    this.#ring.narrow(low, high, column.arena, column.valuesAt, segment.rowCount, words);
  }

  /** A condition for rows that have a point which passes the tests. */
  fill(segmentIndex: number, segmentRows: Uint32Array, count: number, numbers: Float64Array): void {
    const column = this.#shard.segments[segmentIndex].latest(this.#near.columnId);
    if (column === undefined) {
      const base = segmentIndex << SEGMENT_ROWS_SHIFT;
      for (let at = 0; at < count; at++) numbers[at] = this.number((base + segmentRows[at]) >>> 0);
      return;
    }
    const { longitude, latitude } = this.#near;
    const { f64 } = column.arena;
    const first = column.valuesAt >> 3;
    for (let at = 0; at < count; at++) {
      const point = first + segmentRows[at] * 2;
      numbers[at] = greatCircleKm(longitude, latitude, f64[point], f64[point + 1]);
    }
  }

  number(row: number): number {
    return this.nearest(row)?.distanceKm ?? Number.POSITIVE_INFINITY;
  }

  compareTied(): number {
    return 0;
  }

  bound({ distanceKm }: RowPosition): KeyBound {
    return exactBound(distanceKm);
  }

  /** The nearest point of the row that passes the tests. */
  nearest(row: number): NearestPoint | undefined {
    const segment = this.#shard.segments[row >>> SEGMENT_ROWS_SHIFT];
    const segmentRow = row & SEGMENT_ROWS_MASK;
    const column = segment.latest(this.#near.columnId);
    if (column !== undefined) {
      const at = (column.valuesAt >> 3) + segmentRow * 2;
      return column.has(segmentRow)
        ? this.#tested(column.arena.f64[at], column.arena.f64[at + 1])
        : undefined;
    }
    const list = segment.list(this.#near.columnId);
    return list === undefined ? undefined : this.#nearestItem(list, segmentRow);
  }

  /** As in conditions, no item of the list may match a negated test. */
  #nearestItem({ items, starts, counts }: ListColumn, segmentRow: number): NearestPoint | undefined {
    let nearest: NearestPoint | undefined;
    for (let item = starts[segmentRow]; item < starts[segmentRow] + counts[segmentRow]; item++) {
      const [longitude, latitude] = [items[item * 2], items[item * 2 + 1]];
      if (this.#tests.some((test) => test.negated && test.holdsFor('geo', longitude, latitude)))
        return undefined;
      const point = this.#tested(longitude, latitude);
      if (point !== undefined && isNearer(point, nearest)) nearest = point;
    }
    return nearest;
  }

  #tested(longitude: number, latitude: number): NearestPoint | undefined {
    for (const test of this.#tests) {
      if (test.holdsFor('geo', longitude, latitude) === test.negated) return undefined;
    }
    return { longitude, latitude, distanceKm: distanceFrom(this.#near, longitude, latitude) };
  }
}
