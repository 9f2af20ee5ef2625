/**
 * The JS twins as a `Kernels` without the radius filter: converts byte offsets, which may reach 4 GiB and are therefore shifted
 * as unsigned, into element indexes of views over one arena.
 */
import type { Kernels } from '../kernels.js';
import { clearMissingI64, combineI64 } from './arithmetic.js';
import { and, andNot, bitsEqual, clear, count, fill, gatherU32, or } from './bits.js';
import { equal, member } from './codes.js';
import { countCodes } from './count-codes.js';
import { followSteps, selectEvents } from './events.js';
import { extremesI64, extremesNarrow } from './extremes.js';
import { geoBox } from './geo.js';
import { addGroupSlots, addGroupSlotsBits, extremesGroupSlots, sumGroupSlots } from './group-slots.js';
import { addKeys, addKeysBits, findGroups, partitionRows, rehashGroups } from './hash.js';
import { range32, rangeI64, rangeNarrow } from './range.js';
import {
  addRecords,
  addSlots,
  addSlotsBits,
  replaceMissing,
  setSlotBits,
  splitFields,
  squareFields,
  stage,
  stageOnes,
  sumRecords,
  widenRecords,
} from './records.js';
import { refineI32, refineI64 } from './refine.js';
import { scatterRuns, sortRuns, uniqueRuns } from './runs.js';
import { sumI64, sumNarrow } from './sum.js';
import { ALL_ROWS, ALL_VALID } from './words.js';

const field = (pointer: number): number => pointer >>> 3;
const word = (pointer: number): number => pointer >>> 2;
const validityWord = (pointer: number): number => (pointer === 0 ? ALL_VALID : pointer >>> 2);
const rowsWord = (pointer: number): number => (pointer === 0 ? ALL_ROWS : pointer >>> 2);

export function twinsOver(buffer: ArrayBuffer): Omit<Kernels, 'geoRadius'> {
  const u8 = new Uint8Array(buffer);
  const u16 = new Uint16Array(buffer);
  const u32 = new Uint32Array(buffer);
  const i8 = new Int8Array(buffer);
  const i16 = new Int16Array(buffer);
  const i32 = new Int32Array(buffer);
  const f64 = new Float64Array(buffer);
  const i64 = new BigInt64Array(buffer);
  const staged = (
    valueAt: (row: number) => bigint,
    bitmap: number,
    n: number,
    out: number,
    recordBytes: number,
  ): number => stage(valueAt, u32, rowsWord(bitmap), n, i64, field(out), recordBytes >>> 3);
  const combined = (
    combine: (x: bigint, y: bigint) => bigint,
    a: number,
    b: number,
    n: number,
    out: number,
  ): void => combineI64(combine, i64, { a: field(a), b: field(b), n, out: field(out) });
  return {
    name: 'js',
    selectEventsU8: (state, entityCount) => selectEvents(u8, u32, word(state), entityCount),
    selectEventsU16: (state, entityCount) => selectEvents(u16, u32, word(state), entityCount),
    selectEventsU32: (state, entityCount) => selectEvents(u32, u32, word(state), entityCount),
    selectMaskedEvents: (state, entityCount) => selectEvents(u32, u32, word(state), entityCount, true),
    followSteps: (state, entityCount) => followSteps(u32, word(state), entityCount),
    rangeI64: (values, validity, n, low, high, negated, out) =>
      rangeI64(u32, word(values), validityWord(validity), n, low, high, negated, word(out)),
    rangeI32: (values, validity, n, low, high, negated, out) =>
      range32(u32, word(values), validityWord(validity), n, low, high, negated, word(out)),
    rangeI16: (values, validity, n, low, high, negated, out) =>
      rangeNarrow(i16, values >>> 1, u32, validityWord(validity), n, low, high, negated, word(out)),
    rangeI8: (values, validity, n, low, high, negated, out) =>
      rangeNarrow(i8, values >>> 0, u32, validityWord(validity), n, low, high, negated, word(out)),
    refineI64: (values, validity, n, low, high, negated, bitmap) =>
      refineI64(u32, word(values), validityWord(validity), n, low, high, negated, word(bitmap)),
    refineI32: (values, validity, n, low, high, negated, bitmap) =>
      refineI32(u32, word(values), validityWord(validity), n, low, high, negated, word(bitmap)),
    rangeU32: (values, n, low, high, out) =>
      range32(u32, word(values), ALL_VALID, n, low, high, false, word(out)),
    equalU8: (codes, n, code, negated, out) => equal(u8, codes >>> 0, n, code, negated, u32, word(out)),
    equalU16: (codes, n, code, negated, out) => equal(u16, codes >>> 1, n, code, negated, u32, word(out)),
    equalU32: (codes, n, code, negated, out) => equal(u32, word(codes), n, code, negated, u32, word(out)),
    memberU8: (codes, n, table, out) => member(u8, codes >>> 0, n, word(table), u32, word(out)),
    memberU16: (codes, n, table, out) => member(u16, codes >>> 1, n, word(table), u32, word(out)),
    memberU32: (codes, n, table, out) => member(u32, word(codes), n, word(table), u32, word(out)),
    bitsEqual: (bits, validity, n, wanted, out) =>
      bitsEqual(u32, word(bits), validityWord(validity), n, wanted, word(out)),
    geoBox: (points, validity, n, west, south, east, north, negated, out) =>
      geoBox(f64, points >>> 3, u32, validityWord(validity), n, west, south, east, north, negated, word(out)),
    and: (a, b, n, out) => and(u32, word(a), word(b), n, word(out)),
    or: (a, b, n, out) => or(u32, word(a), word(b), n, word(out)),
    andNot: (a, b, n, out) => andNot(u32, word(a), word(b), n, word(out)),
    fill: (n, out) => fill(u32, n, word(out)),
    clear: (n, out) => clear(u32, n, word(out)),
    count: (bitmap, n) => count(u32, word(bitmap), n),
    gatherU32: (bitmap, n, rows, out) => gatherU32(u32, word(bitmap), n, word(rows), word(out)),
    sumI64: (values, bitmap, n, out) => sumI64(u32, word(values), rowsWord(bitmap), n, word(out)),
    sumI32: (values, bitmap, n, out) => sumNarrow(i32, word(values), u32, rowsWord(bitmap), n, word(out)),
    sumI16: (values, bitmap, n, out) => sumNarrow(i16, values >>> 1, u32, rowsWord(bitmap), n, word(out)),
    sumI8: (values, bitmap, n, out) => sumNarrow(i8, values >>> 0, u32, rowsWord(bitmap), n, word(out)),
    extremesI64: (values, bitmap, n, out) => extremesI64(u32, word(values), rowsWord(bitmap), n, word(out)),
    extremesI32: (values, bitmap, n, out) =>
      extremesNarrow(i32, word(values), u32, rowsWord(bitmap), n, word(out)),
    extremesI16: (values, bitmap, n, out) =>
      extremesNarrow(i16, values >>> 1, u32, rowsWord(bitmap), n, word(out)),
    extremesI8: (values, bitmap, n, out) =>
      extremesNarrow(i8, values >>> 0, u32, rowsWord(bitmap), n, word(out)),
    countCodesU8: (codes, bitmap, n, table) =>
      countCodes(u8, codes >>> 0, i32, rowsWord(bitmap), n, word(table)),
    countCodesU16: (codes, bitmap, n, table) =>
      countCodes(u16, codes >>> 1, i32, rowsWord(bitmap), n, word(table)),
    countCodesU32: (codes, bitmap, n, table) =>
      countCodes(u32, word(codes), i32, rowsWord(bitmap), n, word(table)),
    addGroupSlotsU8: (values, n, least, table, slots) =>
      addGroupSlots(u8, values >>> 0, n, least, u16, table >>> 1, slots >>> 1),
    addGroupSlotsU16: (values, n, least, table, slots) =>
      addGroupSlots(u16, values >>> 1, n, least, u16, table >>> 1, slots >>> 1),
    addGroupSlotsI8: (values, n, least, table, slots) =>
      addGroupSlots(i8, values >>> 0, n, least, u16, table >>> 1, slots >>> 1),
    addGroupSlotsI16: (values, n, least, table, slots) =>
      addGroupSlots(i16, values >>> 1, n, least, u16, table >>> 1, slots >>> 1),
    addGroupSlotsI32: (values, n, least, table, slots) =>
      addGroupSlots(i32, word(values), n, least, u16, table >>> 1, slots >>> 1),
    addGroupSlotsBits: (bitmap, n, set, clear, slots) =>
      addGroupSlotsBits(u32, rowsWord(bitmap), n, set, clear, u16, slots >>> 1),
    sumGroupSlotsI8: (values, slots, bitmap, n, sums) =>
      sumGroupSlots(i8, values >>> 0, u16, slots >>> 1, u32, rowsWord(bitmap), n, word(sums)),
    sumGroupSlotsI16: (values, slots, bitmap, n, sums) =>
      sumGroupSlots(i16, values >>> 1, u16, slots >>> 1, u32, rowsWord(bitmap), n, word(sums)),
    sumGroupSlotsI32: (values, slots, bitmap, n, sums) =>
      sumGroupSlots(i32, word(values), u16, slots >>> 1, u32, rowsWord(bitmap), n, word(sums)),
    extremesGroupSlotsI8: (values, slots, bitmap, n, extremes) =>
      extremesGroupSlots(i8, values >>> 0, u16, slots >>> 1, i32, rowsWord(bitmap), n, word(extremes)),
    extremesGroupSlotsI16: (values, slots, bitmap, n, extremes) =>
      extremesGroupSlots(i16, values >>> 1, u16, slots >>> 1, i32, rowsWord(bitmap), n, word(extremes)),
    extremesGroupSlotsI32: (values, slots, bitmap, n, extremes) =>
      extremesGroupSlots(i32, word(values), u16, slots >>> 1, i32, rowsWord(bitmap), n, word(extremes)),
    addSlotsU8: (values, n, least, stride, slots) =>
      addSlots(u8, values >>> 0, n, least, stride, u32, word(slots)),
    addSlotsU16: (values, n, least, stride, slots) =>
      addSlots(u16, values >>> 1, n, least, stride, u32, word(slots)),
    addSlotsI8: (values, n, least, stride, slots) =>
      addSlots(i8, values >>> 0, n, least, stride, u32, word(slots)),
    addSlotsI16: (values, n, least, stride, slots) =>
      addSlots(i16, values >>> 1, n, least, stride, u32, word(slots)),
    addSlotsI32: (values, n, least, stride, slots) =>
      addSlots(i32, word(values), n, least, stride, u32, word(slots)),
    addSlotsBits: (bitmap, n, set, clear, slots) =>
      addSlotsBits(u32, word(bitmap), n, set, clear, word(slots)),
    addKeysU8: (values, n, least, shift, keys) =>
      addKeys((row) => BigInt(u8[(values >>> 0) + row]), n, least, shift, i64, field(keys)),
    addKeysU16: (values, n, least, shift, keys) =>
      addKeys((row) => BigInt(u16[(values >>> 1) + row]), n, least, shift, i64, field(keys)),
    addKeysI8: (values, n, least, shift, keys) =>
      addKeys((row) => BigInt(i8[(values >>> 0) + row]), n, least, shift, i64, field(keys)),
    addKeysI16: (values, n, least, shift, keys) =>
      addKeys((row) => BigInt(i16[(values >>> 1) + row]), n, least, shift, i64, field(keys)),
    addKeysI32: (values, n, least, shift, keys) =>
      addKeys((row) => BigInt(i32[word(values) + row]), n, least, shift, i64, field(keys)),
    addKeysI64: (values, n, least, shift, keys) =>
      addKeys((row) => i64[field(values) + row], n, least, shift, i64, field(keys)),
    addKeysBits: (bitmap, n, set, clear, keys) =>
      addKeysBits(u32, word(bitmap), n, set, clear, i64, field(keys)),
    findGroups: (seed, keys, bitmap, n, table, mask, groupKeys, groupCount, slots) =>
      findGroups(
        u32,
        word(seed),
        word(keys),
        rowsWord(bitmap),
        n,
        word(table),
        mask,
        word(groupKeys),
        groupCount,
        word(slots),
      ),
    rehashGroups: (seed, groupKeys, count, table, mask) =>
      rehashGroups(u32, word(seed), word(groupKeys), count, word(table), mask),
    partitionRows: (seed, keys, n, records, recordBytes, extremes, extremeBytes, chunkRows, partitions) =>
      partitionRows(
        u32,
        word(seed),
        word(keys),
        n,
        word(records),
        recordBytes >>> 2,
        word(extremes),
        extremeBytes >>> 2,
        chunkRows,
        word(partitions),
      ),
    stageI8: (values, bitmap, n, out, recordBytes) =>
      staged((row) => BigInt(i8[(values >>> 0) + row]), bitmap, n, out, recordBytes),
    stageI16: (values, bitmap, n, out, recordBytes) =>
      staged((row) => BigInt(i16[(values >>> 1) + row]), bitmap, n, out, recordBytes),
    stageI32: (values, bitmap, n, out, recordBytes) =>
      staged((row) => BigInt(i32[word(values) + row]), bitmap, n, out, recordBytes),
    stageI64: (values, bitmap, n, out, recordBytes) =>
      staged((row) => i64[field(values) + row], bitmap, n, out, recordBytes),
    stageBits: (bits, bitmap, n, out, recordBytes) =>
      staged(
        (row) => BigInt((u32[word(bits) + (row >>> 5)] >>> (row & 31)) & 1),
        bitmap,
        n,
        out,
        recordBytes,
      ),
    splitFields: (values, n, low, high, recordBytes) =>
      splitFields(i64, field(values), n, field(low), field(high), recordBytes >>> 3),
    squareFields: (values, n, low, high, recordBytes) =>
      squareFields(i64, field(values), n, field(low), field(high), recordBytes >>> 3),
    addI64: (a, b, n, out) => combined((x, y) => x + y, a, b, n, out),
    subtractI64: (a, b, n, out) => combined((x, y) => x - y, a, b, n, out),
    multiplyI64: (a, b, n, out) => combined((x, y) => x * y, a, b, n, out),
    clearMissingI64: (values, bitmap, n) => clearMissingI64(i64, field(values), u32, word(bitmap), n),
    replaceMissing: (values, present, n, otherwise, recordBytes) =>
      replaceMissing(i64, field(values), field(present), n, otherwise, recordBytes >>> 3),
    stageOnes: (n, out, recordBytes) => stageOnes(i64, n, field(out), recordBytes >>> 3),
    sumRecords: (n, records, recordBytes, sum) =>
      sumRecords(n, i64, field(records), recordBytes >>> 3, field(sum)),
    addRecords: (slots, n, records, recordBytes, table) =>
      addRecords(u32, word(slots), n, i64, field(records), recordBytes >>> 3, field(table)),
    widenRecords: (slots, n, records, minCount, maxCount, table) =>
      widenRecords(u32, word(slots), n, i64, field(records), minCount, maxCount, field(table)),
    fillI64: (value, count, out) => {
      i64.fill(value, field(out), field(out) + count);
    },
    setSlotBits: (slots, values, n, least, span, bits) =>
      setSlotBits(u32, word(slots), i64, field(values), n, least, span, u8, bits >>> 0),
    scatterRuns: (slots, values, n, cursors, out) =>
      scatterRuns(u32, word(slots), i64, field(values), n, word(cursors), field(out)),
    sortRuns: (values, starts, runCount) => sortRuns(u32, word(starts), i64, field(values), runCount),
    uniqueRuns: (values, starts, runCount) => uniqueRuns(u32, word(starts), i64, field(values), runCount),
  };
}
