/**
 * Values as they lie in an arena, of a column or of events, as vectors: loops over whole runs, or over listed places.
 * Nothing here looks at validity; what lies in the place of a missing value is 0.
 */
import { textOfPoint, type ValueKind } from '../../schema/index.js';
import type { Arena, Width } from '../../storage/index.js';
import { type ExactVector, Texts, type TextVector, type Vector } from '../../vector/index.js';
import type { RowPlaces } from './row-places.js';

/** Where values lie. */
export interface StoredAt {
  readonly arena: Arena;
  readonly kind: ValueKind;
  readonly width: Width;
  /** Byte offset of the first value in the arena. */
  readonly valuesAt: number;
}

/** Arrays of at least so many elements as are asked for; those of the batch before may be given again. */
export interface BatchArrays {
  readonly numbers: (count: number) => Float64Array;
  readonly codes: (count: number) => Uint32Array;
  readonly bits: (count: number) => Uint8Array;
}

/** The least integer that is too great to lie among the numbers of a vector. */
export const UNSAFE = 2 ** 53;

/** `texts`: of the column's dictionary, where it is one of strings; `valid`: of the rows. */
export function readValues(
  stored: StoredAt,
  places: RowPlaces,
  valid: Uint8Array | null,
  texts: Texts | null,
  arrays: BatchArrays,
): Vector {
  const { arena, kind, width, valuesAt } = stored;
  const { count } = places;
  switch (kind) {
    case 'bits':
      return { kind: 'boolean', count, valid, bits: bitsOf(arena.u8, valuesAt, places, arrays.bits(count)) };
    case 'i32':
      return safe(readRun(arena.i32, valuesAt >> 2, places, arrays.numbers(count)), count, valid);
    case 'i64':
      if (width === 8) return readWide(arena, valuesAt, places, valid, arrays.numbers(count));
      if (width === 4)
        return safe(readRun(arena.i32, valuesAt >> 2, places, arrays.numbers(count)), count, valid);
      if (width === 2)
        return safe(readRun(arena.i16, valuesAt >> 1, places, arrays.numbers(count)), count, valid);
      return safe(readRun(arena.i8, valuesAt, places, arrays.numbers(count)), count, valid);
    case 'code':
      return codesOf(stored, places, valid, texts ?? NO_TEXTS(), arrays);
    case 'geo':
      return pointsOf(arena.f64, valuesAt >> 3, places, valid);
  }
}

/** One text that no row has: where a dictionary is not there, all values are missing. */
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
  { list, from, count }: RowPlaces,
  out: Float64Array,
): Float64Array {
  // Several times as fast as a loop.
  if (list === null) out.set(values.subarray(first + from, first + from + count));
  else for (let at = 0; at < count; at++) out[at] = values[first + list[at]];
  return out;
}

/** Integers of eight bytes: as numbers when all of them are safe. */
function readWide(
  { u32, i32 }: Arena,
  valuesAt: number,
  places: RowPlaces,
  valid: Uint8Array | null,
  out: Float64Array,
): ExactVector {
  const { list, from, count } = places;
  const first = valuesAt >> 2;
  let isSafe = true;
  for (let at = 0; at < count; at++) {
    const word = first + (list === null ? from + at : list[at]) * 2;
    const value = i32[word + 1] * 2 ** 32 + u32[word];
    out[at] = value;
    if (value >= UNSAFE || value <= -UNSAFE) isSafe = false;
  }
  if (isSafe) return safe(out, count, valid);
  const wide = new Array<bigint>(count);
  for (let at = 0; at < count; at++) {
    const word = first + (list === null ? from + at : list[at]) * 2;
    const value = out[at];
    // Only what is not held exactly is worth putting together.
    wide[at] =
      value < UNSAFE && value > -UNSAFE ? BigInt(value) : (BigInt(i32[word + 1]) << 32n) | BigInt(u32[word]);
  }
  return { kind: 'exact', count, valid, numbers: null, wide };
}

/** The integer at `place` as the nearest double. */
export function numberAt({ arena, width, valuesAt }: StoredAt, place: number): number {
  if (width === 1) return arena.i8[valuesAt + place];
  if (width === 2) return arena.i16[(valuesAt >> 1) + place];
  if (width === 4) return arena.i32[(valuesAt >> 2) + place];
  const word = (valuesAt >> 2) + place * 2;
  return arena.i32[word + 1] * 2 ** 32 + arena.u32[word];
}

/** Bits of a bitmap, each as 0 or 1. */
export function bitsOf(
  u8: Uint8Array,
  bitmapAt: number,
  { list, from, count }: RowPlaces,
  out: Uint8Array,
): Uint8Array {
  if (list === null) return bitsFrom(u8, bitmapAt, from, count, out);
  for (let at = 0; at < count; at++) {
    const place = list[at];
    out[at] = (u8[bitmapAt + (place >> 3)] >> (place & 7)) & 1;
  }
  return out;
}

/** Whole bytes at a time. */
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

const bitAt = (u8: Uint8Array, bitmapAt: number, place: number): number =>
  (u8[bitmapAt + (place >> 3)] >> (place & 7)) & 1;

/** Codes; where they lie as they are needed, they are not copied. */
function codesOf(
  { arena, width, valuesAt }: StoredAt,
  places: RowPlaces,
  valid: Uint8Array | null,
  texts: Texts,
  arrays: BatchArrays,
): TextVector {
  const { count, list, from } = places;
  let codes: Uint32Array;
  if (width === 4) {
    const first = valuesAt >> 2;
    codes =
      list === null
        ? arena.u32.subarray(first + from, first + from + count)
        : readCodesAt(arena.u32, first, places, arrays.codes(count));
  } else if (width === 2) codes = readCodesAt(arena.u16, valuesAt >> 1, places, arrays.codes(count));
  else codes = readCodesAt(arena.u8, valuesAt, places, arrays.codes(count));
  return { kind: 'text', count, valid, codes, texts };
}

function readCodesAt(
  values: Uint8Array | Uint16Array | Uint32Array,
  first: number,
  { list, from, count }: RowPlaces,
  out: Uint32Array,
): Uint32Array {
  if (list === null) out.set(values.subarray(first + from, first + from + count));
  else for (let at = 0; at < count; at++) out[at] = values[first + list[at]];
  return out;
}

/** Points as JSON. */
function pointsOf(
  f64: Float64Array,
  first: number,
  { list, from, count }: RowPlaces,
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
