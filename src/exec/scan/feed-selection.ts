/**
 * Selects the events of a feed that pass its tests, segment by segment in order.
 * Invariant  like SegmentRows, the selection holds no arena memory after `settle`: remaining results are kept as
 *            separate bitmaps.
 */
import { invariant, type MemoryAccount } from '../../base/index.js';
import type { EventTest } from '../../ir/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import type { DimensionShard, EventSegment } from '../../storage/index.js';
import { EventSelection, type SelectedEvents } from '../condition/event-selection.js';
import type { QueryRun } from '../query-run.js';

/** Approximate bytes kept for a segment besides its bitmap. */
const SETTLED_BYTES = 64;

/** The events selected in a segment, and their bitmap unless they are a range. */
interface SettledEvents {
  readonly events: SelectedEvents;
  readonly bitmap: Uint8Array | null;
}

export class FeedSelection {
  readonly segments: readonly EventSegment[];
  readonly #run: QueryRun;
  readonly #account: MemoryAccount;
  /** null = all segments are settled. */
  #selection: EventSelection | null;
  /** Query memory that the selection reserved. */
  #selectionBytes = 0;
  #next = 0;
  #settled: (SettledEvents | undefined)[] = [];

  /** `release` must be called at the end. Throws 9006. */
  constructor(shard: DimensionShard, event: EventTest, run: QueryRun) {
    this.#run = run;
    this.#account = run.child();
    const before = run.reservedBytes;
    this.#selection = new EventSelection(shard, event, run);
    this.#selectionBytes = run.reservedBytes - before;
    this.segments = this.#selection.table?.segments ?? [];
  }

  /** Like EventSelection.select; segments must be selected in order. Throws 9006. */
  select(index: number): SelectedEvents {
    invariant(index === this.#next, 'segments of events are selected in order');
    this.#next++;
    return this.#selection === null ? this.#restored(index) : this.#select(this.#selection, index);
  }

  #select(selection: EventSelection, index: number): SelectedEvents {
    const before = this.#run.reservedBytes;
    const events = selection.select(this.segments[index]);
    this.#selectionBytes += this.#run.reservedBytes - before;
    return events;
  }

  #restored(index: number): SelectedEvents {
    const settled = this.#settled[index];
    invariant(settled !== undefined, 'segments after the last selected one are settled');
    const { events, bitmap } = settled;
    this.#settled[index] = undefined;
    if (bitmap === null) return events;
    const { arena } = this.segments[index];
    const bitmapAt = arena.scratchBitmap(0);
    arena.u8.set(bitmap, bitmapAt);
    return { ...events, bitmapAt };
  }

  /** Selects the remaining segments and releases all arena memory. Throws 9005, 9006. */
  settle(): void {
    const selection = this.#selection;
    if (selection === null) return;
    for (let index = this.#next; index < this.segments.length; index++) {
      this.#run.check();
      const events = this.#select(selection, index);
      const { isRange, start, to, bitmapAt } = events;
      const bytes = isRange ? 0 : bitmapBytes(to - start);
      this.#account.reserve(bytes + SETTLED_BYTES);
      const bitmap = isRange ? null : this.segments[index].arena.u8.slice(bitmapAt, bitmapAt + bytes);
      this.#settled[index] = { events, bitmap };
    }
    this.#forget(selection);
  }

  #forget(selection: EventSelection): void {
    // The selection already releases part of this memory.
    const reservedBefore = this.#run.reservedBytes;
    selection.release();
    this.#run.release(this.#selectionBytes - (reservedBefore - this.#run.reservedBytes));
    this.#selection = null;
  }

  release(): void {
    if (this.#selection !== null) this.#forget(this.#selection);
    this.#settled = [];
    this.#account.releaseAll();
  }
}
