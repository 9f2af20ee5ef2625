/**
 * Values of some rows, events or list items, one behind the other, in the form in which moments are taken of them.
 */
import { type MemoryAccount, SEGMENT_ROWS_MAX } from '../../base/index.js';
import type { ValueKind } from '../../schema/index.js';
import type { Arena, EventSegment, ListColumn, Width } from '../../storage/index.js';
import { listPlaces, type Places } from '../condition/places.js';
import type { QueryRun } from '../query-run.js';

/** Entries of a batch at most. */
export const BATCH_MAX = SEGMENT_ROWS_MAX;

export type NarrowValues = Int8Array | Int16Array | Int32Array;

/** Entry i is narrow[i]; or the (low, high) words at words[2 i]; or (longitude, latitude) at points[2 i]. */
export interface ValueBatch {
  /** Integers, days and bits; codes too, as unsigned ones. */
  readonly narrow: NarrowValues | null;
  readonly words: Uint32Array | null;
  readonly points: Float64Array | null;
  /** Set where the entries lie in an arena as a column holds them, so that kernels can run over them. */
  readonly stored: { readonly arena: Arena; readonly at: number; readonly width: Width } | null;
}

/** Where values lie in an arena: a latest-value column of a segment or a segment of events. */
export interface StoredColumn {
  readonly arena: Arena;
  readonly kind: ValueKind;
  readonly width: Width;
  readonly valuesAt: number;
}

/** Bytes of a number of the column. */
export function storedWidth({ kind, width }: StoredColumn): Width {
  return kind === 'i32' ? 4 : width;
}

/** Integers or days at places [from, to), where they lie: views. */
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

/** Room for one batch at a time, taken as it is needed. A batch is valid until the next one is gathered. */
export class BatchBuffers {
  readonly #memory: MemoryAccount;
  #narrow: Int32Array | null = null;
  #words: Uint32Array | null = null;
  #points: Float64Array | null = null;
  #places: Uint32Array | null = null;
  #dates: Uint32Array | null = null;
  #rows: Uint32Array | null = null;
  #items: Uint32Array | null = null;
  #cells: Uint32Array | null = null;

  constructor(run: QueryRun) {
    this.#memory = run.child();
  }

  /** Gives the memory back. */
  release(): void {
    this.#memory.releaseAll();
  }

  /** The values at the places of a column. Throws 9006. */
  gather({ arena, kind, width, valuesAt }: StoredColumn, places: Uint32Array): ValueBatch {
    if (kind === 'geo') return this.#gatherPoints(arena.f64, valuesAt >> 3, places);
    if (kind === 'bits') return this.#gatherBits(arena.u8, valuesAt, places);
    if (kind === 'i32' || width === 4) return this.#gatherNarrow(arena.i32, valuesAt >> 2, 0, places);
    if (width === 8) return this.#gatherWords(arena.u32, valuesAt >> 2, places);
    const isSigned = kind === 'i64';
    return width === 2
      ? this.#gatherNarrow(arena.u16, valuesAt >> 1, isSigned ? 16 : 0, places)
      : this.#gatherNarrow(arena.u8, valuesAt, isSigned ? 24 : 0, places);
  }

  /** The items at the places of a list column's heap. Throws 9006. */
  gatherItems({ kind, items }: ListColumn, places: Uint32Array): ValueBatch {
    if (items instanceof Float64Array) return this.#gatherPoints(items, 0, places);
    if (items instanceof Uint32Array) {
      return kind === 'i64'
        ? this.#gatherWords(items, 0, places)
        : this.#gatherNarrow(new Int32Array(items.buffer, items.byteOffset, items.length), 0, 0, places);
    }
    return this.#gatherNarrow(items, 0, 0, places);
  }

  /** The dates of events at the places. Throws 9006. */
  gatherDates({ arena, datesAt }: EventSegment, places: Uint32Array): Uint32Array {
    this.#dates ??= this.#memory.u32(BATCH_MAX);
    return gatherWords32(arena.u32, datesAt >> 2, places, this.#dates);
  }

  /** The rows of events at the places. Throws 9006. */
  gatherRows({ arena, rowsAt }: EventSegment, places: Uint32Array): Uint32Array {
    return gatherWords32(arena.u32, rowsAt >> 2, places, this.rows());
  }

  /** Room for the rows of a batch's entries. Throws 9006. */
  rows(): Uint32Array {
    this.#rows ??= this.#memory.u32(BATCH_MAX);
    return this.#rows;
  }

  /** Room for the items of a batch, as places of a heap. Throws 9006. */
  items(): Uint32Array {
    this.#items ??= this.#memory.u32(BATCH_MAX);
    return this.#items;
  }

  /** Room for the cells of a batch's entries. Throws 9006. */
  cells(): Uint32Array {
    this.#cells ??= this.#memory.u32(BATCH_MAX);
    return this.#cells;
  }

  /** The selected places as a list. Throws 9006. */
  list(arena: Arena, places: Places): Uint32Array {
    this.#places ??= this.#memory.u32(BATCH_MAX);
    return this.#places.subarray(0, listPlaces(arena, places, this.#places));
  }

  /** `shift`: bits above those of a signed value, 0 for others. Of few array types, since the loop is compiled once. */
  #gatherNarrow(
    values: Uint8Array | Uint16Array | Int32Array,
    at: number,
    shift: number,
    places: Uint32Array,
  ): ValueBatch {
    const narrow = this.#narrowRoom();
    for (let index = 0; index < places.length; index++) {
      narrow[index] = (values[at + places[index]] << shift) >> shift;
    }
    return { narrow, words: null, points: null, stored: null };
  }

  #gatherBits(u8: Uint8Array, at: number, places: Uint32Array): ValueBatch {
    const narrow = this.#narrowRoom();
    for (let index = 0; index < places.length; index++) {
      const place = places[index];
      narrow[index] = (u8[at + (place >> 3)] >> (place & 7)) & 1;
    }
    return { narrow, words: null, points: null, stored: null };
  }

  #narrowRoom(): Int32Array {
    this.#narrow ??= new Int32Array(this.#memory.u32(BATCH_MAX).buffer);
    return this.#narrow;
  }

  #gatherWords(source: Uint32Array, at: number, places: Uint32Array): ValueBatch {
    this.#words ??= this.#memory.u32(BATCH_MAX * 2);
    const words = this.#words;
    for (let index = 0; index < places.length; index++) {
      const from = at + places[index] * 2;
      words[index * 2] = source[from];
      words[index * 2 + 1] = source[from + 1];
    }
    return { narrow: null, words, points: null, stored: null };
  }

  #gatherPoints(source: Float64Array, at: number, places: Uint32Array): ValueBatch {
    this.#points ??= new Float64Array(this.#memory.u32(BATCH_MAX * 4).buffer);
    const points = this.#points;
    for (let index = 0; index < places.length; index++) {
      const from = at + places[index] * 2;
      points[index * 2] = source[from];
      points[index * 2 + 1] = source[from + 1];
    }
    return { narrow: null, words: null, points, stored: null };
  }
}

function gatherWords32(words: Uint32Array, at: number, places: Uint32Array, out: Uint32Array): Uint32Array {
  for (let index = 0; index < places.length; index++) out[index] = words[at + places[index]];
  return out.subarray(0, places.length);
}
