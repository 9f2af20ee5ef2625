/** The nearest point of an entity to a center, among the values of a column that pass tests. */
import { SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { NearPlan } from '../../ir/index.js';
import { greatCircleKm } from '../../kernels/index.js';
import type { Point } from '../../schema/index.js';
import type { DimensionShard, ListColumn } from '../../storage/index.js';
import type { FloatVector } from '../../vector/index.js';
import { PreparedTest } from '../condition/value-test.js';
import type { QueryRun } from '../query-run.js';
import type { RowSet } from '../scan/row-set.js';

export interface NearestPoint extends Point {
  readonly distanceKm: number;
}

export type NearAttribute = Extract<NearPlan, { readonly from: 'attribute' }>;

/** The nearest point of a row of the shard, if it has one. */
export type NearestOf = (row: number) => NearestPoint | undefined;

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

/** The nearest point of a latest value or of a list. */
export class NearestValues {
  readonly #shard: DimensionShard;
  readonly #near: NearAttribute;
  readonly #tests: readonly PreparedTest[];

  constructor(shard: DimensionShard, near: NearAttribute, run: QueryRun) {
    this.#shard = shard;
    this.#near = near;
    this.#tests = near.tests.map((test) => new PreparedTest(test, undefined, run));
  }

  /** The distances of latest values that all pass without tests; null = they must be read one by one. */
  distances(segmentIndex: number, { list, from, count }: RowSet): FloatVector | null {
    const column = this.#shard.segments[segmentIndex].latest(this.#near.columnId);
    if (column === undefined || this.#tests.length > 0) return null;
    const { longitude, latitude } = this.#near;
    const { f64 } = column.arena;
    const first = column.valuesAt >> 3;
    const numbers = new Float64Array(count);
    const valid = new Uint8Array(count);
    for (let at = 0; at < count; at++) {
      const row = list === null ? from + at : list[at];
      if (!column.has(row)) continue;
      valid[at] = 1;
      numbers[at] = greatCircleKm(longitude, latitude, f64[first + row * 2], f64[first + row * 2 + 1]);
    }
    return { kind: 'float', count, valid, numbers };
  }

  of(row: number): NearestPoint | undefined {
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
