/** The fields of a row of text, as ranges of bytes. */

/** What a field has. */
export const ABSENT = 0;
export const TEXT = 1;
/** A text whose bytes are in `unescaped`. */
export const UNESCAPED = 2;
/** A text of JSON with escapes, in its quotes. */
export const ESCAPED = 3;
/** A number of JSON with at most NUMBER_DIGITS_MAX digits. */
export const NUMBER = 4;
export const TRUE = 5;
export const FALSE = 6;
export const NULL = 7;

/** Every number of so many digits is a double. */
export const NUMBER_DIGITS_MAX = 15;

export interface RowFields {
  /** By column of the file. */
  readonly kinds: Uint8Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly unescaped: Uint8Array;
  /** Columns of the last row whose text is empty by intent. */
  readonly emptyAt: number[];
}

export interface RowReader {
  readonly fields: RowFields;
  /** Reads the row in [from, to) into `fields`. Returns false if its form is unusual or wrong. */
  read(bytes: Uint8Array, from: number, to: number): boolean;
}

export const newFields = (count: number): RowFields => ({
  kinds: new Uint8Array(count),
  from: new Int32Array(count),
  to: new Int32Array(count),
  unescaped: new Uint8Array(2 ** 20),
  emptyAt: [],
});
