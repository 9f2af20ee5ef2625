/**
 * Group slots: for each row, the number of the combination of its values, computed column by column from tables indexed by value;
 * and sums by slot. No SIMD, but no bounds checks either.
 */
import { chosen, wordCount } from './_words';

// @ts-ignore: decorator
@inline
function addOne<T>(values: usize, row: usize, table: usize, slots: usize): void {
  const at = slots + (row << 1);
  store<u16>(at, load<u16>(at) + load<u16>(table + (<usize>(<i32>load<T>(values + row * sizeof<T>())) << 1)));
}

// @ts-ignore: decorator
@inline
function addGroupSlots<T>(values: usize, n: u32, least: i32, table: usize, slots: usize): void {
  // Addresses wrap around like the values that index the table.
  const from = table - (<usize>least << 1);
  const whole = <usize>(n & ~3);
  let row: usize = 0;
  for (; row < whole; row += 4) {
    addOne<T>(values, row, from, slots);
    addOne<T>(values, row + 1, from, slots);
    addOne<T>(values, row + 2, from, slots);
    addOne<T>(values, row + 3, from, slots);
  }
  for (; row < <usize>n; row++) addOne<T>(values, row, from, slots);
}

/**
 * slots[i] += table[values[i] - least] for every row.
 * Layout  one u8 per row; u16 each in the table and per row in `slots`, whose sums wrap around.
 * Needs   the table spans every value below row n; it does not overlap the slots.
 * Cost    O(n), about 0.5 ns a row: native-bench/kernels/aggregate.bench.ts
 * Twin    js/group-slots.ts
 */
export function addGroupSlotsU8(values: usize, n: u32, least: i32, table: usize, slots: usize): void {
  addGroupSlots<u8>(values, n, least, table, slots);
}

/** Like the previous kernel, over one u16 per row.  Twin  js/group-slots.ts */
export function addGroupSlotsU16(values: usize, n: u32, least: i32, table: usize, slots: usize): void {
  addGroupSlots<u16>(values, n, least, table, slots);
}

/** Like the previous kernel, over one i8 per row.  Twin  js/group-slots.ts */
export function addGroupSlotsI8(values: usize, n: u32, least: i32, table: usize, slots: usize): void {
  addGroupSlots<i8>(values, n, least, table, slots);
}

/** Like the previous kernel, over one i16 per row.  Twin  js/group-slots.ts */
export function addGroupSlotsI16(values: usize, n: u32, least: i32, table: usize, slots: usize): void {
  addGroupSlots<i16>(values, n, least, table, slots);
}

/** Like the previous kernel, over one i32, or u32 below 2^31, per row.  Twin  js/group-slots.ts */
export function addGroupSlotsI32(values: usize, n: u32, least: i32, table: usize, slots: usize): void {
  addGroupSlots<i32>(values, n, least, table, slots);
}

/**
 * slots[i] += `set` for the rows below n that are set in `bitmap` (0: all), slots[i] += `clear` for the others.
 * Layout  one u16 per row in `slots`, whose sums wrap around.
 * Cost    O(n), 8 rows at a time.
 * Twin    js/group-slots.ts
 */
export function addGroupSlotsBits(bitmap: usize, n: u32, set: u32, clear: u32, slots: usize): void {
  const each = i16x8(1, 2, 4, 8, 16, 32, 64, 128);
  const ifSet = i16x8.splat(<i16>set);
  const ifClear = i16x8.splat(<i16>clear);
  const whole = n & ~7;
  for (let row: u32 = 0; row < whole; row += 8) {
    const bits = bitmap == 0 ? 0xff : load<u8>(bitmap + (<usize>row >> 3));
    const lanes = i16x8.eq(v128.and(i16x8.splat(<i16>bits), each), each);
    const at = slots + (<usize>row << 1);
    v128.store(at, i16x8.add(v128.load(at), v128.bitselect(ifSet, ifClear, lanes)));
  }
  for (let row = whole; row < n; row++) {
    const isSet = bitmap == 0 || (load<u8>(bitmap + (<usize>row >> 3)) >> <u8>(row & 7)) & 1;
    const at = slots + (<usize>row << 1);
    store<u16>(at, load<u16>(at) + <u16>(isSet ? set : clear));
  }
}

// @ts-ignore: decorator
@inline
function sumOne<T>(values: usize, slots: usize, row: usize, sums: usize): void {
  const at = sums + (<usize>load<u16>(slots + (row << 1)) << 3);
  store<i64>(at, load<i64>(at) + <i64>load<T>(values + row * sizeof<T>()));
}

// @ts-ignore: decorator
@inline
function sumGroupSlots<T>(values: usize, slots: usize, bitmap: usize, n: u32, sums: usize): void {
  const end = wordCount(n);
  for (let w: u32 = 0; w < end; w++) {
    let bits = chosen(bitmap, w, n);
    const from = <usize>w << 6;
    if (~bits == 0) {
      for (let row = from; row < from + 64; row += 4) {
        sumOne<T>(values, slots, row, sums);
        sumOne<T>(values, slots, row + 1, sums);
        sumOne<T>(values, slots, row + 2, sums);
        sumOne<T>(values, slots, row + 3, sums);
      }
      continue;
    }
    while (bits != 0) {
      sumOne<T>(values, slots, from + <usize>ctz<u64>(bits), sums);
      bits &= bits - 1;
    }
  }
}

/**
 * sums[slots[i]] += values[i] for every row set in `bitmap` (0: all).
 * Layout  one i8 and one u16 slot per row; one i64 per slot in `sums`.
 * Needs   `sums` spans every slot of a set row; it overlaps none of the others.
 * Cost    O(n / 64 + rows set), about 0.7 ns a row.
 * Twin    js/group-slots.ts
 */
export function sumGroupSlotsI8(values: usize, slots: usize, bitmap: usize, n: u32, sums: usize): void {
  sumGroupSlots<i8>(values, slots, bitmap, n, sums);
}

/** Like the previous kernel, over one i16 per row.  Twin  js/group-slots.ts */
export function sumGroupSlotsI16(values: usize, slots: usize, bitmap: usize, n: u32, sums: usize): void {
  sumGroupSlots<i16>(values, slots, bitmap, n, sums);
}

/** Like the previous kernel, over one i32 per row.  Twin  js/group-slots.ts */
export function sumGroupSlotsI32(values: usize, slots: usize, bitmap: usize, n: u32, sums: usize): void {
  sumGroupSlots<i32>(values, slots, bitmap, n, sums);
}

// @ts-ignore: decorator
@inline
function widenOne<T>(values: usize, slots: usize, row: usize, extremes: usize): void {
  const at = extremes + (<usize>load<u16>(slots + (row << 1)) << 3);
  const value = <i32>load<T>(values + row * sizeof<T>());
  if (value < load<i32>(at)) store<i32>(at, value);
  if (value > load<i32>(at, 4)) store<i32>(at, value, 4);
}

// @ts-ignore: decorator
@inline
function extremesGroupSlots<T>(values: usize, slots: usize, bitmap: usize, n: u32, extremes: usize): void {
  const end = wordCount(n);
  for (let w: u32 = 0; w < end; w++) {
    let bits = chosen(bitmap, w, n);
    const from = <usize>w << 6;
    if (~bits == 0) {
      for (let row = from; row < from + 64; row++) widenOne<T>(values, slots, row, extremes);
      continue;
    }
    while (bits != 0) {
      widenOne<T>(values, slots, from + <usize>ctz<u64>(bits), extremes);
      bits &= bits - 1;
    }
  }
}

/**
 * Widens extremes[slots[i]] by values[i] for every row set in `bitmap` (0: all).
 * Layout  one i8 and one u16 slot per row; two i32 per slot in `extremes`, the least and the greatest value so far.
 * Needs   `extremes` spans every slot of a set row; it overlaps none of the others.
 * Cost    O(n / 64 + rows set), about 1 ns a row.
 * Twin    js/group-slots.ts
 */
export function extremesGroupSlotsI8(values: usize, slots: usize, bitmap: usize, n: u32, extremes: usize): void {
  extremesGroupSlots<i8>(values, slots, bitmap, n, extremes);
}

/** Like the previous kernel, over one i16 per row.  Twin  js/group-slots.ts */
export function extremesGroupSlotsI16(values: usize, slots: usize, bitmap: usize, n: u32, extremes: usize): void {
  extremesGroupSlots<i16>(values, slots, bitmap, n, extremes);
}

/** Like the previous kernel, over one i32 per row.  Twin  js/group-slots.ts */
export function extremesGroupSlotsI32(values: usize, slots: usize, bitmap: usize, n: u32, extremes: usize): void {
  extremesGroupSlots<i32>(values, slots, bitmap, n, extremes);
}
