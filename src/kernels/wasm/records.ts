/**
 * Kernels of a dense aggregation, in which a group is a slot: the number of the combination of a row's key values. A row becomes a
 * record of i64 fields, and one kernel adds all fields of a record to its slot's record, so that a row costs one cache miss whatever
 * the number of aggregates.
 */
import { chosen, wordCount } from './_words';

// @ts-ignore: decorator
@inline
function addSlots<T>(values: usize, n: u32, least: i32, stride: u32, slots: usize): void {
  for (let row: usize = 0; row < <usize>n; row++) {
    const at = slots + (row << 2);
    store<u32>(at, load<u32>(at) + <u32>(<i32>load<T>(values + row * sizeof<T>()) - least) * stride);
  }
}

/**
 * slots[i] += (values[i] - least) * stride for every row, modulo 2^32.
 * Layout  one u8 value and one u32 slot per row.
 * Cost    O(n), about 0.3 ns a row: native-bench/kernels/group.bench.ts
 * Twin    js/records.ts
 */
export function addSlotsU8(values: usize, n: u32, least: i32, stride: u32, slots: usize): void {
  addSlots<u8>(values, n, least, stride, slots);
}

/** Like the previous kernel, over one u16 per row.  Twin  js/records.ts */
export function addSlotsU16(values: usize, n: u32, least: i32, stride: u32, slots: usize): void {
  addSlots<u16>(values, n, least, stride, slots);
}

/** Like the previous kernel, over one i8 per row.  Twin  js/records.ts */
export function addSlotsI8(values: usize, n: u32, least: i32, stride: u32, slots: usize): void {
  addSlots<i8>(values, n, least, stride, slots);
}

/** Like the previous kernel, over one i16 per row.  Twin  js/records.ts */
export function addSlotsI16(values: usize, n: u32, least: i32, stride: u32, slots: usize): void {
  addSlots<i16>(values, n, least, stride, slots);
}

/** Like the previous kernel, over one i32 or u32 per row.  Twin  js/records.ts */
export function addSlotsI32(values: usize, n: u32, least: i32, stride: u32, slots: usize): void {
  addSlots<i32>(values, n, least, stride, slots);
}

/**
 * slots[i] += `set` for the rows that are set in `bitmap`, slots[i] += `clear` for the others, modulo 2^32.
 * Layout  one u32 per row in `slots`.
 * Cost    O(n), 4 rows at a time.
 * Twin    js/records.ts
 */
export function addSlotsBits(bitmap: usize, n: u32, set: u32, clear: u32, slots: usize): void {
  const each = i32x4(1, 2, 4, 8);
  const ifSet = i32x4.splat(<i32>set);
  const ifClear = i32x4.splat(<i32>clear);
  const whole = n & ~3;
  for (let row: u32 = 0; row < whole; row += 4) {
    const bits = <i32>(load<u8>(bitmap + (<usize>row >> 3)) >> <u8>(row & 4));
    const lanes = i32x4.eq(v128.and(i32x4.splat(bits), each), each);
    const at = slots + (<usize>row << 2);
    v128.store(at, i32x4.add(v128.load(at), v128.bitselect(ifSet, ifClear, lanes)));
  }
  for (let row = whole; row < n; row++) {
    const isSet = (load<u8>(bitmap + (<usize>row >> 3)) >> <u8>(row & 7)) & 1;
    const at = slots + (<usize>row << 2);
    store<u32>(at, load<u32>(at) + (isSet ? set : clear));
  }
}

// @ts-ignore: decorator
@inline
function stage<T>(values: usize, bitmap: usize, n: u32, out: usize, recordBytes: usize): u32 {
  const end = wordCount(n);
  let at = out;
  for (let w: u32 = 0; w < end; w++) {
    let bits = chosen(bitmap, w, n);
    const from = values + (<usize>w << 6) * sizeof<T>();
    if (~bits == 0) {
      for (let row: usize = 0; row < 64; row++) {
        store<i64>(at, <i64>load<T>(from + row * sizeof<T>()));
        at += recordBytes;
      }
      continue;
    }
    while (bits != 0) {
      store<i64>(at, <i64>load<T>(from + <usize>ctz<u64>(bits) * sizeof<T>()));
      bits &= bits - 1;
      at += recordBytes;
    }
  }
  return <u32>((at - out) / recordBytes);
}

/**
 * Writes the value of every row set in `bitmap` (0: all), in order, as an i64 to `out`, out + recordBytes, and so on; returns how many.
 * Layout  one i8 per row; recordBytes is a multiple of 8.
 * Needs   capacity for one i64 per record returned.
 * Cost    O(n / 64 + rows set), about 0.4 ns a row.
 * Twin    js/records.ts
 */
export function stageI8(values: usize, bitmap: usize, n: u32, out: usize, recordBytes: u32): u32 {
  return stage<i8>(values, bitmap, n, out, recordBytes);
}

/** Like the previous kernel, over one i16 per row.  Twin  js/records.ts */
export function stageI16(values: usize, bitmap: usize, n: u32, out: usize, recordBytes: u32): u32 {
  return stage<i16>(values, bitmap, n, out, recordBytes);
}

/** Like the previous kernel, over one i32 per row.  Twin  js/records.ts */
export function stageI32(values: usize, bitmap: usize, n: u32, out: usize, recordBytes: u32): u32 {
  return stage<i32>(values, bitmap, n, out, recordBytes);
}

/** Like the previous kernel, over one i64 per row.  Twin  js/records.ts */
export function stageI64(values: usize, bitmap: usize, n: u32, out: usize, recordBytes: u32): u32 {
  return stage<i64>(values, bitmap, n, out, recordBytes);
}

/**
 * Like stageI8, over the bits of a bitmap: 1 for a row that is set in `bits`, else 0.  Twin  js/records.ts
 */
export function stageBits(bits: usize, bitmap: usize, n: u32, out: usize, recordBytes: u32): u32 {
  const end = wordCount(n);
  let at = out;
  for (let w: u32 = 0; w < end; w++) {
    const values = load<u64>(bits + (<usize>w << 3));
    let rows = chosen(bitmap, w, n);
    while (rows != 0) {
      store<u64>(at, (values >> ctz<u64>(rows)) & 1);
      rows &= rows - 1;
      at += recordBytes;
    }
  }
  return <u32>((at - out) / recordBytes);
}

/**
 * Splits each of n staged i64 values into two fields that can be added without overflow: the lower 32 bits (unsigned) at `low`, the
 * upper 32 bits (signed) at `high`; `low` may be the field of the value itself.
 * Layout  fields are recordBytes apart.
 * Cost    O(n).  Twin  js/records.ts
 */
export function splitFields(values: usize, n: u32, low: usize, high: usize, recordBytes: u32): void {
  for (let row: u32 = 0; row < n; row++) {
    const at = <usize>row * recordBytes;
    const value = load<i64>(values + at);
    store<i64>(low + at, value & 0xffffffff);
    store<i64>(high + at, value >> 32);
  }
}

/**
 * Writes the squares of n staged i64 values, which have at most 32 bits, as two fields like splitFields.
 * Layout  fields are recordBytes apart.
 * Cost    O(n).  Twin  js/records.ts
 */
export function squareFields(values: usize, n: u32, low: usize, high: usize, recordBytes: u32): void {
  for (let row: u32 = 0; row < n; row++) {
    const at = <usize>row * recordBytes;
    const value = load<i64>(values + at);
    const square = value * value;
    store<i64>(low + at, square & 0xffffffff);
    store<i64>(high + at, square >> 32);
  }
}

/**
 * Replaces the staged i64 of each of n records whose staged presence is 0 by `otherwise`.
 * Layout  fields are recordBytes apart in both.
 * Cost    O(n).  Twin  js/records.ts
 */
export function replaceMissing(values: usize, present: usize, n: u32, otherwise: i64, recordBytes: u32): void {
  for (let row: u32 = 0; row < n; row++) {
    const at = <usize>row * recordBytes;
    if (load<i64>(present + at) == 0) store<i64>(values + at, otherwise);
  }
}

/** Writes 1 to n i64 fields that are recordBytes apart.  Twin  js/records.ts */
export function stageOnes(n: u32, out: usize, recordBytes: u32): void {
  for (let row: u32 = 0; row < n; row++) store<i64>(out + <usize>row * recordBytes, 1);
}

// @ts-ignore: decorator
@inline
function addFields(from: usize, to: usize, recordBytes: usize): void {
  for (let byte: usize = 0; byte < recordBytes; byte += 16) {
    v128.store(to + byte, i64x2.add(v128.load(to + byte), v128.load(from + byte)));
  }
}

/**
 * Adds each of n records to the record of its slot, field by field, modulo 2^64.
 * Layout  one u32 slot per row; records of recordBytes, a multiple of 16, in `staged` (by row) and in `table` (by slot).
 * Needs   the table spans every slot.
 * Cost    O(n), 1 ns a row for 32 bytes while the table is in the L2 cache, up to 4 beyond.
 * Source  the fused aggregates of column stores; measured against one kernel per aggregate in native-bench/kernels/group.bench.ts
 * Twin    js/records.ts
 */
export function addRecords(slots: usize, n: u32, staged: usize, recordBytes: u32, table: usize): void {
  if (recordBytes == 16) {
    for (let row: usize = 0; row < <usize>n; row++) {
      addFields(staged + row * 16, table + <usize>load<u32>(slots + (row << 2)) * 16, 16);
    }
    return;
  }
  if (recordBytes == 32) {
    for (let row: usize = 0; row < <usize>n; row++) {
      const to = table + <usize>load<u32>(slots + (row << 2)) * 32;
      const from = staged + row * 32;
      v128.store(to, i64x2.add(v128.load(to), v128.load(from)));
      v128.store(to, i64x2.add(v128.load(to, 16), v128.load(from, 16)), 16);
    }
    return;
  }
  for (let row: usize = 0; row < <usize>n; row++) {
    const to = table + <usize>load<u32>(slots + (row << 2)) * recordBytes;
    addFields(staged + row * recordBytes, to, recordBytes);
  }
}

/**
 * Adds n records to the one at `sum`, field by field: like addRecords if all rows have the same slot, but without waiting for the record
 * of the row before.
 * Layout  records of recordBytes, a multiple of 16.
 * Cost    O(n * fields), about 0.4 ns per two fields.
 * Twin    js/records.ts
 */
export function sumRecords(n: u32, staged: usize, recordBytes: u32, sum: usize): void {
  const end = staged + <usize>n * recordBytes;
  const whole = staged + <usize>(n & ~1) * recordBytes;
  for (let field: usize = 0; field < <usize>recordBytes; field += 16) {
    let even = v128.load(sum + field);
    let odd = i64x2.splat(0);
    let at = staged;
    for (; at < whole; at += <usize>recordBytes << 1) {
      even = i64x2.add(even, v128.load(at + field));
      odd = i64x2.add(odd, v128.load(at + recordBytes + field));
    }
    if (at < end) even = i64x2.add(even, v128.load(at + field));
    v128.store(sum + field, i64x2.add(even, odd));
  }
}

/**
 * Widens the extremes of each row's slot: the first `minCount` fields of a record keep the least value, the other `maxCount` the greatest.
 * Layout  one u32 slot per row; records of (minCount + maxCount) i64 in `staged` (by row) and in `table` (by slot).
 * Needs   the table spans every slot; the caller sets its fields to the greatest and the least i64 first.
 * Cost    O(n * fields), about 1 ns a field while the table is in the L2 cache.
 * Twin    js/records.ts
 */
export function widenRecords(slots: usize, n: u32, staged: usize, minCount: u32, maxCount: u32, table: usize): void {
  const recordBytes = <usize>(minCount + maxCount) << 3;
  const split = <usize>minCount << 3;
  for (let row: usize = 0; row < <usize>n; row++) {
    const to = table + <usize>load<u32>(slots + (row << 2)) * recordBytes;
    const from = staged + row * recordBytes;
    for (let field: usize = 0; field < split; field += 8) {
      const value = load<i64>(from + field);
      if (value < load<i64>(to + field)) store<i64>(to + field, value);
    }
    for (let field = split; field < recordBytes; field += 8) {
      const value = load<i64>(from + field);
      if (value > load<i64>(to + field)) store<i64>(to + field, value);
    }
  }
}

/** Writes `value` to `count` i64 from `out` on.  Twin  js/records.ts */
export function fillI64(value: i64, count: u32, out: usize): void {
  for (let index: usize = 0; index < <usize>count; index++) store<i64>(out + (index << 3), value);
}

/**
 * Sets bit slots[i] * span + (values[i] - least) of the bitmap `bits` for each of n rows.
 * Layout  one u32 slot and one i64 value per row; least significant bit first.
 * Needs   least <= values[i] < least + span; the bitmap spans every slot, at most 2^34 bits.
 * Cost    O(n), a cache miss a row if the bitmap is large.
 * Twin    js/records.ts
 */
export function setSlotBits(slots: usize, values: usize, n: u32, least: i64, span: u32, bits: usize): void {
  for (let row: usize = 0; row < <usize>n; row++) {
    const bit = <u64>load<u32>(slots + (row << 2)) * <u64>span + <u64>(load<i64>(values + (row << 3)) - least);
    const at = bits + <usize>(bit >> 3);
    store<u8>(at, load<u8>(at) | (<u8>1 << <u8>(bit & 7)));
  }
}
