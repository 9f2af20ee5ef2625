/**
 * Reads values of a column or of events from an arena into vectors: loops over ranges or listed rows.
 * Validity is not checked here; a missing value is stored as 0.
 */
import { textOfPoint, type ValueKind } from '../../schema/index.js';
import { type Arena, readIntegers, type Width } from '../../storage/index.js';
import { type ExactVector, halvesOf, Texts, type TextVector, type Vector } from '../../vector/index.js';
import type { RowSet } from './row-set.js';

/** The location of stored values. */
export interface StoredAt {
  readonly arena: Arena;
  readonly kind: ValueKind;
  readonly width: Width;
  /** Byte offset of the first value in the arena. */
  readonly valuesAt: number;
}

/** Provides arrays of at least the requested length, which may be reused from the previous batch. */
export interface BatchArrays {
  readonly numbers: (count: number) => Float64Array;
  readonly codes: (count: number) => Uint32Array;
  readonly bits: (count: number) => Uint8Array;
}

/** The least integer that is too large for the numbers of a vector. */
export const UNSAFE = 2 ** 53;

/** Reads the values of rows. `texts`: the dictionary of a string column; `valid`: the validity of the rows. */
export function readValues(
  stored: StoredAt,
  rowSet: RowSet,
  valid: Uint8Array | null,
  texts: Texts | null,
  arrays: BatchArrays,
): Vector {
  const { arena, kind, width, valuesAt } = stored;
  const { count } = rowSet;
  switch (kind) {
    case 'bits':
      return { kind: 'boolean', count, valid, bits: bitsOf(arena.u8, valuesAt, rowSet, arrays.bits(count)) };
    case 'i32':
      return safe(readRun(arena.i32, valuesAt >> 2, rowSet, arrays.numbers(count)), count, valid);
    case 'i64':
      if (width === 8) return readWide(arena, valuesAt, rowSet, valid, arrays.numbers(count));
      if (width === 4)
        return safe(readRun(arena.i32, valuesAt >> 2, rowSet, arrays.numbers(count)), count, valid);
      if (width === 2)
        return safe(readRun(arena.i16, valuesAt >> 1, rowSet, arrays.numbers(count)), count, valid);
      return safe(readRun(arena.i8, valuesAt, rowSet, arrays.numbers(count)), count, valid);
    case 'code':
      return codesOf(stored, rowSet, valid, texts ?? NO_TEXTS(), arrays);
    case 'geo':
      return pointsOf(arena.f64, valuesAt >> 3, rowSet, valid);
  }
}

/** A dictionary of one unused text, for columns without a dictionary, whose values are all missing. */
export const NO_TEXTS = (): Texts => Texts.ofStrings(['']);

const safe = (numbers: Float64Array, count: number, valid: Uint8Array | null): ExactVector => ({
  kind: 'exact',
  count,
  valid,
  numbers,
  wide: null,
});

function readRun(
  values: Int8Array | Int16Array | Int32Array,
  first: number,
  { list, from, count }: RowSet,
  out: Float64Array,
): Float64Array {
  // `set` is several times faster than a loop.
  if (list === null) out.set(values.subarray(first + from, first + from + count));
  else for (let at = 0; at < count; at++) out[at] = values[first + list[at]];
  return out;
}

/** Reads 8-byte integers: as numbers if all of them are safe. */
function readWide(
  { u32, i32 }: Arena,
  valuesAt: number,
  rowSet: RowSet,
  valid: Uint8Array | null,
  out: Float64Array,
): ExactVector {
  const { list, from, count } = rowSet;
  const first = valuesAt >> 2;
  let isSafe = true;
  for (let at = 0; at < count; at++) {
    const word = first + (list === null ? from + at : list[at]) * 2;
    const value = i32[word + 1] * 2 ** 32 + u32[word];
    out[at] = value;
    if (value >= UNSAFE || value <= -UNSAFE) isSafe = false;
  }
  if (isSafe) return safe(out, count, valid);
  const wide = new BigInt64Array(count);
  const halves = halvesOf(wide);
  for (let at = 0; at < count; at++) {
    const word = first + (list === null ? from + at : list[at]) * 2;
    halves[at * 2] = i32[word];
    halves[at * 2 + 1] = i32[word + 1];
  }
  return { kind: 'exact', count, valid, numbers: null, wide };
}

/** The integer, days or bit of `row` as the nearest double. */
export function numberAt({ arena, kind, width, valuesAt }: StoredAt, row: number): number {
  if (kind === 'bits') return (arena.u8[valuesAt + (row >> 3)] >> (row & 7)) & 1;
  if (kind === 'i32' || width === 4) return arena.i32[(valuesAt >> 2) + row];
  if (width === 2) return arena.i16[(valuesAt >> 1) + row];
  if (width === 1) return arena.i8[valuesAt + row];
  const word = (valuesAt >> 2) + row * 2;
  return arena.i32[word + 1] * 2 ** 32 + arena.u32[word];
}

/** The exact integer, days or bit of `row`. */
export function integerAt(stored: StoredAt, row: number): bigint {
  const { arena, kind, width, valuesAt } = stored;
  if (kind !== 'i64' || width !== 8) return BigInt(numberAt(stored, row));
  const [low, high] = readIntegers(arena, valuesAt + row * width, width, 1);
  return (BigInt(high | 0) << 32n) | BigInt(low);
}

/** The code of `row` in a column of strings. */
export function codeAt({ arena, width, valuesAt }: StoredAt, row: number): number {
  if (width === 1) return arena.u8[valuesAt + row];
  return width === 2 ? arena.u16[(valuesAt >> 1) + row] : arena.u32[(valuesAt >> 2) + row];
}

/** Expands bits of a bitmap to bytes 0 or 1. */
export function bitsOf(
  u8: Uint8Array,
  bitmapAt: number,
  { list, from, count }: RowSet,
  out: Uint8Array,
): Uint8Array {
  if (list === null) return bitsFrom(u8, bitmapAt, from, count, out);
  for (let at = 0; at < count; at++) {
    const row = list[at];
    out[at] = (u8[bitmapAt + (row >> 3)] >> (row & 7)) & 1;
  }
  return out;
}

/** Expands whole bytes at a time. */
function bitsFrom(
  u8: Uint8Array,
  bitmapAt: number,
  from: number,
  count: number,
  out: Uint8Array,
): Uint8Array {
  const start = Math.min(-from & 7, count);
  const end = start + ((count - start) & ~7);
  for (let at = 0; at < start; at++) out[at] = bitAt(u8, bitmapAt, from + at);
  let byteAt = bitmapAt + ((from + start) >> 3);
  for (let at = start; at < end; at += 8) {
    const byte = u8[byteAt++];
    out[at] = byte & 1;
    out[at + 1] = (byte >> 1) & 1;
    out[at + 2] = (byte >> 2) & 1;
    out[at + 3] = (byte >> 3) & 1;
    out[at + 4] = (byte >> 4) & 1;
    out[at + 5] = (byte >> 5) & 1;
    out[at + 6] = (byte >> 6) & 1;
    out[at + 7] = byte >> 7;
  }
  for (let at = end; at < count; at++) out[at] = bitAt(u8, bitmapAt, from + at);
  return out;
}

const bitAt = (u8: Uint8Array, bitmapAt: number, row: number): number =>
  (u8[bitmapAt + (row >> 3)] >> (row & 7)) & 1;

/** Reads codes; 4-byte codes of a range are not copied. */
function codesOf(
  { arena, width, valuesAt }: StoredAt,
  rowSet: RowSet,
  valid: Uint8Array | null,
  texts: Texts,
  arrays: BatchArrays,
): TextVector {
  const { count, list, from } = rowSet;
  let codes: Uint32Array;
  if (width === 4) {
    const first = valuesAt >> 2;
    codes =
      list === null
        ? arena.u32.subarray(first + from, first + from + count)
        : readCodesAt(arena.u32, first, rowSet, arrays.codes(count));
  } else if (width === 2) codes = readCodesAt(arena.u16, valuesAt >> 1, rowSet, arrays.codes(count));
  else codes = readCodesAt(arena.u8, valuesAt, rowSet, arrays.codes(count));
  return { kind: 'text', count, valid, codes, texts };
}

function readCodesAt(
  values: Uint8Array | Uint16Array | Uint32Array,
  first: number,
  { list, from, count }: RowSet,
  out: Uint32Array,
): Uint32Array {
  if (list === null) out.set(values.subarray(first + from, first + from + count));
  else for (let at = 0; at < count; at++) out[at] = values[first + list[at]];
  return out;
}

/** Formats points as JSON. */
function pointsOf(
  f64: Float64Array,
  first: number,
  { list, from, count }: RowSet,
  valid: Uint8Array | null,
): TextVector {
  const texts = new Array<string>(count);
  for (let at = 0; at < count; at++) {
    const element = first + (list === null ? from + at : list[at]) * 2;
    texts[at] =
      valid !== null && valid[at] === 0
        ? ''
        : textOfPoint({ longitude: f64[element], latitude: f64[element + 1] });
  }
  return { kind: 'text', count, valid, codes: null, texts: Texts.ofStrings(texts) };
}
