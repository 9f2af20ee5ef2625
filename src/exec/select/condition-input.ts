/** Whether entities satisfy a condition, in three-valued logic: unknown where neither it nor its negation holds. */
import type { Condition } from '../../ir/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import type { BooleanVector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { RowPlaces } from './row-places.js';
import { SegmentRows } from './segment-rows.js';
import { bitsOf } from './stored-values.js';

export class ConditionInput {
  readonly #shard: DimensionShard;
  readonly #holds: SegmentRows;
  readonly #fails: SegmentRows;
  /** The segment that both looked at last. */
  #segment = -1;
  readonly #counts = { holds: 0, fails: 0 };

  /** `release` must be called at the end. Throws 9005, 9006. */
  constructor(shard: DimensionShard, condition: Condition, scratch: Arena, run: QueryRun) {
    this.#shard = shard;
    this.#holds = new SegmentRows(shard, condition, scratch, run);
    this.#fails = new SegmentRows(shard, { op: 'not', member: condition }, scratch, run);
  }

  /** Throws 9005, 9006. */
  read(segment: number, places: RowPlaces): BooleanVector {
    if (segment !== this.#segment) {
      this.#segment = segment;
      this.#counts.holds = this.#holds.select(segment);
      this.#counts.fails = this.#fails.select(segment);
    }
    const { count } = places;
    const { rowCount } = this.#shard.segments[segment];
    const bits = sideOf(this.#counts.holds, rowCount, this.#holds.bitmap, places);
    const valid = sideOf(this.#counts.fails, rowCount, this.#fails.bitmap, places);
    let known = 0;
    for (let at = 0; at < count; at++) {
      valid[at] |= bits[at];
      known += valid[at];
    }
    return { kind: 'boolean', count, valid: known === count ? null : valid, bits };
  }

  /** See SegmentRows. */
  settle(from: number): void {
    this.#holds.settle(from);
    this.#fails.settle(from);
    this.#segment = -1;
  }

  release(): void {
    this.#holds.release();
    this.#fails.release();
  }
}

function sideOf(selected: number, rowCount: number, bitmap: Uint8Array, places: RowPlaces): Uint8Array {
  const bits = new Uint8Array(places.count);
  if (selected === 0) return bits;
  return selected === rowCount ? bits.fill(1) : bitsOf(bitmap, 0, places, bits);
}
