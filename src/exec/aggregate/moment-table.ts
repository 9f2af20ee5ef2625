/**
 * Exact count, sum, sum of squares and extremes of values by group key.
 * Invariant  the tables grow together, and their memory is reserved first.
 */
import { longerCopy, type MemoryAccount } from '../../base/index.js';
import type { MetricStatistic, SlotStatistics } from '../../ir/index.js';
import type { ValueKind } from '../../schema/index.js';
import type { Arena, Width } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import {
  addNarrow,
  addNarrowSquares,
  addStored,
  addWide,
  addWideSquares,
  ExactIntegerSums,
} from './exact-sum.js';
import { IntegerExtremes, offerNarrow, offerStored, offerWide } from './extremes.js';
import { GroupSlots } from './group-slots.js';
import { type StoredColumn, storedWidth, type ValueBatch } from './value-batch.js';

/** Approximate bytes of a bigint in the result. */
const RESULT_BYTES = 40;
/** From this number of entries on, a kernel is faster than a loop here. */
const KERNEL_ENTRIES_MIN = 64;
const SLOTS_MIN = 16;

/** Accumulates values by group key. A batch has at most BATCH_MAX entries. */
export interface MomentSink {
  /** Whether values are needed, and not only their number. */
  readonly requiresValues: boolean;
  /** Whether batches may be views of the columns. */
  readonly acceptsViews: boolean;
  /** Adds entries [from, to), at least one, to a group; `values` may be null if none are needed. */
  addRun(groupKey: number, values: ValueBatch | null, from: number, to: number): void;
  /** Adds entry i to the group groupKeys[i] for each i in [from, to). */
  addEach(groupKeys: Uint32Array, values: ValueBatch | null, from: number, to: number): void;
  /** Whether `addBitmap` may be called. */
  acceptsBitmaps(kind: ValueKind): boolean;
  /**
   * Adds `count` values, at least one, of a column to a group: those of the `n` rows from `first` (a multiple of 128)
   * whose bits are set in the bitmap in the column's arena.
   */
  addBitmap(
    groupKey: number,
    column: StoredColumn,
    first: number,
    bitmapAt: number,
    n: number,
    count: number,
  ): void;
}

export class MomentTable implements MomentSink {
  readonly requiresValues: boolean;
  readonly acceptsViews = true;
  readonly #run: QueryRun;
  /** Memory of the table, until the result is returned. */
  readonly #memory: MemoryAccount;
  readonly #slots: GroupSlots;
  readonly #isOneGroup: boolean;
  #counts = new Float64Array(0);
  readonly #sums: ExactIntegerSums | null;
  readonly #squares: ExactIntegerSums | null;
  readonly #extremes: IntegerExtremes | null;

  /** Throws 9006. */
  constructor(moment: Exclude<MetricStatistic, 'values'>, groupKeyCount: number, run: QueryRun) {
    this.requiresValues = moment !== 'count';
    this.#run = run;
    const memory = run.child();
    this.#memory = memory;
    this.#slots = new GroupSlots(groupKeyCount, memory);
    this.#isOneGroup = groupKeyCount === 1;
    this.#sums = moment === 'sum' || moment === 'squares' ? new ExactIntegerSums(2, memory) : null;
    this.#squares = moment === 'squares' ? new ExactIntegerSums(4, memory) : null;
    this.#extremes = moment === 'extremes' ? new IntegerExtremes(memory) : null;
  }

  acceptsBitmaps(kind: ValueKind): boolean {
    return !this.requiresValues || (this.#squares === null && (kind === 'i64' || kind === 'i32'));
  }

  addRun(groupKey: number, values: ValueBatch | null, from: number, to: number): void {
    const slot = this.#slotOf(groupKey);
    this.#counts[slot] += to - from;
    if (values === null || !this.requiresValues) return;
    const { stored } = values;
    if (stored === null || this.#squares !== null || to - from < KERNEL_ENTRIES_MIN) {
      this.#addLoop(slot, values, from, to);
      return;
    }
    // Kernels start at multiples of 8 bytes.
    const { arena, at, width } = stored;
    const beyond = (at + from * width) & 7;
    const first = beyond === 0 ? from : from + (8 - beyond) / width;
    if (from < first) this.#addLoop(slot, values, from, first);
    this.#addStored(slot, arena, width, at + first * width, 0, to - first);
  }

  addEach(groupKeys: Uint32Array, values: ValueBatch | null, from: number, to: number): void {
    for (let entry = from; entry < to; entry++) {
      const slot = this.#slotOf(groupKeys[entry]);
      this.#counts[slot]++;
      if (values !== null) this.#addLoop(slot, values, entry, entry + 1);
    }
  }

  addBitmap(
    groupKey: number,
    column: StoredColumn,
    first: number,
    bitmapAt: number,
    n: number,
    count: number,
  ): void {
    const slot = this.#slotOf(groupKey);
    this.#counts[slot] += count;
    if (!this.requiresValues) return;
    const width = storedWidth(column);
    this.#addStored(slot, column.arena, width, column.valuesAt + first * width, bitmapAt, n);
  }

  /** May be called only once: releases the table's memory and reserves the result's. Throws 9006. */
  result(): SlotStatistics {
    const { count } = this.#slots;
    const [sums, squares, extremes] = [this.#sums, this.#squares, this.#extremes];
    const lists = [sums, squares, extremes, extremes].filter(
      (selectedCount) => selectedCount !== null,
    ).length;
    this.#run.reserve(count * (12 + lists * RESULT_BYTES));
    const groupKeys = this.#slots.groupKeys();
    const bySlot = (of: (slot: number) => bigint): bigint[] => Array.from(groupKeys, (_, slot) => of(slot));
    const answer: SlotStatistics = {
      answers: 'moments',
      groupKeys: this.#isOneGroup && count === 1 ? null : groupKeys,
      counts: this.#counts.slice(0, count),
      sums: sums === null ? null : bySlot((slot) => sums.total(slot)),
      squares: squares === null ? null : bySlot((slot) => squares.total(slot)),
      least: extremes === null ? null : bySlot((slot) => extremes.least(slot)),
      greatest: extremes === null ? null : bySlot((slot) => extremes.greatest(slot)),
    };
    this.#memory.releaseAll();
    return answer;
  }

  #slotOf(groupKey: number): number {
    const slot = this.#slots.slotOf(groupKey);
    if (slot >= this.#counts.length) this.#grow();
    return slot;
  }

  #grow(): void {
    const capacity = Math.max(SLOTS_MIN, this.#counts.length * 2);
    this.#memory.reserve((capacity - this.#counts.length) * 8);
    this.#counts = longerCopy(this.#counts, capacity);
    this.#sums?.grow(capacity);
    this.#squares?.grow(capacity);
    this.#extremes?.grow(capacity);
  }

  #addLoop(slot: number, { narrow, words }: ValueBatch, from: number, to: number): void {
    if (narrow !== null) {
      if (this.#sums !== null) addNarrow(this.#sums, slot, narrow, from, to);
      if (this.#squares !== null) addNarrowSquares(this.#squares, slot, narrow, from, to);
      if (this.#extremes !== null) offerNarrow(this.#extremes, slot, narrow, from, to);
    } else if (words !== null) {
      if (this.#sums !== null) addWide(this.#sums, slot, words, from, to);
      if (this.#squares !== null) addWideSquares(this.#squares, slot, words, from, to);
      if (this.#extremes !== null) offerWide(this.#extremes, slot, words, from, to);
    }
  }

  #addStored(slot: number, arena: Arena, width: Width, at: number, bitmapAt: number, n: number): void {
    if (this.#sums !== null) addStored(this.#sums, slot, arena, width, at, bitmapAt, n);
    if (this.#extremes !== null) offerStored(this.#extremes, slot, arena, width, at, bitmapAt, n);
  }
}
