/**
 * The entities whose values a level reads: those of a selection, or the members of the parent groups.
 * Invariant  as with EntitySelection, the bitmap is undefined if no row or all rows of a segment are selected.
 */
import { bitmapBytes } from '../../kernels/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import type { AttributeSelection } from '../condition/attribute-leaf.js';
import type { EntitySelection } from '../condition/selection.js';
import { setBits } from '../condition/set-bits.js';
import { segmentPart } from '../condition/shard-bitmap.js';
import type { QueryRun } from '../query-run.js';

export class RowFilter {
  readonly arena: Arena;
  readonly #shard: DimensionShard;
  readonly #selection: EntitySelection;
  readonly #members: Uint8Array | null;
  readonly #run: QueryRun;
  #bitmap: Uint8Array | null = null;

  /** `members`: one bit per row of the shard, set only for selected rows; null = all selected rows. */
  constructor(shard: DimensionShard, selection: EntitySelection, members: Uint8Array | null, run: QueryRun) {
    this.arena = selection.arena;
    this.#shard = shard;
    this.#selection = selection;
    this.#members = members;
    this.#run = run;
  }

  /** Byte offset in `arena` of the result of `select` and `and`. */
  get bitmapAt(): number {
    return this.#selection.bitmapAt;
  }

  /** Selects in segment `index`; returns the number of rows. */
  select(index: number): number {
    if (this.#members === null) return this.#selection.select(index);
    this.#run.check();
    const { rowCount } = this.#shard.segments[index];
    this.arena.u8.set(segmentPart(this.#members, index, rowCount), this.bitmapAt);
    return this.arena.kernels.count(this.bitmapAt, rowCount);
  }

  /**
   * Keeps those of the `count` rows selected last, in a segment of `rowCount` rows, that are also in `other`; returns
   * their number.
   */
  and(rowCount: number, count: number, other: AttributeSelection): number {
    if (count === 0 || other.count === rowCount) return count;
    if (other.count === 0 || other.arena === null) return 0;
    const { u8, kernels } = this.arena;
    const out = this.bitmapAt;
    const into = count === rowCount ? out : this.arena.scratchBitmap(1);
    u8.set(other.arena.u8.subarray(other.bitmapAt, other.bitmapAt + bitmapBytes(rowCount)), into);
    return count === rowCount ? other.count : kernels.and(out, into, rowCount, out);
  }

  /** Writes the `count` rows selected last, ascending, to `out`. */
  listRows(rowCount: number, count: number, out: Uint32Array): void {
    if (count === rowCount)
      for (let segmentRow = 0; segmentRow < rowCount; segmentRow++) out[segmentRow] = segmentRow;
    else if (count > 0) setBits(this.arena.i32, this.bitmapAt >> 2, rowCount, 0, out);
  }

  /** One bit per row of the shard; null = all rows. Reserves memory of the query until `release`. Throws 9006. */
  get bitmap(): Uint8Array | null {
    if (this.#members !== null) return this.#members;
    if (this.#bitmap === null && !this.#selection.isWhole) this.#bitmap = this.#selection.bitmap();
    return this.#bitmap;
  }

  release(): void {
    if (this.#bitmap !== null) this.#run.release(this.#bitmap.length);
    this.#bitmap = null;
  }
}
