/**
 * Columns as they stand in a snapshot file: plain typed arrays in Arrow's layout, views of memory that somebody
 * else owns. Invariants: a column's arrays hold exactly the file's row count (offsets one more, starting at 0,
 * ascending); under a clear validity bit the value is meaningless but in bounds, and a list empty (some readers know
 * no missing lists and show what lies there); numbers are little-endian.
 */

interface ArrowColumnCommon {
  readonly name: string;
  /** Bit 1 = has a value, least significant first; at least ceil(rows / 8) bytes; null = every row has one. */
  readonly validity: Uint8Array | null;
  /** Key-value pairs kept with the field. */
  readonly metadata?: ReadonlyMap<string, string>;
}

/** Strings one behind the other: string i is bytes[offsets[i], offsets[i + 1]), UTF-8. */
export interface Utf8Values {
  readonly offsets: Int32Array | Uint32Array;
  readonly bytes: Uint8Array;
}

export type ArrowValues =
  | ({ readonly kind: 'utf8' } & Utf8Values)
  /** codes[row] is the position of the row's string in `dictionary`, at missing rows too. */
  | {
      readonly kind: 'dictionary';
      readonly codes: Uint8Array | Uint16Array | Uint32Array;
      readonly dictionary: Utf8Values;
    }
  /** 64-bit integers as (low, high) pairs of words: 2 a row. */
  | { readonly kind: 'int64'; readonly words: Uint32Array }
  | { readonly kind: 'int32'; readonly i32: Int32Array }
  | { readonly kind: 'uint32'; readonly u32: Uint32Array }
  /** Days since 1970-01-01. */
  | { readonly kind: 'date32'; readonly i32: Int32Array }
  /** Seconds since 1970-01-01T00:00:00Z, 64-bit, as (low, high) pairs of words. */
  | { readonly kind: 'timestamp'; readonly words: Uint32Array }
  /** One bit a row, least significant first; at least ceil(rows / 8) bytes. */
  | { readonly kind: 'bool'; readonly bits: Uint8Array }
  /** Value x 10^places as a 64-bit integer in (low, high) words; in the file 128 bits wide. */
  | { readonly kind: 'decimal'; readonly words: Uint32Array; readonly places: number }
  /** (longitude, latitude) pairs, degrees: 2 a row. */
  | { readonly kind: 'point'; readonly f64: Float64Array }
  /** Items of row i are items [offsets[i], offsets[i + 1]); an item is never missing and never a list. */
  | { readonly kind: 'list'; readonly offsets: Int32Array | Uint32Array; readonly items: ArrowItems };

export type ArrowItems = Exclude<ArrowValues, { readonly kind: 'list' }>;
export type ArrowColumn = ArrowColumnCommon & ArrowValues;

/** A whole snapshot file: all columns have `rowCount` rows. */
export interface ArrowTable {
  readonly columns: readonly ArrowColumn[];
  readonly rowCount: number;
  readonly metadata: ReadonlyMap<string, string>;
}

/** The LZ4 frame functions that the files need; given by the caller, because the codec's door is a higher floor. */
export interface Lz4 {
  /**
   * `bytes` as one LZ4 frame, in parts to be written one behind the other; null when that would save too little to
   * be worth its decoding. Runs beside the calling thread. Parts may be views of `bytes`.
   */
  compress(bytes: Uint8Array): Promise<readonly Uint8Array[] | null>;
  /** The same at once, on the calling thread. */
  compressSync(bytes: Uint8Array): readonly Uint8Array[] | null;
  /** Fills all of `into` from a frame; throws an Error when the frame is damaged or holds another number of bytes. */
  decompress(frame: Uint8Array, into: Uint8Array): void;
}

/** Unsigned 32-bit integers as 64-bit (low, high) words: event seconds on their way into a `timestamp` column. */
export function widenU32(values: Uint32Array): Uint32Array {
  const words = new Uint32Array(values.length * 2);
  for (let index = 0; index < values.length; index++) words[index * 2] = values[index];
  return words;
}

/** The low words of 64-bit integers; throws a RangeError when one does not fit 32 unsigned bits. */
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
