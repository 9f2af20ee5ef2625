/**
 * Evaluates a condition over entities in three-valued logic: the result is unknown if neither the condition nor its
 * negation is true.
 */
import type { Condition } from '../../ir/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import type { BooleanVector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { RowSet } from './row-set.js';
import { SegmentRows } from './segment-rows.js';
import { bitsOf } from './stored-values.js';

export class ConditionInput {
  readonly #shard: DimensionShard;
  readonly #holds: SegmentRows;
  readonly #fails: SegmentRows;
  /** The segment that both selections evaluated last. */
  #segment = -1;
  readonly #counts = { holds: 0, fails: 0 };

  /** `release` must be called at the end. Throws 9005, 9006. */
  constructor(shard: DimensionShard, condition: Condition, scratch: Arena, run: QueryRun) {
    this.#shard = shard;
    this.#holds = new SegmentRows(shard, condition, scratch, run);
    this.#fails = new SegmentRows(shard, { op: 'not', member: condition }, scratch, run);
  }

  /** Throws 9005, 9006. */
  read(segment: number, rowSet: RowSet): BooleanVector {
    if (segment !== this.#segment) {
      this.#segment = segment;
      this.#counts.holds = this.#holds.select(segment);
      this.#counts.fails = this.#fails.select(segment);
    }
    const { count } = rowSet;
    const { rowCount } = this.#shard.segments[segment];
    const bits = sideOf(this.#counts.holds, rowCount, this.#holds.bitmap, rowSet);
    const valid = sideOf(this.#counts.fails, rowCount, this.#fails.bitmap, rowSet);
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

function sideOf(selected: number, rowCount: number, bitmap: Uint8Array, rowSet: RowSet): Uint8Array {
  const bits = new Uint8Array(rowSet.count);
  if (selected === 0) return bits;
  return selected === rowCount ? bits.fill(1) : bitsOf(bitmap, 0, rowSet, bits);
}
