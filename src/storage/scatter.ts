/**
 * Copies values [from, to) of a section to their rows in an arena: a loop per kind of array, so that nothing is decided per
 * value. Value i of the section goes to row rows[i] of the column; if a row occurs twice, the later value wins.
 */
import { invariant } from '../base/index.js';
import type { Values } from '../column/index.js';
import type { Arena } from './arena.js';
import { type Width, widthOfCode, widthOfInteger } from './width.js';

/** Returns the width that values [from, to) need; 1 for kinds of fixed width. `codes`: for strings. */
export function widthOfRun(values: Values, codes: Uint32Array | null, from: number, to: number): Width {
  if (values.kind === 'code') return widthOfCodeRun(codesOf(codes), from, to);
  return values.kind === 'i64' ? widthOfIntegerRun(values.words, from, to) : 1;
}

/** Writes values that fit the width; `at` is the byte offset of the column's first value. `codes`: for strings. */
export function scatterValues(
  arena: Arena,
  at: number,
  width: Width,
  rows: Uint32Array,
  values: Values,
  codes: Uint32Array | null,
  from: number,
  to: number,
): void {
  switch (values.kind) {
    case 'code':
      if (width === 1) scatterU8(arena.u8, at, rows, codesOf(codes), 1, from, to);
      else if (width === 2) scatterU16(arena.u16, at >> 1, rows, codesOf(codes), 1, from, to);
      else scatterU32(arena.u32, at >> 2, rows, codesOf(codes), 1, from, to);
      break;
    case 'i64':
      if (width === 1) scatterU8(arena.u8, at, rows, values.words, 2, from, to);
      else if (width === 2) scatterU16(arena.u16, at >> 1, rows, values.words, 2, from, to);
      else if (width === 4) scatterU32(arena.u32, at >> 2, rows, values.words, 2, from, to);
      else scatterPairs(arena.u32, at >> 2, rows, values.words, from, to);
      break;
    case 'i32':
      scatterDays(arena.i32, at >> 2, rows, values.i32, from, to);
      break;
    case 'bits':
      scatterBits(arena.u8, at, rows, values.bits, from, to);
      break;
    case 'geo':
      scatterPoints(arena.f64, at >> 3, rows, values.f64, from, to);
      break;
  }
}

/** Sets the bits of rows[from, to) in the bitmap at byte `at`; returns how many of them were clear. */
export function markRows(u8: Uint8Array, at: number, rows: Uint32Array, from: number, to: number): number {
  let added = 0;
  for (let index = from; index < to; index++) {
    const byte = at + (rows[index] >> 3);
    const bit = rows[index] & 7;
    added += ((u8[byte] >> bit) & 1) ^ 1;
    u8[byte] |= 1 << bit;
  }
  return added;
}

/** target[at + rows[i]] = values[i * stride], lowest bits only. */
function scatterU8(
  target: Uint8Array,
  at: number,
  rows: Uint32Array,
  values: Uint32Array,
  stride: 1 | 2,
  from: number,
  to: number,
): void {
  for (let index = from; index < to; index++) target[at + rows[index]] = values[index * stride];
}

function scatterU16(
  target: Uint16Array,
  at: number,
  rows: Uint32Array,
  values: Uint32Array,
  stride: 1 | 2,
  from: number,
  to: number,
): void {
  for (let index = from; index < to; index++) target[at + rows[index]] = values[index * stride];
}

function scatterU32(
  target: Uint32Array,
  at: number,
  rows: Uint32Array,
  values: Uint32Array,
  stride: 1 | 2,
  from: number,
  to: number,
): void {
  for (let index = from; index < to; index++) target[at + rows[index]] = values[index * stride];
}

function scatterPairs(
  target: Uint32Array,
  at: number,
  rows: Uint32Array,
  words: Uint32Array,
  from: number,
  to: number,
): void {
  for (let index = from; index < to; index++) {
    target[at + rows[index] * 2] = words[index * 2];
    target[at + rows[index] * 2 + 1] = words[index * 2 + 1];
  }
}

function scatterDays(
  target: Int32Array,
  at: number,
  rows: Uint32Array,
  days: Int32Array,
  from: number,
  to: number,
): void {
  for (let index = from; index < to; index++) target[at + rows[index]] = days[index];
}

/** `bits` has a byte per value. */
function scatterBits(
  u8: Uint8Array,
  at: number,
  rows: Uint32Array,
  bits: Uint8Array,
  from: number,
  to: number,
): void {
  for (let index = from; index < to; index++) {
    const byte = at + (rows[index] >> 3);
    const shift = rows[index] & 7;
    u8[byte] = (u8[byte] & ~(1 << shift)) | ((bits[index] & 1) << shift);
  }
}

/** (longitude, latitude) pairs. */
function scatterPoints(
  target: Float64Array,
  at: number,
  rows: Uint32Array,
  points: Float64Array,
  from: number,
  to: number,
): void {
  for (let index = from; index < to; index++) {
    target[at + rows[index] * 2] = points[index * 2];
    target[at + rows[index] * 2 + 1] = points[index * 2 + 1];
  }
}

function widthOfCodeRun(codes: Uint32Array, from: number, to: number): Width {
  let all = 0;
  for (let index = from; index < to; index++) all |= codes[index];
  return widthOfCode(all >>> 0);
}

/** For (low, high) pairs of words. */
function widthOfIntegerRun(words: Uint32Array, from: number, to: number): Width {
  let width: Width = 1;
  for (let index = from; index < to && width < 8; index++) {
    const needed = widthOfInteger(words[index * 2], words[index * 2 + 1]);
    if (needed > width) width = needed;
  }
  return width;
}

function codesOf(codes: Uint32Array | null): Uint32Array {
  invariant(codes !== null, 'strings require codes');
  return codes;
}
