/**
 * Values of a snapshot file, row by row, for people to read. A file whose checksum nobody knows may hold anything: what
 * does not fit is a CorruptionError that names the file, never a wrong value.
 */
import { CorruptionError } from '../base/index.js';
import type { ArrowColumn, ArrowTable, ArrowValues, Utf8Values } from '../column/index.js';
import { formatDate, formatDateTime, formatDecimal } from '../schema/index.js';

/** What JSON can say; integers beyond 2^53 as text, so that they keep their digits. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

/** The row as an object, column name -> value; null = has none. */
export function rowOf(table: ArrowTable, row: number, file: string): Readonly<Record<string, Cell>> {
  const cells: [string, Cell][] = table.columns.map((column) => [column.name, cellOf(column, row, file)]);
  return Object.fromEntries(cells);
}

function cellOf(column: ArrowColumn, row: number, file: string): Cell {
  const { validity, name } = column;
  if (validity !== null && (validity[row >> 3] & (1 << (row & 7))) === 0) return null;
  try {
    return valueAt(column, row);
  } catch (error) {
    throw new CorruptionError(file, 0, `row ${row} of column ${name}: ${(error as Error).message}`);
  }
}

export function valueAt(values: ArrowValues, at: number): Cell {
  switch (values.kind) {
    case 'utf8':
      return textAt(values, at);
    case 'dictionary':
      return textAt(values.dictionary, values.codes[at]);
    case 'int64':
      return cellOfInteger(integerAt(values.words, at));
    case 'decimal':
      return formatDecimal(integerAt(values.words, at), values.places);
    case 'timestamp':
      return formatDateTime(Number(integerAt(values.words, at)));
    case 'int32':
      return values.i32[at];
    case 'uint32':
      return values.u32[at];
    case 'date32':
      return formatDate(values.i32[at]);
    case 'bool':
      return (values.bits[at >> 3] & (1 << (at & 7))) !== 0;
    case 'point':
      return { longitude: values.f64[at * 2], latitude: values.f64[at * 2 + 1] };
    case 'list': {
      const { offsets, items } = values;
      checkRange(offsets[at], offsets[at + 1], Number.MAX_SAFE_INTEGER);
      return Array.from({ length: offsets[at + 1] - offsets[at] }, (_, index) =>
        valueAt(items, offsets[at] + index),
      );
    }
  }
}

/** A signed 64-bit integer from (low, high) words. */
export const integerAt = (words: Uint32Array, at: number): bigint =>
  BigInt.asIntN(64, (BigInt(words[at * 2 + 1]) << 32n) | BigInt(words[at * 2]));

export const cellOfInteger = (value: bigint): Cell =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

export function textAt({ offsets, bytes }: Utf8Values, at: number): string {
  checkRange(offsets[at], offsets[at + 1], bytes.length);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(
    'utf8',
    offsets[at],
    offsets[at + 1],
  );
}

function checkRange(from: number | undefined, to: number | undefined, end: number): void {
  if (from === undefined || to === undefined || from < 0 || to < from || to > end) {
    throw new Error('its place lies outside the file');
  }
}
