/**
 * A few value layouts that the loops here support, and the loops themselves: from values to numbers.
 * A value is addressed by an index: its row in a segment, or an item's position in a list's heap. Values of 8, 16 and
 * 32 bits are read from words regardless of their width, because a loop over several typed array classes takes twice
 * as long.
 */
import type { ValueKind } from '../../schema/index.js';
import type { Arena, ListColumn, Width } from '../../storage/index.js';

/** Values of 8, 16 or 32 bits, little-endian in words. */
export interface NarrowView {
  readonly as: 'narrow';
  readonly words: Int32Array;
  readonly width: 1 | 2 | 4;
  /** Integers in two's complement; otherwise unsigned codes. */
  readonly signed: boolean;
}

export type ValueView =
  | NarrowView
  /** (low, high) words of value i at 2 i. */
  | { readonly as: 'wide'; readonly words: Uint32Array }
  /** Bit i & 7 of byte i >> 3. */
  | { readonly as: 'bits'; readonly bitmap: Uint8Array }
  /** 0 or 1. */
  | { readonly as: 'bytes'; readonly bytes: Uint8Array }
  /** Longitude and latitude of value i at 2 i. */
  | { readonly as: 'points'; readonly points: Float64Array };

/** Values in an arena: of a latest-value column or of an event segment. */
interface Stored {
  readonly arena: Arena;
  readonly kind: ValueKind;
  readonly width: Width;
  readonly valuesAt: number;
}

/** A view of `count` values. */
export function viewOf({ arena, kind, width, valuesAt: at }: Stored, count: number): ValueView {
  if (kind === 'bits') return { as: 'bits', bitmap: arena.u8.subarray(at, at + ((count + 7) >> 3)) };
  if (kind === 'geo') return { as: 'points', points: arena.f64.subarray(at >> 3, (at >> 3) + count * 2) };
  const word = at >> 2;
  if (kind === 'i64' && width === 8) {
    return { as: 'wide', words: arena.u32.subarray(word, word + count * 2) };
  }
  const narrow = kind === 'i32' ? 4 : (width as 1 | 2 | 4);
  const words = arena.i32.subarray(word, word + ((count * narrow + 3) >> 2));
  return { as: 'narrow', words, width: narrow, signed: kind !== 'code' };
}

/** A view of all items. */
export function itemViewOf({ kind, items }: ListColumn): ValueView {
  if (items instanceof Float64Array) return { as: 'points', points: items };
  if (items instanceof Uint8Array) return { as: 'bytes', bytes: items };
  if (items instanceof Uint32Array && kind === 'i64') return { as: 'wide', words: items };
  const words =
    items instanceof Int32Array ? items : new Int32Array(items.buffer, items.byteOffset, items.length);
  return { as: 'narrow', words, width: 4, signed: kind !== 'code' };
}

/** The parameters that extract value i from the words: (words[i >> log] >>> ((i & last) << bitLog)) & mask. */
function cutOf(width: 1 | 2 | 4): { log: number; last: number; bitLog: number; mask: number } {
  if (width === 1) return { log: 2, last: 3, bitLog: 3, mask: 0xff };
  if (width === 2) return { log: 1, last: 1, bitLog: 4, mask: 0xffff };
  return { log: 0, last: 0, bitLog: 0, mask: -1 };
}

/**
 * The parameters that turn the bits of a narrow value into the value minus `base`, modulo 2^32: (bits ^ flip) -
 * shift. The sign bit of 8 and 16 bits is flipped, so that values are unsigned, starting at the least.
 */
function biasOf(width: number, signed: boolean, base: number): { flip: number; shift: number } {
  const half = signed && width < 4 ? 2 ** (width * 8 - 1) : 0;
  return { flip: half, shift: (half + base) | 0 };
}

/** out[i] = value indices[i] minus `base`, modulo 2^32. */
export function offsetsOf(
  values: Exclude<ValueView, { as: 'points' }>,
  base: number,
  indices: Uint32Array,
  count: number,
  out: Uint32Array,
): void {
  switch (values.as) {
    case 'narrow':
      narrowOffsets(values, base, indices, count, out);
      break;
    case 'wide': {
      const { words } = values;
      const low = base | 0;
      for (let at = 0; at < count; at++) out[at] = words[indices[at] * 2] - low;
      break;
    }
    case 'bits': {
      const { bitmap } = values;
      for (let at = 0; at < count; at++) {
        const index = indices[at];
        out[at] = ((bitmap[index >> 3] >> (index & 7)) & 1) - base;
      }
      break;
    }
    case 'bytes': {
      const { bytes } = values;
      for (let at = 0; at < count; at++) out[at] = bytes[indices[at]] - base;
      break;
    }
  }
}

function narrowOffsets(
  values: NarrowView,
  base: number,
  indices: Uint32Array,
  count: number,
  out: Uint32Array,
): void {
  const { words } = values;
  const { log, last, bitLog, mask } = cutOf(values.width);
  const { flip, shift } = biasOf(values.width, values.signed, base);
  for (let at = 0; at < count; at++) {
    const index = indices[at];
    const bits = (words[index >> log] >>> ((index & last) << bitLog)) & mask;
    out[at] = (bits ^ flip) - shift;
  }
}

/** Writes the (low, high) words of value indices[i] to out, at 2 i; integers only. */
export function wordsOf(values: ValueView, indices: Uint32Array, count: number, out: Int32Array): void {
  if (values.as === 'wide') {
    const { words } = values;
    for (let at = 0; at < count; at++) {
      out[at * 2] = words[indices[at] * 2];
      out[at * 2 + 1] = words[indices[at] * 2 + 1];
    }
  } else if (values.as === 'narrow') {
    const { words, width } = values;
    const { log, last, bitLog } = cutOf(width);
    const unused = 32 - width * 8;
    for (let at = 0; at < count; at++) {
      const index = indices[at];
      const low = ((words[index >> log] >>> ((index & last) << bitLog)) << unused) >> unused;
      out[at * 2] = low;
      out[at * 2 + 1] = low >> 31;
    }
  }
}

/** Adds 1 to counts[v - base] for each of the first `count` values v. */
export function countAll(values: NarrowView, base: number, count: number, counts: Uint32Array): void {
  const { words, width } = values;
  const { flip, shift } = biasOf(values.width, values.signed, base);
  const whole = width === 1 ? countBytes : width === 2 ? countHalves : countWords;
  const done = whole(words, count, flip, shift, counts);
  const { log, last, bitLog, mask } = cutOf(width);
  for (let index = done; index < count; index++) {
    const bits = (words[index >> log] >>> ((index & last) << bitLog)) & mask;
    counts[((bits ^ flip) - shift) | 0]++;
  }
}

// Four values per iteration: throughput depends on the number of independent loads and stores in flight. Each
// function returns the number of values it counted.

function countBytes(
  words: Int32Array,
  count: number,
  flip: number,
  shift: number,
  counts: Uint32Array,
): number {
  const end = count >> 2;
  for (let at = 0; at < end; at++) {
    const word = words[at];
    counts[(((word & 0xff) ^ flip) - shift) | 0]++;
    counts[((((word >>> 8) & 0xff) ^ flip) - shift) | 0]++;
    counts[((((word >>> 16) & 0xff) ^ flip) - shift) | 0]++;
    counts[(((word >>> 24) ^ flip) - shift) | 0]++;
  }
  return end * 4;
}

function countHalves(
  words: Int32Array,
  count: number,
  flip: number,
  shift: number,
  counts: Uint32Array,
): number {
  const end = (count >> 2) * 2;
  for (let at = 0; at < end; at += 2) {
    const [first, second] = [words[at], words[at + 1]];
    counts[(((first & 0xffff) ^ flip) - shift) | 0]++;
    counts[(((first >>> 16) ^ flip) - shift) | 0]++;
    counts[(((second & 0xffff) ^ flip) - shift) | 0]++;
    counts[(((second >>> 16) ^ flip) - shift) | 0]++;
  }
  return end * 2;
}

function countWords(
  words: Int32Array,
  count: number,
  flip: number,
  shift: number,
  counts: Uint32Array,
): number {
  const end = count & ~3;
  for (let at = 0; at < end; at += 4) {
    counts[((words[at] ^ flip) - shift) | 0]++;
    counts[((words[at + 1] ^ flip) - shift) | 0]++;
    counts[((words[at + 2] ^ flip) - shift) | 0]++;
    counts[((words[at + 3] ^ flip) - shift) | 0]++;
  }
  return end;
}

/** Adds `step` to counts[v - base] for each of the first `count` values v whose bit in `bitmap` is `bit`. */
export function countSet(
  values: NarrowView,
  base: number,
  count: number,
  bitmap: Int32Array,
  bit: 0 | 1,
  step: 1 | -1,
  counts: Uint32Array,
): void {
  const { words } = values;
  const { log, last, bitLog, mask } = cutOf(values.width);
  const { flip, shift } = biasOf(values.width, values.signed, base);
  const turned = bit - 1;
  for (let at = 0, from = 0; from < count; at++, from += 32) {
    const live = count - from >= 32 ? -1 : (1 << (count - from)) - 1;
    for (let rest = (bitmap[at] ^ turned) & live; rest !== 0; rest &= rest - 1) {
      const index = from + 31 - Math.clz32(rest & -rest);
      const bits = (words[index >> log] >>> ((index & last) << bitLog)) & mask;
      counts[((bits ^ flip) - shift) | 0] += step;
    }
  }
}
