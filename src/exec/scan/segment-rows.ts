/**
 * The rows of a shard that satisfy a condition, segment by segment, for the duration of a SELECT.
 * Invariant  between the parts of a SELECT no arena memory is held. `settle` evaluates the remaining segments and
 *            keeps the results as separate bitmaps, because temporary arena memory is shared by all queries and is
 *            reclaimed only when no query holds any.
 */
import { invariant, type MemoryAccount } from '../../base/index.js';
import type { Condition } from '../../ir/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import { type Arena, BITMAP_BYTES, type DimensionShard } from '../../storage/index.js';
import { EntitySelection } from '../condition/selection.js';
import { setBits } from '../condition/set-bits.js';
import { newShardBitmap } from '../condition/shard-bitmap.js';
import type { QueryRun } from '../query-run.js';

/** Runs `work`; returns its result and the query memory that it reserved and did not release. */
function measured<T>(run: QueryRun, work: () => T): { readonly made: T; readonly bytes: number } {
  const before = run.reservedBytes;
  const made = work();
  return { made, bytes: run.reservedBytes - before };
}

interface SettledSegments {
  /** The first settled segment. */
  readonly from: number;
  readonly counts: Uint32Array;
  readonly bitmaps: Uint8Array;
}

export class SegmentRows {
  readonly #shard: DimensionShard;
  readonly #run: QueryRun;
  readonly #account: MemoryAccount;
  /** Has capacity for the segment selected last. */
  #bitmap = new Uint8Array(0);
  /** null = all needed segments are settled. */
  #selection: EntitySelection | null;
  /** Query memory that the selection reserved. */
  #selectionBytes: number;
  #settled: SettledSegments | null = null;
  readonly #isWhole: boolean;

  /** `condition` null = all entities. `release` must be called at the end. Throws 9005, 9006. */
  constructor(shard: DimensionShard, condition: Condition | null, scratch: Arena, run: QueryRun) {
    this.#shard = shard;
    this.#run = run;
    this.#account = run.child();
    const { made, bytes } = measured(run, () => new EntitySelection(shard, condition, scratch, run));
    this.#selection = made;
    this.#selectionBytes = bytes;
    this.#isWhole = made.isWhole;
  }

  /** Whether every row of the shard is selected. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Selects in segment `index`; returns the number of rows for which the condition is true. Unless no row or every row
   * is selected, see `bitmap`.
   */
  select(index: number): number {
    const { rowCount } = this.#shard.segments[index];
    const byteCount = bitmapBytes(rowCount);
    if (this.#bitmap.length < byteCount) this.#bitmap = new Uint8Array(byteCount);
    if (this.#settled !== null) return this.#selectSettled(this.#settled, index);
    const selection = this.#selection;
    invariant(selection !== null, 'rows are selected before they are released');
    const { made: count, bytes } = measured(this.#run, () => selection.select(index));
    this.#selectionBytes += bytes;
    if (count > 0 && count < rowCount) {
      const { bitmapAt, arena } = selection;
      this.#bitmap.set(arena.u8.subarray(bitmapAt, bitmapAt + byteCount));
    }
    return count;
  }

  #selectSettled({ from, counts, bitmaps }: SettledSegments, index: number): number {
    invariant(index >= from, 'only settled segments are selected');
    this.#run.check();
    const at = (index - from) * BITMAP_BYTES;
    this.#bitmap.set(bitmaps.subarray(at, at + this.#bitmap.length));
    return counts[index - from];
  }

  /** One bit per row of the segment selected last, unless none or all were selected; valid until the next `select`. */
  get bitmap(): Uint8Array<ArrayBuffer> {
    return this.#bitmap;
  }

  /** One bit per row of the shard (see newShardBitmap); null = all rows are selected. */
  all(): Uint8Array | null {
    if (this.isWhole) return null;
    const bitmap = newShardBitmap(this.#shard, this.#account);
    this.#shard.segments.forEach((_, index) => {
      this.#copy(index, bitmap, index * BITMAP_BYTES);
    });
    return bitmap;
  }

  /**
   * Selects in a segment and writes its bitmap at byte `at` of `bitmaps`, which must be clear there; returns the
   * number of rows.
   */
  #copy(index: number, bitmaps: Uint8Array, at: number): number {
    const { rowCount } = this.#shard.segments[index];
    const count = this.select(index);
    if (count === rowCount) fillBits(bitmaps, at, rowCount);
    else if (count > 0) bitmaps.set(this.#bitmap.subarray(0, bitmapBytes(rowCount)), at);
    return count;
  }

  /**
   * Evaluates the segments from `from` on and releases all arena memory; earlier segments must not be selected any
   * more.
   */
  settle(from: number): void {
    if (this.#settled !== null) return;
    const rest = Math.max(this.#shard.segments.length - from, 0);
    const bitmaps = newShardBitmap(this.#shard, this.#account, from);
    const counts = this.#account.u32(rest);
    for (let at = 0; at < rest; at++) counts[at] = this.#copy(from + at, bitmaps, at * BITMAP_BYTES);
    this.#settled = { from, counts, bitmaps };
    this.#forget();
  }

  #forget(): void {
    // The selection already releases part of this memory.
    const { bytes } = measured(this.#run, () => this.#selection?.release());
    this.#selection = null;
    this.#run.release(this.#selectionBytes + bytes);
    this.#selectionBytes = 0;
  }

  release(): void {
    this.#forget();
    this.#account.releaseAll();
  }
}

/** Sets the first `count` bits from byte `at` on. */
function fillBits(bitmap: Uint8Array, at: number, count: number): void {
  bitmap.fill(0xff, at, at + (count >> 3));
  if ((count & 7) !== 0) bitmap[at + (count >> 3)] = (1 << (count & 7)) - 1;
}

/**
 * Writes the rows of the bits that are set among the first `rowCount` of the bitmap, ascending, into `out`; returns
 * their number.
 */
export function rowsOfBitmap(bitmap: Uint8Array<ArrayBuffer>, rowCount: number, out: Uint32Array): number {
  return setBits(new Int32Array(bitmap.buffer, bitmap.byteOffset, bitmap.length >> 2), 0, rowCount, 0, out);
}
