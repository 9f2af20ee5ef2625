/**
 * Values of a column of a text file, in the typed memory of an Arrow array. A text in its usual form is parsed from its bytes; any
 * other value is written as for bodies of rows (mapping/values.ts) and read back, so that both ways store the same.
 * Invariant: what a row gets replaces what it had, until the next row gets a value.
 */
import { type Data, type DataType, makeData } from 'apache-arrow';
import { sameBytes } from '../../../base/index.js';
import type { SourceValue } from '../formats/row-block.js';
import { ValueError, type ValueWriter } from '../mapping/values.js';
import { textOfBytes } from './text-block.js';

/** What became of a value. Refused: the row must be read by the rules of rows, which know the reason. */
export const REFUSED = 0;
export const MISSING = 1;
export const STORED = 2;
export type Outcome = typeof REFUSED | typeof MISSING | typeof STORED;

const encoder = new TextEncoder();

export abstract class ColumnBuilder {
  /** A byte per row. */
  readonly present: Uint8Array<ArrayBuffer>;
  readonly #write: ValueWriter;
  readonly #nulls: readonly Uint8Array[];

  constructor(rowsMax: number, write: ValueWriter, nulls: ReadonlySet<string>) {
    this.present = new Uint8Array(rowsMax);
    this.#write = write;
    this.#nulls = [...nulls].map((text) => encoder.encode(text));
  }

  /** A text of the file. */
  text(row: number, bytes: Uint8Array, from: number, to: number): Outcome {
    if (from === to || (this.#nulls.length > 0 && this.#isNull(bytes, from, to))) return this.missing(row);
    if (!this.parse(row, bytes, from, to)) return this.value(row, textOfBytes(bytes, from, to));
    this.present[row] = 1;
    return STORED;
  }

  /** The text of a number of JSON, of at most 15 digits. */
  number(row: number, bytes: Uint8Array, from: number, to: number): Outcome {
    if (!this.parseNumber(row, bytes, from, to)) return this.value(row, Number(textOfBytes(bytes, from, to)));
    this.present[row] = 1;
    return STORED;
  }

  value(row: number, value: SourceValue): Outcome {
    const written = this.#write(value);
    if (written === null) return this.missing(row);
    if (written instanceof ValueError || !this.json(row, written)) return REFUSED;
    return STORED;
  }

  missing(row: number): Outcome {
    this.present[row] = 0;
    return MISSING;
  }

  /** The text of a value in a body of rows. Returns false if the column's array cannot have it. */
  json(row: number, json: string): boolean {
    this.present[row] = 1;
    return this.parseJson(row, json);
  }

  /** The array of the first `count` rows. */
  finish(count: number): Data {
    let nullCount = 0;
    for (let row = 0; row < count; row++) if (this.present[row] === 0) nullCount++;
    return this.data(count, nullCount, nullCount === 0 ? undefined : bitsOf(this.present, count));
  }

  /** Called before the first row of a block. */
  begin(): void {}

  /** Returns false if the text does not have the usual form. */
  protected abstract parse(row: number, bytes: Uint8Array, from: number, to: number): boolean;
  protected abstract parseJson(row: number, json: string): boolean;
  protected abstract data(length: number, nullCount: number, nullBitmap: Uint8Array | undefined): Data;

  protected parseNumber(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    return this.parse(row, bytes, from, to);
  }

  #isNull(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#nulls.some((text) => isText(text, bytes, from, to));
  }
}

/** Whether the bytes [from, to) are those of a text. */
export const isText = (text: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean =>
  to - from === text.length && sameBytes(bytes, from, text, 0, text.length);

/** Bit `row & 7` of byte `row >> 3` is that of a row. */
export function bitsOf(values: Uint8Array, count: number): Uint8Array<ArrayBuffer> {
  const bits = new Uint8Array((count + 7) >> 3);
  for (let row = 0; row < count; row++) bits[row >> 3] |= values[row] << (row & 7);
  return bits;
}

/** An array of values of a fixed size. */
export const plainData = (
  type: DataType,
  [length, nullCount, nullBitmap]: readonly [number, number, Uint8Array | undefined],
  data: ArrayBufferView,
): Data => makeData({ type, length, nullCount, nullBitmap, data } as never) as Data;
