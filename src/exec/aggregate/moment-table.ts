/**
 * Number, sum, sum of squares, least and greatest of values by cell, exact.
 * Invariant: slots grow together; what they take is taken of the query's memory first.
 */
import { longerCopy, type MemoryAccount } from '../../base/index.js';
import type { MetricStatistic, SlotStatistics } from '../../ir/index.js';
import type { ValueKind } from '../../schema/index.js';
import type { Arena, Width } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { CellSlots } from './cell-slots.js';
import { addNarrow, addNarrowSquares, addStored, addWide, addWideSquares, ExactSums } from './exact-sum.js';
import { Extremes, offerNarrow, offerStored, offerWide } from './extremes.js';
import { type StoredColumn, storedWidth, type ValueBatch } from './value-batch.js';

/** Bytes of a bigint in the answer, roughly. */
const RESULT_BYTES = 40;
/** Entries from which a kernel is quicker than a loop here. */
const KERNEL_ENTRIES_MIN = 64;
const SLOTS_MIN = 16;

/** What the values of cells are added to. A batch has at most BATCH_MAX entries. */
export interface CellSink {
  /** Whether the values matter, and not their number alone. */
  readonly needsValues: boolean;
  /** Whether batches may be views of the columns. */
  readonly takesInPlace: boolean;
  /** Adds entries [from, to), at least one, to a cell; `values` may be null where none are needed. */
  addRun(cell: number, values: ValueBatch | null, from: number, to: number): void;
  /** Adds entry i to cells[i] for each i in [from, to). */
  addEach(cells: Uint32Array, values: ValueBatch | null, from: number, to: number): void;
  /** Whether `addBitmap` may be called. */
  takesBitmaps(kind: ValueKind): boolean;
  /**
   * Adds the `count` values, at least one, of a column at those of the `n` places from `first` (a multiple of 128) on
   * whose bits are set in the bitmap, of the column's arena, to a cell.
   */
  addBitmap(
    cell: number,
    column: StoredColumn,
    first: number,
    bitmapAt: number,
    n: number,
    count: number,
  ): void;
}

export class MomentTable implements CellSink {
  readonly needsValues: boolean;
  readonly takesInPlace = true;
  readonly #run: QueryRun;
  /** Of the table, until the result is taken. */
  readonly #memory: MemoryAccount;
  readonly #slots: CellSlots;
  readonly #isOneCell: boolean;
  #counts = new Float64Array(0);
  readonly #sums: ExactSums | null;
  readonly #squares: ExactSums | null;
  readonly #extremes: Extremes | null;

  /** Throws 9006. */
  constructor(moment: Exclude<MetricStatistic, 'values'>, cellCount: number, run: QueryRun) {
    this.needsValues = moment !== 'count';
    this.#run = run;
    const memory = run.child();
    this.#memory = memory;
    this.#slots = new CellSlots(cellCount, memory);
    this.#isOneCell = cellCount === 1;
    this.#sums = moment === 'sum' || moment === 'squares' ? new ExactSums(2, memory) : null;
    this.#squares = moment === 'squares' ? new ExactSums(4, memory) : null;
    this.#extremes = moment === 'extremes' ? new Extremes(memory) : null;
  }

  takesBitmaps(kind: ValueKind): boolean {
    return !this.needsValues || (this.#squares === null && (kind === 'i64' || kind === 'i32'));
  }

  addRun(cell: number, values: ValueBatch | null, from: number, to: number): void {
    const slot = this.#slotOf(cell);
    this.#counts[slot] += to - from;
    if (values === null || !this.needsValues) return;
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

  addEach(cells: Uint32Array, values: ValueBatch | null, from: number, to: number): void {
    for (let entry = from; entry < to; entry++) {
      const slot = this.#slotOf(cells[entry]);
      this.#counts[slot]++;
      if (values !== null) this.#addLoop(slot, values, entry, entry + 1);
    }
  }

  addBitmap(
    cell: number,
    column: StoredColumn,
    first: number,
    bitmapAt: number,
    n: number,
    count: number,
  ): void {
    const slot = this.#slotOf(cell);
    this.#counts[slot] += count;
    if (!this.needsValues) return;
    const width = storedWidth(column);
    this.#addStored(slot, column.arena, width, column.valuesAt + first * width, bitmapAt, n);
  }

  /** To be called once, at the end: the table's memory is given back, that of the answer taken. Throws 9006. */
  result(): SlotStatistics {
    const { count } = this.#slots;
    const [sums, squares, extremes] = [this.#sums, this.#squares, this.#extremes];
    const lists = [sums, squares, extremes, extremes].filter((kept) => kept !== null).length;
    this.#run.reserve(count * (12 + lists * RESULT_BYTES));
    const cells = this.#slots.cells();
    const bySlot = (of: (slot: number) => bigint): bigint[] => Array.from(cells, (_, slot) => of(slot));
    const answer: SlotStatistics = {
      answers: 'moments',
      cells: this.#isOneCell && count === 1 ? null : cells,
      counts: this.#counts.slice(0, count),
      sums: sums === null ? null : bySlot((slot) => sums.total(slot)),
      squares: squares === null ? null : bySlot((slot) => squares.total(slot)),
      least: extremes === null ? null : bySlot((slot) => extremes.least(slot)),
      greatest: extremes === null ? null : bySlot((slot) => extremes.greatest(slot)),
    };
    this.#memory.releaseAll();
    return answer;
  }

  #slotOf(cell: number): number {
    const slot = this.#slots.slotOf(cell);
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
