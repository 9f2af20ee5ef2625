/**
 * Cells: for each row, the number of the combination of its values, put together column by column from tables that are
 * looked up by value; and sums by cell. No SIMD, but no bounds check either.
 */
import { chosen } from './_lanes';
import { wordCount } from './_words';

// @ts-ignore: decorator
@inline
function addOne<T>(values: usize, row: usize, table: usize, cells: usize): void {
  const at = cells + (row << 1);
  store<u16>(at, load<u16>(at) + load<u16>(table + (<usize>(<i32>load<T>(values + row * sizeof<T>())) << 1)));
}

// @ts-ignore: decorator
@inline
function addCells<T>(values: usize, n: u32, least: i32, table: usize, cells: usize): void {
  // Addresses wrap around like the values they are counted from.
  const from = table - (<usize>least << 1);
  const whole = <usize>(n & ~3);
  let row: usize = 0;
  for (; row < whole; row += 4) {
    addOne<T>(values, row, from, cells);
    addOne<T>(values, row + 1, from, cells);
    addOne<T>(values, row + 2, from, cells);
    addOne<T>(values, row + 3, from, cells);
  }
  for (; row < <usize>n; row++) addOne<T>(values, row, from, cells);
}

/**
 * cells[i] += table[values[i] - least] for every row.
 * Layout  one u8 per row; u16 each in the table and per row in `cells`, whose sums wrap around.
 * Needs   the table spans every value below row n; it does not overlap the cells.
 * Cost    O(n), about 0.5 ns a row: native-bench/kernels/aggregate.bench.ts
 * Twin    js/cells.ts
 */
export function addCellsU8(values: usize, n: u32, least: i32, table: usize, cells: usize): void {
  addCells<u8>(values, n, least, table, cells);
}

/** The same over one u16 per row.  Twin  js/cells.ts */
export function addCellsU16(values: usize, n: u32, least: i32, table: usize, cells: usize): void {
  addCells<u16>(values, n, least, table, cells);
}

/** The same over one i8 per row.  Twin  js/cells.ts */
export function addCellsI8(values: usize, n: u32, least: i32, table: usize, cells: usize): void {
  addCells<i8>(values, n, least, table, cells);
}

/** The same over one i16 per row.  Twin  js/cells.ts */
export function addCellsI16(values: usize, n: u32, least: i32, table: usize, cells: usize): void {
  addCells<i16>(values, n, least, table, cells);
}

/** The same over one i32, or u32 below 2^31, per row.  Twin  js/cells.ts */
export function addCellsI32(values: usize, n: u32, least: i32, table: usize, cells: usize): void {
  addCells<i32>(values, n, least, table, cells);
}

/**
 * cells[i] += `set` for the rows below n that are set in `bitmap` (0: all), cells[i] += `clear` for the others.
 * Layout  one u16 per row in `cells`, whose sums wrap around.
 * Cost    O(n), 8 rows at a time.
 * Twin    js/cells.ts
 */
export function addCellsBits(bitmap: usize, n: u32, set: u32, clear: u32, cells: usize): void {
  const each = i16x8(1, 2, 4, 8, 16, 32, 64, 128);
  const ifSet = i16x8.splat(<i16>set);
  const ifClear = i16x8.splat(<i16>clear);
  const whole = n & ~7;
  for (let row: u32 = 0; row < whole; row += 8) {
    const bits = bitmap == 0 ? 0xff : load<u8>(bitmap + (<usize>row >> 3));
    const lanes = i16x8.eq(v128.and(i16x8.splat(<i16>bits), each), each);
    const at = cells + (<usize>row << 1);
    v128.store(at, i16x8.add(v128.load(at), v128.bitselect(ifSet, ifClear, lanes)));
  }
  for (let row = whole; row < n; row++) {
    const isSet = bitmap == 0 || (load<u8>(bitmap + (<usize>row >> 3)) >> <u8>(row & 7)) & 1;
    const at = cells + (<usize>row << 1);
    store<u16>(at, load<u16>(at) + <u16>(isSet ? set : clear));
  }
}

// @ts-ignore: decorator
@inline
function sumOne<T>(values: usize, cells: usize, row: usize, sums: usize): void {
  const at = sums + (<usize>load<u16>(cells + (row << 1)) << 3);
  store<i64>(at, load<i64>(at) + <i64>load<T>(values + row * sizeof<T>()));
}

// @ts-ignore: decorator
@inline
function sumCells<T>(values: usize, cells: usize, bitmap: usize, n: u32, sums: usize): void {
  const end = wordCount(n);
  for (let w: u32 = 0; w < end; w++) {
    let bits = chosen(bitmap, w, n);
    const from = <usize>w << 6;
    if (~bits == 0) {
      for (let row = from; row < from + 64; row += 4) {
        sumOne<T>(values, cells, row, sums);
        sumOne<T>(values, cells, row + 1, sums);
        sumOne<T>(values, cells, row + 2, sums);
        sumOne<T>(values, cells, row + 3, sums);
      }
      continue;
    }
    while (bits != 0) {
      sumOne<T>(values, cells, from + <usize>ctz<u64>(bits), sums);
      bits &= bits - 1;
    }
  }
}

/**
 * sums[cells[i]] += values[i] for every row set in `bitmap` (0: all).
 * Layout  one i8 and one u16 cell per row; one i64 per cell in `sums`.
 * Needs   `sums` spans every cell of a set row; it overlaps none of the others.
 * Cost    O(n / 64 + rows set), about 0.7 ns a row.
 * Twin    js/cells.ts
 */
export function sumCellsI8(values: usize, cells: usize, bitmap: usize, n: u32, sums: usize): void {
  sumCells<i8>(values, cells, bitmap, n, sums);
}

/** The same over one i16 per row.  Twin  js/cells.ts */
export function sumCellsI16(values: usize, cells: usize, bitmap: usize, n: u32, sums: usize): void {
  sumCells<i16>(values, cells, bitmap, n, sums);
}

/** The same over one i32 per row.  Twin  js/cells.ts */
export function sumCellsI32(values: usize, cells: usize, bitmap: usize, n: u32, sums: usize): void {
  sumCells<i32>(values, cells, bitmap, n, sums);
}

// @ts-ignore: decorator
@inline
function widenOne<T>(values: usize, cells: usize, row: usize, extremes: usize): void {
  const at = extremes + (<usize>load<u16>(cells + (row << 1)) << 3);
  const value = <i32>load<T>(values + row * sizeof<T>());
  if (value < load<i32>(at)) store<i32>(at, value);
  if (value > load<i32>(at, 4)) store<i32>(at, value, 4);
}

// @ts-ignore: decorator
@inline
function extremesCells<T>(values: usize, cells: usize, bitmap: usize, n: u32, extremes: usize): void {
  const end = wordCount(n);
  for (let w: u32 = 0; w < end; w++) {
    let bits = chosen(bitmap, w, n);
    const from = <usize>w << 6;
    if (~bits == 0) {
      for (let row = from; row < from + 64; row++) widenOne<T>(values, cells, row, extremes);
      continue;
    }
    while (bits != 0) {
      widenOne<T>(values, cells, from + <usize>ctz<u64>(bits), extremes);
      bits &= bits - 1;
    }
  }
}

/**
 * Widens extremes[cells[i]] by values[i] for every row set in `bitmap` (0: all).
 * Layout  one i8 and one u16 cell per row; two i32 per cell in `extremes`, the least and the greatest value so far.
 * Needs   `extremes` spans every cell of a set row; it overlaps none of the others.
 * Cost    O(n / 64 + rows set), about 1 ns a row.
 * Twin    js/cells.ts
 */
export function extremesCellsI8(values: usize, cells: usize, bitmap: usize, n: u32, extremes: usize): void {
  extremesCells<i8>(values, cells, bitmap, n, extremes);
}

/** The same over one i16 per row.  Twin  js/cells.ts */
export function extremesCellsI16(values: usize, cells: usize, bitmap: usize, n: u32, extremes: usize): void {
  extremesCells<i16>(values, cells, bitmap, n, extremes);
}

/** The same over one i32 per row.  Twin  js/cells.ts */
export function extremesCellsI32(values: usize, cells: usize, bitmap: usize, n: u32, extremes: usize): void {
  extremesCells<i32>(values, cells, bitmap, n, extremes);
}
