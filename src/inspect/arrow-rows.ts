/**
 * Values of a snapshot file, row by row, for people to read. A file without a known checksum may contain anything: invalid
 * contents give a CorruptionError that names the file, never a wrong value.
 */
import { CorruptionError } from '../base/index.js';
import type { ArrowColumn, ArrowTable, ArrowValues, Utf8Values } from '../column/index.js';
import { formatDate, formatDateTime, formatDecimal } from '../schema/index.js';

/** A JSON value; integers beyond 2^53 are text, so that they keep their digits. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Returns the row as an object, column name -> value; null = no value. */
export function rowOf(table: ArrowTable, row: number, file: string): Readonly<Record<string, JsonValue>> {
  const entries: [string, JsonValue][] = table.columns.map((column) => [
    column.name,
    jsonOf(column, row, file),
  ]);
  return Object.fromEntries(entries);
}

function jsonOf(column: ArrowColumn, row: number, file: string): JsonValue {
  const { validity, name } = column;
  if (validity !== null && (validity[row >> 3] & (1 << (row & 7))) === 0) return null;
  try {
    return valueAt(column, row);
  } catch (error) {
    throw new CorruptionError(file, 0, `row ${row} of column ${name}: ${(error as Error).message}`);
  }
}

export function valueAt(values: ArrowValues, at: number): JsonValue {
  switch (values.kind) {
    case 'utf8':
      return textAt(values, at);
    case 'dictionary':
      return textAt(values.dictionary, values.codes[at]);
    case 'int64':
      return jsonOfInteger(integerAt(values.words, at));
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

export const jsonOfInteger = (value: bigint): JsonValue =>
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
    throw new Error('its position is outside the file');
  }
}
