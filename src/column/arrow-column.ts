/**
 * Columns of a snapshot file: typed arrays in Arrow's layout, views of memory that the caller owns.
 * Invariants: a column's arrays have exactly the file's row count (offsets one more, starting at 0, ascending); a value
 * whose validity bit is clear is meaningless but within bounds, and a list is empty there (some readers do not support
 * missing lists and show their items); numbers are little-endian.
 */

interface ArrowColumnCommon {
  readonly name: string;
  /** Bit 1 = has a value, least significant first; at least ceil(rows / 8) bytes; null = every row has one. */
  readonly validity: Uint8Array | null;
  /** Key-value pairs of the field's metadata. */
  readonly metadata?: ReadonlyMap<string, string>;
}

/** Concatenated strings: string i is bytes[offsets[i], offsets[i + 1]), UTF-8. */
export interface Utf8Values {
  readonly offsets: Int32Array | Uint32Array;
  readonly bytes: Uint8Array;
}

export type ArrowValues =
  | ({ readonly kind: 'utf8' } & Utf8Values)
  /** codes[row] is the index of the row's string in `dictionary`; valid at missing rows, too. */
  | {
      readonly kind: 'dictionary';
      readonly codes: Uint8Array | Uint16Array | Uint32Array;
      readonly dictionary: Utf8Values;
    }
  /** 64-bit integers as (low, high) pairs of u32 words: 2 per row. */
  | { readonly kind: 'int64'; readonly words: Uint32Array }
  | { readonly kind: 'int32'; readonly i32: Int32Array }
  | { readonly kind: 'uint32'; readonly u32: Uint32Array }
  /** Days since 1970-01-01. */
  | { readonly kind: 'date32'; readonly i32: Int32Array }
  /** Seconds since 1970-01-01T00:00:00Z, 64-bit, as (low, high) pairs of words. */
  | { readonly kind: 'timestamp'; readonly words: Uint32Array }
  /** One bit a row, least significant first; at least ceil(rows / 8) bytes. */
  | { readonly kind: 'bool'; readonly bits: Uint8Array }
  /** Value x 10^places as a 64-bit integer in (low, high) words; stored with 128 bits in the file. */
  | { readonly kind: 'decimal'; readonly words: Uint32Array; readonly places: number }
  /** (longitude, latitude) pairs in degrees: 2 numbers per row. */
  | { readonly kind: 'point'; readonly f64: Float64Array }
  /** Row i has items [offsets[i], offsets[i + 1]). An item is never missing and never a list. */
  | { readonly kind: 'list'; readonly offsets: Int32Array | Uint32Array; readonly items: ArrowItems };

export type ArrowItems = Exclude<ArrowValues, { readonly kind: 'list' }>;
export type ArrowColumn = ArrowColumnCommon & ArrowValues;

/** The contents of a snapshot file. All columns have `rowCount` rows. */
export interface ArrowTable {
  readonly columns: readonly ArrowColumn[];
  readonly rowCount: number;
  readonly metadata: ReadonlyMap<string, string>;
}

/** LZ4 frame functions, passed in by the caller because the codec belongs to a higher floor. */
export interface Lz4 {
  /**
   * Compresses `bytes` to one LZ4 frame, returned as consecutive parts; null when the frame would save too little to
   * justify decoding it. Runs on another thread. Parts may be views of `bytes`.
   */
  compress(bytes: Uint8Array): Promise<readonly Uint8Array[] | null>;
  /** Like `compress`, but synchronous on the calling thread. */
  compressSync(bytes: Uint8Array): readonly Uint8Array[] | null;
  /** Decompresses a frame into `into`. Throws an Error when the frame is damaged or has another length than `into`. */
  decompress(frame: Uint8Array, into: Uint8Array): void;
}

/** Converts unsigned 32-bit integers to 64-bit (low, high) words: event dates become a `timestamp` column. */
export function widenU32(values: Uint32Array): Uint32Array {
  const words = new Uint32Array(values.length * 2);
  for (let index = 0; index < values.length; index++) words[index * 2] = values[index];
  return words;
}

/** Returns the low words of 64-bit integers. Throws a RangeError when a value does not fit in 32 unsigned bits. */
export function narrowU32(words: Uint32Array): Uint32Array {
  const values = new Uint32Array(words.length >> 1);
  let high = 0;
  for (let index = 0; index < values.length; index++) {
    values[index] = words[index * 2];
    high |= words[index * 2 + 1];
  }
  if (high !== 0) throw new RangeError('a 64-bit integer does not fit 32 unsigned bits');
  return values;
}
