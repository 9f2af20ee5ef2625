/**
 * The contract of the kernels: loops over typed arrays that lie in one arena. Two sets fulfil it, SIMD
 * (wasm/, AssemblyScript) and its twins in plain TypeScript (js/); `kernelsFor` picks one per arena.
 * Rules for all: pointers are byte offsets into the arena's memory, 8-aligned; a bitmap holds one bit per row,
 * least significant first, and takes bitmapBytes(n) bytes, of which the bits from n on are written as 0;
 * `validity` is a bitmap with 1 = has a value, or 0 for "all have one"; `out` may alias an input bitmap (but not
 * a `table`). Values, codes, points and bitmaps are readable to the end of their last 128-row group, and what
 * they hold from row n on does not matter; row lists need no such room.
 * Every filter returns the number of bits it set. Callers check bounds once per segment; kernels do not.
 */

/** Bytes of a bitmap over n rows, whole 128-bit vectors. */
export const bitmapBytes = (n: number): number => ((n + 127) >>> 7) << 4;

export interface Kernels {
  readonly name: 'simd' | 'js';

  /** Rows with low <= value <= high (negated: outside), that have a value. i64 values, low <= high. */
  rangeI64(
    values: number,
    validity: number,
    n: number,
    low: bigint,
    high: bigint,
    negated: boolean,
    out: number,
  ): number;
  /** The same for i32 values (dates). */
  rangeI32(
    values: number,
    validity: number,
    n: number,
    low: number,
    high: number,
    negated: boolean,
    out: number,
  ): number;
  /** The same for i16 and i8 values; low and high fit the width. */
  rangeI16(
    values: number,
    validity: number,
    n: number,
    low: number,
    high: number,
    negated: boolean,
    out: number,
  ): number;
  rangeI8(
    values: number,
    validity: number,
    n: number,
    low: number,
    high: number,
    negated: boolean,
    out: number,
  ): number;
  /** Of the rows set in `bitmap`, keeps those that rangeI64 would keep; changes it in place. For sparse bitmaps. */
  refineI64(
    values: number,
    validity: number,
    n: number,
    low: bigint,
    high: bigint,
    negated: boolean,
    bitmap: number,
  ): number;
  /** The same by rangeI32. */
  refineI32(
    values: number,
    validity: number,
    n: number,
    low: number,
    high: number,
    negated: boolean,
    bitmap: number,
  ): number;
  /** The same for u32 values without missing ones (event dates). */
  rangeU32(values: number, n: number, low: number, high: number, out: number): number;

  /**
   * Rows whose code equals `code`; a code is never 0 for a present value, so no validity is needed. A `code` too
   * wide for the column equals none.
   */
  equalU8(codes: number, n: number, code: number, negated: boolean, out: number): number;
  equalU16(codes: number, n: number, code: number, negated: boolean, out: number): number;
  /** negated: code differs and is not 0 (missing). The same in all three widths. */
  equalU32(codes: number, n: number, code: number, negated: boolean, out: number): number;

  /**
   * Rows whose code's bit is set in the bitmap `table` (bit 0 is for missing and set by the caller to 0). The table
   * spans every code below row n: always 32 bytes for U8, whole 4-byte words for the others.
   */
  memberU8(codes: number, n: number, table: number, out: number): number;
  memberU16(codes: number, n: number, table: number, out: number): number;
  memberU32(codes: number, n: number, table: number, out: number): number;

  /** Rows whose bit equals `wanted` and that have a value. */
  bitsEqual(bits: number, validity: number, n: number, wanted: boolean, out: number): number;

  /** Rows whose point lies in the box (west > east: across the antimeridian); negated: outside. (lon, lat) f64 pairs. */
  geoBox(
    points: number,
    validity: number,
    n: number,
    west: number,
    south: number,
    east: number,
    north: number,
    negated: boolean,
    out: number,
  ): number;
  /** Rows whose point lies within radiusKm of (longitude, latitude) on a sphere of 6371.0088 km; negated: beyond. */
  geoRadius(
    points: number,
    validity: number,
    n: number,
    longitude: number,
    latitude: number,
    radiusKm: number,
    negated: boolean,
    out: number,
  ): number;

  /** a & b, a | b, a & ~b over n rows into out; each returns the bits set. */
  and(a: number, b: number, n: number, out: number): number;
  or(a: number, b: number, n: number, out: number): number;
  andNot(a: number, b: number, n: number, out: number): number;
  /** Sets bits [0, n) and clears the rest of the last vector. */
  fill(n: number, out: number): void;
  /** Clears the bitmap over n rows. */
  clear(n: number, out: number): void;
  /** Bits set among the first n. */
  count(bitmap: number, n: number): number;

  /** Writes rows[i] (u32) for every set bit i of `bitmap` below n to out (u32), in order; returns how many. */
  gatherU32(bitmap: number, n: number, rows: number, out: number): number;

  /**
   * Adds up the values of the rows set in `bitmap` (0 = all), of at most 65,536 rows, exactly; returns how many
   * rows they are. Writes 16 bytes, also for none: two i64 of which the sum is first + second * 2^32.
   */
  sumI64(values: number, bitmap: number, n: number, out: number): number;
  /** The same for i32, i16 and i8 values; the second i64 is 0. */
  sumI32(values: number, bitmap: number, n: number, out: number): number;
  sumI16(values: number, bitmap: number, n: number, out: number): number;
  sumI8(values: number, bitmap: number, n: number, out: number): number;

  /**
   * The least and the greatest value of the rows set in `bitmap` (0 = all); returns how many rows they are. Writes
   * 16 bytes, two i64, unless there are none.
   */
  extremesI64(values: number, bitmap: number, n: number, out: number): number;
  /** The same for i32, i16 and i8 values, extended to i64. */
  extremesI32(values: number, bitmap: number, n: number, out: number): number;
  extremesI16(values: number, bitmap: number, n: number, out: number): number;
  extremesI8(values: number, bitmap: number, n: number, out: number): number;

  /**
   * Adds 1 to table[code], u32 each, for every row set in `bitmap` (0 = all), code 0 included. The table spans every
   * code of those rows, and is cleared by the caller.
   */
  countCodesU8(codes: number, bitmap: number, n: number, table: number): void;
  countCodesU16(codes: number, bitmap: number, n: number, table: number): void;
  countCodesU32(codes: number, bitmap: number, n: number, table: number): void;

  /**
   * Adds table[value - least] to the cell of every row, u16 each, whose sums wrap around. The table spans every value
   * below row n, those of rows without a value (0) too.
   */
  addCellsU8(values: number, n: number, least: number, table: number, cells: number): void;
  addCellsU16(values: number, n: number, least: number, table: number, cells: number): void;
  addCellsI8(values: number, n: number, least: number, table: number, cells: number): void;
  addCellsI16(values: number, n: number, least: number, table: number, cells: number): void;
  /** Of codes too: they lie below 2^31. */
  addCellsI32(values: number, n: number, least: number, table: number, cells: number): void;
  /** Adds `set` to the cells of the rows that are set in `bitmap` (0 = all), `clear` to those of the others. */
  addCellsBits(bitmap: number, n: number, set: number, clear: number, cells: number): void;
  /** Adds each value to sums[cell], i64 each, for every row set in `bitmap` (0 = all). `sums` spans every cell of those rows. */
  sumCellsI8(values: number, cells: number, bitmap: number, n: number, sums: number): void;
  sumCellsI16(values: number, cells: number, bitmap: number, n: number, sums: number): void;
  sumCellsI32(values: number, cells: number, bitmap: number, n: number, sums: number): void;
  /** Widens extremes[cell], the least and the greatest value as i32 each, by each value of the rows set in `bitmap` (0 = all). */
  extremesCellsI8(values: number, cells: number, bitmap: number, n: number, extremes: number): void;
  extremesCellsI16(values: number, cells: number, bitmap: number, n: number, extremes: number): void;
  extremesCellsI32(values: number, cells: number, bitmap: number, n: number, extremes: number): void;
}
