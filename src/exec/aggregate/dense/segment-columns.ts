/**
 * The columns of one segment, or of one batch of vectors, in the memory of a query, as kernels read them block by block.
 * A block is given by its first row, its number of rows and the bitmap of its selected rows (0 = all).
 * Columns are copied at 0.1 to 0.2 ns per byte, because a kernel can access only one memory.
 */
import { SEGMENT_ROWS_MAX } from '../../../base/index.js';
import { bitmapBytes } from '../../../kernels/index.js';
import type { EntitySegment } from '../../../storage/index.js';
import { are64, type Vector } from '../../../vector/index.js';
import type { QueryMemory } from '../../query-memory.js';
import type { Allocate } from './allocations.js';
import { type Block, DENSE_BLOCK_ROWS, type FieldTarget, type SegmentColumn, stageStored } from './block.js';
import { type ComputedColumn, ComputedColumns } from './computed-columns.js';

/** The columns that keys and operands read; `computed` tells those of them that are not stored. */
export interface ColumnsInUse {
  readonly columnIds: Iterable<number>;
  readonly computed: readonly ComputedColumn[];
}

export class SegmentColumns {
  readonly #memory: QueryMemory;
  readonly #columns = new Map<number, SegmentColumn>();
  readonly #computedIds: ReadonlySet<number>;
  readonly #computed: ComputedColumns;
  readonly #selection: number;
  /** An all-zero bitmap, for columns without values. */
  readonly #nothing: number;
  readonly #both: number;

  /** `rowsMax`: the largest number of rows of a segment or batch. */
  constructor(
    { columnIds, computed }: ColumnsInUse,
    memory: QueryMemory,
    at: Allocate,
    rowsMax = SEGMENT_ROWS_MAX,
  ) {
    this.#memory = memory;
    const validityBytes = bitmapBytes(rowsMax);
    const computedIds = new Set(computed.map(({ columnId }) => columnId));
    for (const columnId of [...columnIds, ...inputsOf(computed)]) {
      if (computedIds.has(columnId) || this.#columns.has(columnId)) continue;
      const values = at(rowsMax * 8);
      this.#columns.set(columnId, { values, validity: at(validityBytes), stored: null, isFull: false });
    }
    for (const columnId of computedIds) {
      this.#columns.set(columnId, { values: 0, validity: 0, stored: null, isFull: false });
    }
    this.#computedIds = computedIds;
    this.#computed = new ComputedColumns(computed, (columnId) => this.column(columnId), memory, at);
    this.#selection = at(validityBytes);
    this.#nothing = at(bitmapBytes(DENSE_BLOCK_ROWS));
    this.#both = at(bitmapBytes(DENSE_BLOCK_ROWS));
  }

  /** Copies the columns of a segment and the bitmap of its selected rows; null = all rows. */
  copy(segment: EntitySegment, bitmap: Uint8Array | null): void {
    for (const [columnId, column] of this.#columns) {
      if (!this.#computedIds.has(columnId)) this.#copyColumn(segment, columnId, column);
    }
    this.#computed.begin();
    if (bitmap !== null)
      this.#memory.u8.set(bitmap.subarray(0, bitmapBytes(segment.rowCount)), this.#selection);
  }

  #copyColumn(segment: EntitySegment, columnId: number, column: SegmentColumn): void {
    const { rowCount, deadCount } = segment;
    const stored = segment.latest(columnId);
    const values = stored === undefined || stored.presentCount === 0 ? null : stored;
    column.stored = values;
    column.isFull = stored?.presentCount === rowCount - deadCount;
    if (values === null) return;
    const { arena, kind, width, valuesAt, validityAt } = values;
    const bitsBytes = bitmapBytes(rowCount);
    const bytes = kind === 'bits' ? bitsBytes : rowCount * (kind === 'i32' ? 4 : width);
    const { u8 } = this.#memory;
    if (kind !== 'geo') u8.set(arena.u8.subarray(valuesAt, valuesAt + bytes), column.values);
    if (!column.isFull) u8.set(arena.u8.subarray(validityAt, validityAt + bitsBytes), column.validity);
  }

  /** Makes a vector the column; its values must be 64-bit integers unless only their presence is read. */
  put(columnId: number, vector: Vector): void {
    const column = this.column(columnId);
    const { valid, count } = vector;
    column.isFull = valid === null;
    if (valid !== null) packBits(valid, count, this.#memory.u32, column.validity / 4);
    column.stored = { kind: 'i64', width: 8 };
    if (vector.kind === 'boolean') {
      packBits(vector.bits, count, this.#memory.u32, column.values / 4);
      // The bit of a missing value is arbitrary in a vector, and 0 in a column.
      if (valid !== null) {
        this.#memory.kernels.and(column.values, column.validity, count, column.values);
      }
      column.stored = { kind: 'bits', width: 8 };
    } else if (vector.kind === 'exact' && vector.wide !== null && are64(vector.wide)) {
      this.#memory.i64.set(vector.wide.subarray(0, count), column.values / 8);
    } else if (vector.kind === 'exact' && vector.numbers !== null) {
      const { numbers } = vector;
      const { i32 } = this.#memory;
      if (putNarrow(numbers, valid, count, i32, column.values / 4)) column.stored = { kind: 'i64', width: 4 };
      else putNumbers(numbers, valid, count, i32, column.values / 4);
    }
  }

  /** The blocks of the segment that have selected rows; `isWhole`: all rows are selected. */
  *blocks(rowCount: number, isWhole: boolean): Generator<Block, void> {
    for (let from = 0; from < rowCount; from += DENSE_BLOCK_ROWS) {
      const rows = Math.min(DENSE_BLOCK_ROWS, rowCount - from);
      const selected = isWhole ? 0 : this.#selection + from / 8;
      const count = selected === 0 ? rows : this.#memory.kernels.count(selected, rows);
      if (count === 0) continue;
      this.#computed.compute({ from, rows });
      yield { from, rows, selected, count };
    }
  }

  column(columnId: number): SegmentColumn {
    return this.#columns.get(columnId) as SegmentColumn;
  }

  /** Writes the values of the selected rows, with 0 for a missing value. */
  stageValues(columnId: number, block: Omit<Block, 'count'>, target: FieldTarget): void {
    const { kernels } = this.#memory;
    const { stored, values } = this.column(columnId);
    if (stored !== null) stageStored(stored, values, block, target, kernels);
    else kernels.stageBits(this.#nothing, block.selected, block.rows, target.at, target.recordBytes);
  }

  /** Writes 1 for each selected row that has a value, else 0. */
  stagePresence(columnId: number, { from, rows, selected }: Block, { at, recordBytes }: FieldTarget): void {
    const { kernels } = this.#memory;
    const { stored, isFull, validity } = this.column(columnId);
    if (isFull && stored !== null) kernels.stageOnes(rows, at, recordBytes);
    else {
      const bits = stored === null ? this.#nothing : validity + from / 8;
      kernels.stageBits(bits, selected, rows, at, recordBytes);
    }
  }

  /**
   * The selected rows of the block that have a value, as a bitmap that is valid until the next call; 0 = all rows. The
   * column must have values.
   */
  presentRows(columnId: number, { from, rows, selected }: Block): number {
    const { isFull, validity } = this.column(columnId);
    if (isFull) return selected;
    if (selected === 0) return validity + from / 8;
    this.#memory.kernels.and(selected, validity + from / 8, rows, this.#both);
    return this.#both;
  }
}

/** The stored columns that computed ones read. */
const inputsOf = (computed: readonly ComputedColumn[]): readonly number[] =>
  computed.flatMap(({ steps }) => steps.flatMap((step) => (step.step === 'column' ? [step.columnId] : [])));

/** Writes bytes 0 or 1 as bits, from word `at` on. */
function packBits(bytes: Uint8Array, count: number, words: Uint32Array, at: number): void {
  const isOdd = Math.ceil(count / 32) % 2 === 1;
  for (let row = 0; row < count; at++) {
    const end = Math.min(row + 32, count);
    let word = 0;
    for (let bit = 0; row < end; row++, bit++) word |= bytes[row] << bit;
    words[at] = word;
  }
  // Kernels read words of 64 bits.
  if (isOdd) words[at] = 0;
}

/** Writes integers of at most 32 bits, 0 where there is none; returns false if some are larger. */
function putNarrow(
  numbers: Float64Array,
  valid: Uint8Array | null,
  count: number,
  words: Int32Array,
  at: number,
): boolean {
  let isNarrow = true;
  if (valid === null) {
    for (let row = 0; row < count; row++) {
      const number = numbers[row];
      words[at + row] = number;
      isNarrow &&= (number | 0) === number;
    }
    return isNarrow;
  }
  for (let row = 0; row < count; row++) {
    const number = valid[row] === 0 ? 0 : numbers[row];
    words[at + row] = number;
    isNarrow &&= (number | 0) === number;
  }
  return isNarrow;
}

const TWO_32 = 2 ** 32;

function putNumbers(
  numbers: Float64Array,
  valid: Uint8Array | null,
  count: number,
  words: Int32Array,
  at: number,
): void {
  for (let row = 0; row < count; row++, at += 2) {
    const number = valid !== null && valid[row] === 0 ? 0 : numbers[row];
    words[at] = number;
    words[at + 1] = Math.floor(number / TWO_32);
  }
}
