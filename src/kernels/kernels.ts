/**
 * The interface of the kernels: loops over typed arrays in one arena. Two implementations exist, SIMD (wasm/, AssemblyScript) and
 * twins in plain TypeScript (js/); `kernelsFor` selects one per arena.
 * Rules for all kernels: pointers are byte offsets into the arena's memory, 8-aligned. A bitmap has one bit per row, least
 * significant first, and takes bitmapBytes(n) bytes; the bits from n on are written as 0. `validity` is a bitmap with 1 = has a
 * value, or 0 for "all rows have one". `out` may alias an input bitmap (but not a `table`). Values, codes, points and bitmaps
 * must be readable to the end of their last 128-row group, with arbitrary contents from row n on; row lists need no such padding.
 * Every filter returns the number of bits it set. Callers check bounds once per segment; kernels do not.
 */

/** Size in bytes of a bitmap over n rows: whole 128-bit vectors. */
export const bitmapBytes = (n: number): number => ((n + 127) >>> 7) << 4;

export interface Kernels {
  readonly name: 'simd' | 'js';

  /** Selects rows that have a value with low <= value <= high (negated: outside). i64 values, low <= high. */
  rangeI64(
    values: number,
    validity: number,
    n: number,
    low: bigint,
    high: bigint,
    negated: boolean,
    out: number,
  ): number;
  /** Like rangeI64, for i32 values (dates). */
  rangeI32(
    values: number,
    validity: number,
    n: number,
    low: number,
    high: number,
    negated: boolean,
    out: number,
  ): number;
  /** Like rangeI64, for i16 and i8 values; low and high fit the width. */
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
  /** Keeps the rows set in `bitmap` that rangeI64 would select; modifies the bitmap in place. For sparse bitmaps. */
  refineI64(
    values: number,
    validity: number,
    n: number,
    low: bigint,
    high: bigint,
    negated: boolean,
    bitmap: number,
  ): number;
  /** Like refineI64, for i32 values. */
  refineI32(
    values: number,
    validity: number,
    n: number,
    low: number,
    high: number,
    negated: boolean,
    bitmap: number,
  ): number;
  /** Like rangeI64, for u32 values without missing ones (event dates). */
  rangeU32(values: number, n: number, low: number, high: number, out: number): number;

  /**
   * Selects rows whose code equals `code`. The code of a present value is never 0, so no validity is needed. A `code` too wide
   * for the column equals no row.
   */
  equalU8(codes: number, n: number, code: number, negated: boolean, out: number): number;
  equalU16(codes: number, n: number, code: number, negated: boolean, out: number): number;
  /** negated: the code differs and is not 0 (missing). The same in all three widths. */
  equalU32(codes: number, n: number, code: number, negated: boolean, out: number): number;

  /**
   * Selects rows whose code's bit is set in the bitmap `table`; the caller clears bit 0 (missing). The table spans every code
   * below row n: always 32 bytes for U8, whole 4-byte words otherwise.
   */
  memberU8(codes: number, n: number, table: number, out: number): number;
  memberU16(codes: number, n: number, table: number, out: number): number;
  memberU32(codes: number, n: number, table: number, out: number): number;

  /** Selects rows that have a value and whose bit equals `wanted`. */
  bitsEqual(bits: number, validity: number, n: number, wanted: boolean, out: number): number;

  /** Selects rows whose point is in the box (west > east: across the antimeridian); negated: outside. (lon, lat) f64 pairs. */
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
  /** Selects rows whose point is within radiusKm of (longitude, latitude) on a sphere of 6371.0088 km; negated: beyond. */
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

  /** a & b, a | b, a & ~b over n rows into out; each returns the number of bits set. */
  and(a: number, b: number, n: number, out: number): number;
  or(a: number, b: number, n: number, out: number): number;
  andNot(a: number, b: number, n: number, out: number): number;
  /** Sets bits [0, n) and clears the rest of the last vector. */
  fill(n: number, out: number): void;
  /** Clears the bitmap over n rows. */
  clear(n: number, out: number): void;
  /** Returns the number of bits set among the first n. */
  count(bitmap: number, n: number): number;

  /** Writes rows[i] (u32) for every set bit i of `bitmap` below n to out (u32), in order; returns the count. */
  gatherU32(bitmap: number, n: number, rows: number, out: number): number;

  /**
   * Adds the values of the rows set in `bitmap` (0 = all), at most 65,536 rows, exactly; returns the number of rows. Always
   * writes 16 bytes: two i64, where the sum is first + second * 2^32.
   */
  sumI64(values: number, bitmap: number, n: number, out: number): number;
  /** Like sumI64, for i32, i16 and i8 values; the second i64 is 0. */
  sumI32(values: number, bitmap: number, n: number, out: number): number;
  sumI16(values: number, bitmap: number, n: number, out: number): number;
  sumI8(values: number, bitmap: number, n: number, out: number): number;

  /**
   * Computes the least and the greatest value of the rows set in `bitmap` (0 = all); returns the number of rows. Writes 16 bytes,
   * two i64, unless there are no rows.
   */
  extremesI64(values: number, bitmap: number, n: number, out: number): number;
  /** Like extremesI64, for i32, i16 and i8 values, extended to i64. */
  extremesI32(values: number, bitmap: number, n: number, out: number): number;
  extremesI16(values: number, bitmap: number, n: number, out: number): number;
  extremesI8(values: number, bitmap: number, n: number, out: number): number;

  /**
   * Adds 1 to table[code], u32 each, for every row set in `bitmap` (0 = all), including code 0. The table spans every code of
   * those rows; the caller clears it.
   */
  countCodesU8(codes: number, bitmap: number, n: number, table: number): void;
  countCodesU16(codes: number, bitmap: number, n: number, table: number): void;
  countCodesU32(codes: number, bitmap: number, n: number, table: number): void;

  /**
   * Adds table[value - least] to the group slot (u16) of every row; sums wrap around. The table spans every value below row n,
   * including the 0 of rows without a value.
   */
  addGroupSlotsU8(values: number, n: number, least: number, table: number, slots: number): void;
  addGroupSlotsU16(values: number, n: number, least: number, table: number, slots: number): void;
  addGroupSlotsI8(values: number, n: number, least: number, table: number, slots: number): void;
  addGroupSlotsI16(values: number, n: number, least: number, table: number, slots: number): void;
  /** Also for codes, which are below 2^31. */
  addGroupSlotsI32(values: number, n: number, least: number, table: number, slots: number): void;
  /** Adds `set` to the slots of the rows set in `bitmap` (0 = all) and `clear` to those of the other rows. */
  addGroupSlotsBits(bitmap: number, n: number, set: number, clear: number, slots: number): void;
  /** Adds each value to sums[slot], i64 each, for every row set in `bitmap` (0 = all). `sums` spans every slot of those rows. */
  sumGroupSlotsI8(values: number, slots: number, bitmap: number, n: number, sums: number): void;
  sumGroupSlotsI16(values: number, slots: number, bitmap: number, n: number, sums: number): void;
  sumGroupSlotsI32(values: number, slots: number, bitmap: number, n: number, sums: number): void;
  /** Widens extremes[slot], the least and the greatest value as i32 each, by each value of the rows set in `bitmap` (0 = all). */
  extremesGroupSlotsI8(values: number, slots: number, bitmap: number, n: number, extremes: number): void;
  extremesGroupSlotsI16(values: number, slots: number, bitmap: number, n: number, extremes: number): void;
  extremesGroupSlotsI32(values: number, slots: number, bitmap: number, n: number, extremes: number): void;

  /** Adds (value - least) * stride to the slot (u32) of every row; slots wrap around. */
  addSlotsU8(values: number, n: number, least: number, stride: number, slots: number): void;
  addSlotsU16(values: number, n: number, least: number, stride: number, slots: number): void;
  addSlotsI8(values: number, n: number, least: number, stride: number, slots: number): void;
  addSlotsI16(values: number, n: number, least: number, stride: number, slots: number): void;
  /** Also for codes, which are below 2^31. */
  addSlotsI32(values: number, n: number, least: number, stride: number, slots: number): void;
  /** Adds `set` to the slots (u32) of the rows set in `bitmap` and `clear` to those of the other rows. */
  addSlotsBits(bitmap: number, n: number, set: number, clear: number, slots: number): void;

  /** Adds (value - least) << shift to the key word (u64) of every row; key words wrap around. */
  addKeysU8(values: number, n: number, least: bigint, shift: number, keys: number): void;
  addKeysU16(values: number, n: number, least: bigint, shift: number, keys: number): void;
  addKeysI8(values: number, n: number, least: bigint, shift: number, keys: number): void;
  addKeysI16(values: number, n: number, least: bigint, shift: number, keys: number): void;
  /** Also for codes, which are below 2^31. */
  addKeysI32(values: number, n: number, least: bigint, shift: number, keys: number): void;
  addKeysI64(values: number, n: number, least: bigint, shift: number, keys: number): void;
  /** Adds `set` to the key words (u64) of the rows set in `bitmap` and `clear` to those of the other rows. */
  addKeysBits(bitmap: number, n: number, set: bigint, clear: bigint, keys: number): void;
  /**
   * For every row set in `bitmap` (0 = all), writes the number of the row's key word to the row's slot (u32); writes new key
   * words (u64) to groupKeys; returns the number of different key words. `seed`: two odd u64, which must stay the same. `table`
   * has mask + 1 entries, at least 2 * (groupCount + n).
   */
  findGroups(
    seed: number,
    keys: number,
    bitmap: number,
    n: number,
    table: number,
    mask: number,
    groupKeys: number,
    groupCount: number,
    slots: number,
  ): number;
  /** Enters the numbers of `count` different key words into an empty table. */
  rehashGroups(seed: number, groupKeys: number, count: number, table: number, mask: number): void;
  /** Appends n rows, a key word and two records each, to the chunks of their partitions (see wasm/hash.ts). */
  partitionRows(
    seed: number,
    keys: number,
    n: number,
    records: number,
    recordBytes: number,
    extremes: number,
    extremeBytes: number,
    chunkRows: number,
    partitions: number,
  ): void;

  /**
   * Writes the value of every row set in `bitmap` (0 = all), in order, as an i64 field of the records from `out` on, which are
   * recordBytes apart; returns the number of records.
   */
  stageI8(values: number, bitmap: number, n: number, out: number, recordBytes: number): number;
  stageI16(values: number, bitmap: number, n: number, out: number, recordBytes: number): number;
  stageI32(values: number, bitmap: number, n: number, out: number, recordBytes: number): number;
  stageI64(values: number, bitmap: number, n: number, out: number, recordBytes: number): number;
  /** The same for the bits of a bitmap: 1 or 0. */
  stageBits(bits: number, bitmap: number, n: number, out: number, recordBytes: number): number;
  /** Writes 1 to a field of n records. */
  stageOnes(n: number, out: number, recordBytes: number): void;
  /** Splits a field of n records into its lower 32 bits, unsigned, and its upper 32 bits, signed. `low` may be the field itself. */
  splitFields(values: number, n: number, low: number, high: number, recordBytes: number): void;
  /** The same for the square of a field of at most 32 bits. */
  squareFields(values: number, n: number, low: number, high: number, recordBytes: number): void;
  /** out[i] = a[i] + b[i] over n i64 rows, modulo 2^64. `out` may be `a` or `b`. */
  addI64(a: number, b: number, n: number, out: number): void;
  /** The same for a[i] - b[i]. */
  subtractI64(a: number, b: number, n: number, out: number): void;
  /** The same for a[i] * b[i]. */
  multiplyI64(a: number, b: number, n: number, out: number): void;
  /** Replaces the values of rows that are not set in `bitmap` by 0. */
  clearMissingI64(values: number, bitmap: number, n: number): void;
  /** Replaces a field by `otherwise` in those of n records whose field at `present` is 0. */
  replaceMissing(values: number, present: number, n: number, otherwise: bigint, recordBytes: number): void;
  /** Adds n records, of whole 16 bytes, to the records of their slots (u32) in `table`, field by field. */
  addRecords(slots: number, n: number, records: number, recordBytes: number, table: number): void;
  /** Adds n records, of whole 16 bytes, to the record at `sum`, field by field. */
  sumRecords(n: number, records: number, recordBytes: number, sum: number): void;
  /** Widens the records of the slots (u32) by n records: the first `minCount` i64 fields keep the least value, the rest the greatest. */
  widenRecords(
    slots: number,
    n: number,
    records: number,
    minCount: number,
    maxCount: number,
    table: number,
  ): void;
  /** Writes `value` to `count` i64 from `out` on. */
  fillI64(value: bigint, count: number, out: number): void;
  /** Sets bit slot * span + (value - least) of `bits` for n rows (u32 slots, i64 values). */
  setSlotBits(slots: number, values: number, n: number, least: bigint, span: number, bits: number): void;

  /** Moves n values (i64) to the runs of their slots (u32): each goes to the index at its slot's cursor (u32), which advances. */
  scatterRuns(slots: number, values: number, n: number, cursors: number, out: number): void;
  /** Sorts each run of i64 values [starts[r], starts[r + 1]); scratch has capacity for the longest run and 1,024 bytes. */
  sortRuns(values: number, starts: number, runCount: number, scratch: number): void;
  /** Keeps one of equal neighbors in each run, moves the runs together, updates `starts`; returns the number of values left. */
  uniqueRuns(values: number, starts: number, runCount: number): number;

  /**
   * Writes, of a block of entities, the events whose code has a mask that is not 0: dates, masks, numbers, and the start of each
   * entity's. Returns the number of events. `state`: SELECT_STATE; each output has one element more than the block has events.
   */
  selectEventsU8(state: number, entityCount: number): number;
  selectEventsU16(state: number, entityCount: number): number;
  selectEventsU32(state: number, entityCount: number): number;
  /** The same with one u32 mask per event instead of codes and a table. */
  selectMaskedEvents(state: number, entityCount: number): number;
  /**
   * Writes a record for each attempt of a funnel in order without optional steps (entity, length, dates of the steps), or for an
   * entity that needs another search (length INEXACT); returns their number. `state`: FOLLOW_STATE; call again until `entity` is
   * entityCount.
   */
  followSteps(state: number, entityCount: number): number;
}
