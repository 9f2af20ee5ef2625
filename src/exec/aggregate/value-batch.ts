/** Contiguous values of some rows, events or list items, from which moments are computed. */
import { type MemoryAccount, SEGMENT_ROWS_MAX } from '../../base/index.js';
import type { ValueKind } from '../../schema/index.js';
import type { Arena, EventSegment, ListColumn, Width } from '../../storage/index.js';
import { listSelectedRows, type SelectedRows } from '../condition/selected-rows.js';
import type { QueryRun } from '../query-run.js';

/** The largest number of entries of a batch. */
export const BATCH_MAX = SEGMENT_ROWS_MAX;

export type NarrowValues = Int8Array | Int16Array | Int32Array;

/** Entry i is narrow[i]; or the (low, high) words at words[2 i]; or (longitude, latitude) at points[2 i]. */
export interface ValueBatch {
  /** Integers, days and bits; also codes, as unsigned integers. */
  readonly narrow: NarrowValues | null;
  readonly words: Uint32Array | null;
  readonly points: Float64Array | null;
  /** Set if the entries are in an arena in the column's format, so that kernels can process them. */
  readonly stored: { readonly arena: Arena; readonly at: number; readonly width: Width } | null;
}

/** The location of values in an arena: a latest-value column of a segment or a segment of events. */
export interface StoredColumn {
  readonly arena: Arena;
  readonly kind: ValueKind;
  readonly width: Width;
  readonly valuesAt: number;
}

/** Bytes of one value of the column. */
export function storedWidth({ kind, width }: StoredColumn): Width {
  return kind === 'i32' ? 4 : width;
}

/** The integers or days of rows [from, to) as views. */
export function numbersInPlace(column: StoredColumn, from: number, to: number): ValueBatch {
  const { arena, valuesAt } = column;
  const width = storedWidth(column);
  const at = valuesAt + from * width;
  const stored = { arena, at, width };
  const end = to - from;
  if (width === 8) {
    const words = arena.u32.subarray(at >> 2, (at >> 2) + end * 2);
    return { narrow: null, words, points: null, stored };
  }
  const narrow =
    width === 4
      ? arena.i32.subarray(at >> 2, (at >> 2) + end)
      : width === 2
        ? arena.i16.subarray(at >> 1, (at >> 1) + end)
        : arena.i8.subarray(at, at + end);
  return { narrow, words: null, points: null, stored };
}

/** Reusable buffers for one batch, allocated on first use. A batch is valid until the next one is gathered. */
export class BatchBuffers {
  readonly #memory: MemoryAccount;
  #narrow: Int32Array | null = null;
  #words: Uint32Array | null = null;
  #points: Float64Array | null = null;
  #segmentRows: Uint32Array | null = null;
  #dates: Uint32Array | null = null;
  #rows: Uint32Array | null = null;
  #items: Uint32Array | null = null;
  #groupKeys: Uint32Array | null = null;

  constructor(run: QueryRun) {
    this.#memory = run.child();
  }

  /** Releases the memory. */
  release(): void {
    this.#memory.releaseAll();
  }

  /** The values of the given rows of a column. Throws 9006. */
  gather({ arena, kind, width, valuesAt }: StoredColumn, segmentRows: Uint32Array): ValueBatch {
    if (kind === 'geo') return this.#gatherPoints(arena.f64, valuesAt >> 3, segmentRows);
    if (kind === 'bits') return this.#gatherBits(arena.u8, valuesAt, segmentRows);
    if (kind === 'i32' || width === 4) return this.#gatherNarrow(arena.i32, valuesAt >> 2, 0, segmentRows);
    if (width === 8) return this.#gatherWords(arena.u32, valuesAt >> 2, segmentRows);
    const isSigned = kind === 'i64';
    return width === 2
      ? this.#gatherNarrow(arena.u16, valuesAt >> 1, isSigned ? 16 : 0, segmentRows)
      : this.#gatherNarrow(arena.u8, valuesAt, isSigned ? 24 : 0, segmentRows);
  }

  /** The items at the given positions of a list column's heap. Throws 9006. */
  gatherItems({ kind, items }: ListColumn, segmentRows: Uint32Array): ValueBatch {
    if (items instanceof Float64Array) return this.#gatherPoints(items, 0, segmentRows);
    if (items instanceof Uint32Array) {
      return kind === 'i64'
        ? this.#gatherWords(items, 0, segmentRows)
        : this.#gatherNarrow(new Int32Array(items.buffer, items.byteOffset, items.length), 0, 0, segmentRows);
    }
    return this.#gatherNarrow(items, 0, 0, segmentRows);
  }

  /** The dates of the given events. Throws 9006. */
  gatherDates({ arena, datesAt }: EventSegment, segmentRows: Uint32Array): Uint32Array {
    this.#dates ??= this.#memory.u32(BATCH_MAX);
    return gatherWords32(arena.u32, datesAt >> 2, segmentRows, this.#dates);
  }

  /** The entity rows of the given events. Throws 9006. */
  gatherRows({ arena, rowsAt }: EventSegment, segmentRows: Uint32Array): Uint32Array {
    return gatherWords32(arena.u32, rowsAt >> 2, segmentRows, this.rows());
  }

  /** A buffer for the rows of a batch's entries. Throws 9006. */
  rows(): Uint32Array {
    this.#rows ??= this.#memory.u32(BATCH_MAX);
    return this.#rows;
  }

  /** A buffer for the items of a batch, as positions in a heap. Throws 9006. */
  items(): Uint32Array {
    this.#items ??= this.#memory.u32(BATCH_MAX);
    return this.#items;
  }

  /** A buffer for the group keys of a batch's entries. Throws 9006. */
  groupKeys(): Uint32Array {
    this.#groupKeys ??= this.#memory.u32(BATCH_MAX);
    return this.#groupKeys;
  }

  /** The selected rows as a list. Throws 9006. */
  list(arena: Arena, segmentRows: SelectedRows): Uint32Array {
    this.#segmentRows ??= this.#memory.u32(BATCH_MAX);
    return this.#segmentRows.subarray(0, listSelectedRows(arena, segmentRows, this.#segmentRows));
  }

  /**
   * `shift`: unused high bits of a signed value, 0 for unsigned. Handles few array types, so that the compiled loop
   * stays monomorphic.
   */
  #gatherNarrow(
    values: Uint8Array | Uint16Array | Int32Array,
    at: number,
    shift: number,
    segmentRows: Uint32Array,
  ): ValueBatch {
    const narrow = this.#narrowBuffer();
    for (let index = 0; index < segmentRows.length; index++) {
      narrow[index] = (values[at + segmentRows[index]] << shift) >> shift;
    }
    return { narrow, words: null, points: null, stored: null };
  }

  #gatherBits(u8: Uint8Array, at: number, segmentRows: Uint32Array): ValueBatch {
    const narrow = this.#narrowBuffer();
    for (let index = 0; index < segmentRows.length; index++) {
      const segmentRow = segmentRows[index];
      narrow[index] = (u8[at + (segmentRow >> 3)] >> (segmentRow & 7)) & 1;
    }
    return { narrow, words: null, points: null, stored: null };
  }

  #narrowBuffer(): Int32Array {
    this.#narrow ??= new Int32Array(this.#memory.u32(BATCH_MAX).buffer);
    return this.#narrow;
  }

  #gatherWords(source: Uint32Array, at: number, segmentRows: Uint32Array): ValueBatch {
    this.#words ??= this.#memory.u32(BATCH_MAX * 2);
    const words = this.#words;
    for (let index = 0; index < segmentRows.length; index++) {
      const from = at + segmentRows[index] * 2;
      words[index * 2] = source[from];
      words[index * 2 + 1] = source[from + 1];
    }
    return { narrow: null, words, points: null, stored: null };
  }

  #gatherPoints(source: Float64Array, at: number, segmentRows: Uint32Array): ValueBatch {
    this.#points ??= new Float64Array(this.#memory.u32(BATCH_MAX * 4).buffer);
    const points = this.#points;
    for (let index = 0; index < segmentRows.length; index++) {
      const from = at + segmentRows[index] * 2;
      points[index * 2] = source[from];
      points[index * 2 + 1] = source[from + 1];
    }
    return { narrow: null, words: null, points, stored: null };
  }
}

function gatherWords32(
  words: Uint32Array,
  at: number,
  segmentRows: Uint32Array,
  out: Uint32Array,
): Uint32Array {
  for (let index = 0; index < segmentRows.length; index++) out[index] = words[at + segmentRows[index]];
  return out.subarray(0, segmentRows.length);
}
