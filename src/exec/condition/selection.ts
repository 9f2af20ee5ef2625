/**
 * Selects the entities of one dimension's shard for a query: those that satisfy a condition, or all that are not
 * deleted.
 */
import type { Condition } from '../../ir/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import { type Arena, BITMAP_BYTES, type DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { ShardCondition } from './condition.js';
import { keepLiving } from './living-rows.js';
import { newShardBitmap } from './shard-bitmap.js';

export class EntitySelection {
  readonly #shard: DimensionShard;
  readonly #scratch: Arena;
  readonly #run: QueryRun;
  /** null = all. */
  readonly #condition: ShardCondition | null;

  /** `release` must be called at the end. `condition` null = all entities. */
  constructor(shard: DimensionShard, condition: Condition | null, scratch: Arena, run: QueryRun) {
    this.#shard = shard;
    this.#scratch = scratch;
    this.#run = run;
    this.#condition = condition === null ? null : new ShardCondition(shard, condition, scratch, run);
  }

  /** Whether every row of the shard is selected, so that no bitmap is needed. */
  get isWhole(): boolean {
    return this.#condition === null && this.#shard.segments.every(({ deadCount }) => deadCount === 0);
  }

  /** The arena of the bitmap that `select` writes. */
  get arena(): Arena {
    return this.#scratch;
  }
  get bitmapAt(): number {
    return this.#scratch.scratchBitmap(0);
  }

  /**
   * Selects in segment `index`; returns the number of rows. Their bitmap at `bitmapAt` of `arena` is valid until the
   * next call, and undefined if none or all rows of the segment are selected.
   */
  select(index: number): number {
    this.#run.check();
    if (this.#condition !== null) return this.#condition.select(index);
    const segment = this.#shard.segments[index];
    return keepLiving(segment, this.#scratch, segment.rowCount);
  }

  /**
   * The selected rows of the whole shard (shard-bitmap.ts). The bitmap's bytes are reserved in the query's memory.
   * Throws 9005, 9006.
   */
  bitmap(): Uint8Array {
    const bitmap = newShardBitmap(this.#shard, this.#run);
    this.#shard.segments.forEach(({ rowCount }, index) => {
      const count = this.select(index);
      if (count === 0) return;
      if (count === rowCount) this.#scratch.kernels.fill(rowCount, this.bitmapAt);
      const from = this.bitmapAt;
      bitmap.set(this.#scratch.u8.subarray(from, from + bitmapBytes(rowCount)), index * BITMAP_BYTES);
    });
    return bitmap;
  }

  release(): void {
    this.#condition?.release();
  }
}

/** The entities that satisfy a condition, one bit per row, reserved in the run; null = all. Throws 9005, 9006. */
export function selectedEntities(
  dimension: DimensionShard,
  condition: Condition | null,
  scratch: Arena,
  run: QueryRun,
): Uint8Array | null {
  const selection = new EntitySelection(dimension, condition, scratch, run);
  try {
    return selection.isWhole ? null : selection.bitmap();
  } finally {
    selection.release();
  }
}
