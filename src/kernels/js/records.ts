/** Twins of wasm/records.ts, which documents layouts and Needs. Fields are elements of an i64 view; `step` is the record length in elements. */
import { chosen, lowestBit } from './words.js';

type Integers = Uint8Array | Uint16Array | Int8Array | Int16Array | Int32Array;

export function addSlots(
  rows: Integers,
  values: number,
  n: number,
  least: number,
  stride: number,
  words: Uint32Array,
  slots: number,
): void {
  for (let row = 0; row < n; row++) words[slots + row] += Math.imul(rows[values + row] - least, stride);
}

export function addSlotsBits(
  words: Uint32Array,
  bitmap: number,
  n: number,
  set: number,
  clear: number,
  slots: number,
): void {
  for (let row = 0; row < n; row++) {
    words[slots + row] += (words[bitmap + (row >>> 5)] & (1 << (row & 31))) !== 0 ? set : clear;
  }
}

/** The rows below n that are set in `bitmap`, in order. */
function* setRows(words: Uint32Array, bitmap: number, n: number): Generator<number> {
  for (let from = 0; from < n; from += 32) {
    for (let bits = chosen(words, bitmap, from, n); bits !== 0; bits &= bits - 1)
      yield from + lowestBit(bits);
  }
}

export function stage(
  valueAt: (row: number) => bigint,
  words: Uint32Array,
  bitmap: number,
  n: number,
  fields: BigInt64Array,
  out: number,
  step: number,
): number {
  let count = 0;
  for (const row of setRows(words, bitmap, n)) fields[out + step * count++] = valueAt(row);
  return count;
}

export function splitFields(
  fields: BigInt64Array,
  values: number,
  n: number,
  low: number,
  high: number,
  step: number,
): void {
  for (let at = 0; at < n * step; at += step) putHalves(fields, fields[values + at], low + at, high + at);
}

export function squareFields(
  fields: BigInt64Array,
  values: number,
  n: number,
  low: number,
  high: number,
  step: number,
): void {
  for (let at = 0; at < n * step; at += step)
    putHalves(fields, fields[values + at] ** 2n, low + at, high + at);
}

function putHalves(fields: BigInt64Array, value: bigint, low: number, high: number): void {
  fields[low] = BigInt.asUintN(32, value);
  fields[high] = value >> 32n;
}

export function replaceMissing(
  fields: BigInt64Array,
  values: number,
  present: number,
  n: number,
  otherwise: bigint,
  step: number,
): void {
  for (let at = 0; at < n * step; at += step)
    if (fields[present + at] === 0n) fields[values + at] = otherwise;
}

export function stageOnes(fields: BigInt64Array, n: number, out: number, step: number): void {
  for (let at = 0; at < n * step; at += step) fields[out + at] = 1n;
}

export function sumRecords(
  n: number,
  fields: BigInt64Array,
  staged: number,
  step: number,
  sum: number,
): void {
  for (let at = staged; at < staged + n * step; at += step) {
    for (let field = 0; field < step; field++) fields[sum + field] += fields[at + field];
  }
}

export function addRecords(
  words: Uint32Array,
  slots: number,
  n: number,
  fields: BigInt64Array,
  staged: number,
  step: number,
  table: number,
): void {
  for (let row = 0; row < n; row++) {
    const to = table + words[slots + row] * step;
    for (let field = 0; field < step; field++) fields[to + field] += fields[staged + row * step + field];
  }
}

export function widenRecords(
  words: Uint32Array,
  slots: number,
  n: number,
  fields: BigInt64Array,
  staged: number,
  minCount: number,
  maxCount: number,
  table: number,
): void {
  const step = minCount + maxCount;
  for (let row = 0; row < n; row++) {
    const to = table + words[slots + row] * step;
    for (let field = 0; field < step; field++) {
      const value = fields[staged + row * step + field];
      const isBetter = field < minCount ? value < fields[to + field] : value > fields[to + field];
      if (isBetter) fields[to + field] = value;
    }
  }
}

export function setSlotBits(
  words: Uint32Array,
  slots: number,
  fields: BigInt64Array,
  values: number,
  n: number,
  least: bigint,
  span: number,
  bytes: Uint8Array,
  bits: number,
): void {
  for (let row = 0; row < n; row++) {
    const bit = words[slots + row] * span + Number(fields[values + row] - least);
    bytes[bits + Math.floor(bit / 8)] |= 1 << (bit % 8);
  }
}
