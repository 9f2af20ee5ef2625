/**
 * The tables of a dense aggregation in the memory of a query, and the block of rows that is added to them.
 * Layout  records      fieldCount i64 per slot
 *         extremes     minCount + maxCount i64 per slot
 *         columns      values and validity of one segment of each column
 *         block        for BLOCK_ROWS rows: slots (u32), records, records of extremes, values (i64)
 * A segment's columns are copied here at 0.1 to 0.2 ns per byte, because a kernel can access only one memory.
 */
import { SEGMENT_ROWS_MAX } from '../../base/index.js';
import { bitmapBytes, type Kernels } from '../../kernels/index.js';
import type { EntitySegment, LatestColumn } from '../../storage/index.js';
import type { QueryMemory } from '../query-memory.js';
import type { QueryRun } from '../query-run.js';
import type { DenseKey, DenseOperand, DensePlan } from './dense-plan.js';

/** The number of rows that are added at once, chosen so that the block stays in the L2 cache. A multiple of 128. */
export const DENSE_BLOCK_ROWS = 4_096;
const FIELD_BYTES = 8;
const I64_LEAST = -(2n ** 63n);
const I64_GREATEST = 2n ** 63n - 1n;

/** A column of the current segment; `values` and `validity` are byte offsets of its first row. */
interface SegmentColumn {
  readonly values: number;
  readonly validity: number;
  /** null = no row of the segment has a value. */
  stored: LatestColumn | null;
  /** Whether every row of the segment that is not deleted has a value. */
  isFull: boolean;
}

/** Collected values of one operand: a slot (u32) and a value (i64) per row. */
export interface Chunk {
  readonly slots: number;
  readonly values: number;
  readonly count: number;
}

export class DenseTable {
  readonly #plan: DensePlan;
  readonly #memory: QueryMemory;
  readonly #run: QueryRun;
  readonly records: number;
  readonly extremes: number;
  /** By operand: the bitmap of its values; 0 = none. */
  readonly bitmaps: readonly number[];
  /** By operand: its collected values. */
  readonly chunks: readonly Chunk[][];
  readonly #columns = new Map<number, SegmentColumn>();
  readonly #selection: number;
  /** An all-zero bitmap, for columns without values. */
  readonly #nothing: number;
  readonly #slots: number;
  readonly #blockRecords: number;
  readonly #blockExtremes: number;
  readonly #presence: number;
  readonly #blockBitmap: number;
  readonly #blockSlots: number;
  readonly #blockValues: number;

  private constructor(plan: DensePlan, memory: QueryMemory, run: QueryRun, at: (bytes: number) => number) {
    const { keys, operands, slotCount, fieldCount } = plan;
    this.#plan = plan;
    this.#memory = memory;
    this.#run = run;
    const extremeBytes = this.#extremeBytes;
    const validityBytes = bitmapBytes(SEGMENT_ROWS_MAX);
    this.records = at(slotCount * fieldCount * FIELD_BYTES);
    this.extremes = at(slotCount * extremeBytes);
    this.bitmaps = operands.map(({ bitmap }) => (bitmap === null ? 0 : at(bitmap.span / 8)));
    this.chunks = operands.map(() => []);
    for (const columnId of new Set([...keys, ...operands].map((column) => column.columnId))) {
      const values = at(SEGMENT_ROWS_MAX * 8);
      this.#columns.set(columnId, { values, validity: at(validityBytes), stored: null, isFull: false });
    }
    this.#selection = at(validityBytes);
    this.#nothing = at(bitmapBytes(DENSE_BLOCK_ROWS));
    this.#blockBitmap = at(bitmapBytes(DENSE_BLOCK_ROWS));
    this.#slots = at(DENSE_BLOCK_ROWS * 4);
    this.#blockSlots = at(DENSE_BLOCK_ROWS * 4);
    this.#blockRecords = at(DENSE_BLOCK_ROWS * fieldCount * FIELD_BYTES);
    this.#blockExtremes = at(DENSE_BLOCK_ROWS * extremeBytes);
    this.#presence = at(DENSE_BLOCK_ROWS * extremeBytes);
    this.#blockValues = at(DENSE_BLOCK_ROWS * FIELD_BYTES);
  }

  /**
   * Creates empty tables; null = the query has no memory for them. The memory of the tables stays reserved in `run`.
   */
  static create(plan: DensePlan, memory: QueryMemory, run: QueryRun): DenseTable | null {
    let isFull = false;
    const table = new DenseTable(plan, memory, run, (bytes) => {
      const at = memory.allocate(bytes, run);
      isFull ||= at === null;
      return at ?? 0;
    });
    if (isFull) return null;
    const { kernels } = memory;
    kernels.stageOnes(DENSE_BLOCK_ROWS, table.#blockRecords, plan.fieldCount * FIELD_BYTES);
    // Initializes slot by slot: a field for the least value starts with the greatest integer, and vice versa.
    if (plan.minCount + plan.maxCount > 0) table.#resetExtremes(kernels);
    return table;
  }

  get #extremeBytes(): number {
    return (this.#plan.minCount + this.#plan.maxCount) * FIELD_BYTES;
  }

  #resetExtremes(kernels: Kernels): void {
    const { minCount, maxCount, slotCount } = this.#plan;
    if (maxCount === 0 || minCount === 0) {
      kernels.fillI64(
        maxCount === 0 ? I64_GREATEST : I64_LEAST,
        slotCount * (minCount + maxCount),
        this.extremes,
      );
      return;
    }
    const { i64 } = this.#memory;
    for (let slot = 0, at = this.extremes / FIELD_BYTES; slot < slotCount; slot++) {
      for (let field = 0; field < minCount; field++) i64[at++] = I64_GREATEST;
      for (let field = 0; field < maxCount; field++) i64[at++] = I64_LEAST;
    }
  }

  /**
   * Adds the rows of a segment that are set in `bitmap` (null = all rows). Returns false, with the tables in an
   * undefined state, if the query has no memory for collected values.
   */
  add(segment: EntitySegment, bitmap: Uint8Array | null): boolean {
    const { rowCount } = segment;
    for (const [columnId, column] of this.#columns) this.#copy(segment, columnId, column);
    if (bitmap !== null) this.#memory.u8.set(bitmap.subarray(0, bitmapBytes(rowCount)), this.#selection);
    for (let from = 0; from < rowCount; from += DENSE_BLOCK_ROWS) {
      const rows = Math.min(DENSE_BLOCK_ROWS, rowCount - from);
      const selected = bitmap === null ? 0 : this.#selection + from / 8;
      if (selected !== 0 && this.#memory.kernels.count(selected, rows) === 0) continue;
      if (!this.#addBlock(from, rows, selected)) return false;
    }
    return true;
  }

  #copy(segment: EntitySegment, columnId: number, column: SegmentColumn): void {
    const { rowCount, deadCount } = segment;
    const stored = segment.latest(columnId);
    column.stored = stored === undefined || stored.presentCount === 0 ? null : stored;
    column.isFull = stored?.presentCount === rowCount - deadCount;
    if (column.stored === null) return;
    const { arena, kind, width, valuesAt, validityAt } = column.stored;
    const bitsBytes = bitmapBytes(rowCount);
    const bytes = kind === 'bits' ? bitsBytes : rowCount * (kind === 'i32' ? 4 : width);
    const { u8 } = this.#memory;
    if (kind !== 'geo') u8.set(arena.u8.subarray(valuesAt, valuesAt + bytes), column.values);
    if (!column.isFull) u8.set(arena.u8.subarray(validityAt, validityAt + bitsBytes), column.validity);
  }

  #addBlock(from: number, rows: number, selected: number): boolean {
    const { operands, fieldCount, minCount, maxCount } = this.#plan;
    const { kernels, u32 } = this.#memory;
    u32.fill(0, this.#slots / 4, this.#slots / 4 + rows);
    for (const key of this.#plan.keys) this.#addKey(key, from, rows);
    const slots = selected === 0 ? this.#slots : this.#blockSlots;
    const count = selected === 0 ? rows : kernels.gatherU32(selected, rows, this.#slots, slots);
    for (const operand of operands) this.#stage(operand, from, rows, selected, count);
    kernels.addRecords(slots, count, this.#blockRecords, fieldCount * FIELD_BYTES, this.records);
    if (minCount + maxCount > 0) {
      kernels.widenRecords(slots, count, this.#blockExtremes, minCount, maxCount, this.extremes);
    }
    return operands.every((operand, index) => this.#collect(operand, index, from, rows, selected));
  }

  #addKey({ columnId, least, stride }: DenseKey, from: number, rows: number): void {
    const { stored, isFull, values, validity } = this.#column(columnId);
    if (stored === null) return;
    const { kernels } = this.#memory;
    const { kind, width } = stored;
    const slots = this.#slots;
    const valid = validity + from / 8;
    if (kind === 'bits') {
      kernels.addSlotsBits(values + from / 8, rows, 2 * stride, stride, slots);
      if (!isFull) kernels.addSlotsBits(valid, rows, 0, -stride >>> 0, slots);
      return;
    }
    // Index i is the value least + i - 1; codes start at 1, so code 0 has index 0.
    const before = least - 1;
    const at = values + from * (kind === 'i32' ? 4 : width);
    if (kind === 'i32' || width === 4) kernels.addSlotsI32(at, rows, before, stride, slots);
    else if (width === 2)
      kernels[kind === 'code' ? 'addSlotsU16' : 'addSlotsI16'](at, rows, before, stride, slots);
    else kernels[kind === 'code' ? 'addSlotsU8' : 'addSlotsI8'](at, rows, before, stride, slots);
    // A missing integer is stored as 0, which must have index 0.
    if (kind !== 'code' && !isFull) {
      kernels.addSlotsBits(valid, rows, 0, Math.imul(before, stride) >>> 0, slots);
    }
  }

  #column(columnId: number): SegmentColumn {
    return this.#columns.get(columnId) as SegmentColumn;
  }

  /** Writes the operand's fields of the `count` selected rows of the block. */
  #stage(operand: DenseOperand, from: number, rows: number, selected: number, count: number): void {
    const { present, sum, squares, isWide, min, max } = operand;
    const { kernels } = this.#memory;
    const recordBytes = this.#plan.fieldCount * FIELD_BYTES;
    const column = this.#column(operand.columnId);
    const field = (index: number): number => this.#blockRecords + index * FIELD_BYTES;
    if (present !== null) this.#stagePresence(column, from, rows, selected, field(present), recordBytes);
    if (sum !== null) {
      this.#stageValues(column, from, rows, selected, field(sum), recordBytes);
      if (squares !== null) {
        kernels.squareFields(field(sum), count, field(squares), field(squares + 1), recordBytes);
      }
      if (isWide) kernels.splitFields(field(sum), count, field(sum), field(sum + 1), recordBytes);
    }
    if (min !== null) this.#stageExtreme(column, from, rows, selected, count, min, I64_GREATEST);
    if (max !== null) this.#stageExtreme(column, from, rows, selected, count, max, I64_LEAST);
  }

  #stageExtreme(
    column: SegmentColumn,
    from: number,
    rows: number,
    selected: number,
    count: number,
    index: number,
    otherwise: bigint,
  ): void {
    const at = index * FIELD_BYTES;
    const recordBytes = this.#extremeBytes;
    this.#stageValues(column, from, rows, selected, this.#blockExtremes + at, recordBytes);
    if (column.isFull) return;
    this.#stagePresence(column, from, rows, selected, this.#presence, recordBytes);
    const { kernels } = this.#memory;
    kernels.replaceMissing(this.#blockExtremes + at, this.#presence, count, otherwise, recordBytes);
  }

  #stagePresence(
    { stored, isFull, validity }: SegmentColumn,
    from: number,
    rows: number,
    selected: number,
    out: number,
    recordBytes: number,
  ): void {
    const { kernels } = this.#memory;
    if (isFull && stored !== null) kernels.stageOnes(rows, out, recordBytes);
    else
      kernels.stageBits(
        stored === null ? this.#nothing : validity + from / 8,
        selected,
        rows,
        out,
        recordBytes,
      );
  }

  /** Writes the values of the selected rows, with 0 for a missing value. Returns their number. */
  #stageValues(
    { stored, values }: SegmentColumn,
    from: number,
    rows: number,
    selected: number,
    out: number,
    recordBytes: number,
  ): number {
    const { kernels } = this.#memory;
    if (stored === null) return kernels.stageBits(this.#nothing, selected, rows, out, recordBytes);
    const width = stored.kind === 'i32' ? 4 : stored.width;
    const at = values + from * width;
    if (width === 8) return kernels.stageI64(at, selected, rows, out, recordBytes);
    if (width === 4) return kernels.stageI32(at, selected, rows, out, recordBytes);
    if (width === 2) return kernels.stageI16(at, selected, rows, out, recordBytes);
    return kernels.stageI8(at, selected, rows, out, recordBytes);
  }

  /**
   * Collects the operand's values of the selected rows that have one. Returns false if the query has no memory for
   * them.
   */
  #collect(operand: DenseOperand, index: number, from: number, rows: number, selected: number): boolean {
    const { runs, bitmap } = operand;
    const column = this.#column(operand.columnId);
    if ((runs === 'none' && bitmap === null) || column.stored === null) return true;
    const present = this.#presentRows(column, from, rows, selected);
    const { kernels } = this.#memory;
    if (bitmap !== null) {
      const count = this.#stageValues(column, from, rows, present, this.#blockValues, FIELD_BYTES);
      const { least, span } = bitmap;
      // Without keys, slot 0 is the only slot.
      kernels.setSlotBits(
        this.#nothingSlots(count),
        this.#blockValues,
        count,
        BigInt(least),
        span,
        this.bitmaps[index],
      );
    }
    if (runs === 'none') return true;
    const count = present === 0 ? rows : kernels.count(present, rows);
    if (count === 0) return true;
    const slots = this.#memory.allocate(count * 4, this.#run);
    const values = slots === null ? null : this.#memory.allocate(count * FIELD_BYTES, this.#run);
    if (slots === null || values === null) return false;
    const grown = this.#memory.kernels;
    if (present === 0) this.#memory.u8.copyWithin(slots, this.#slots, this.#slots + rows * 4);
    else grown.gatherU32(present, rows, this.#slots, slots);
    this.#stageValues(column, from, rows, present, values, FIELD_BYTES);
    this.chunks[index].push({ slots, values, count });
    return true;
  }

  /** The selected rows of the block that have a value, as a bitmap; 0 = all rows. */
  #presentRows({ isFull, validity }: SegmentColumn, from: number, rows: number, selected: number): number {
    if (isFull) return selected;
    if (selected === 0) return validity + from / 8;
    this.#memory.kernels.and(selected, validity + from / 8, rows, this.#blockBitmap);
    return this.#blockBitmap;
  }

  /** An array of `count` slots that are all 0. */
  #nothingSlots(count: number): number {
    this.#memory.u32.fill(0, this.#blockSlots / 4, this.#blockSlots / 4 + count);
    return this.#blockSlots;
  }
}
