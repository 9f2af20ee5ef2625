/** The least and greatest 64-bit integer by slot, held as words to avoid a BigInt per integer. */
import { longerCopy, type MemoryAccount } from '../../base/index.js';
import type { Arena, Width } from '../../storage/index.js';
import type { NarrowValues } from './value-batch.js';

/** The scratch bitmap in which kernels return extremes. */
const RESULT_BITMAP = 3;

/** Words of a slot: low and high word of the least, low and high word of the greatest integer. */
const WORDS = 4;

export class IntegerExtremes {
  readonly #memory: MemoryAccount;
  #words = new Int32Array(0);

  /** Starts without slots. */
  constructor(memory: MemoryAccount) {
    this.#memory = memory;
  }

  /** Grows the arrays to hold slots below `slotCount`. Throws 9006. */
  grow(slotCount: number): void {
    const before = this.#words;
    this.#memory.reserve(slotCount * WORDS * 4 - before.byteLength);
    this.#words = longerCopy(before, slotCount * WORDS);
    this.#clear(before.length);
  }

  /** Sets the least to the greatest possible integer and vice versa, from word `from` on. */
  #clear(from: number): void {
    for (let at = from; at < this.#words.length; at += WORDS) {
      this.#words[at] = -1;
      this.#words[at + 1] = 0x7fffffff;
      this.#words[at + 2] = 0;
      this.#words[at + 3] = -0x80000000;
    }
  }

  /** Offers the integer with these words, each signed or unsigned. */
  offer(slot: number, low: number, high: number): void {
    const words = this.#words;
    const at = slot * WORDS;
    const signed = high | 0;
    if (signed < words[at + 1] || (signed === words[at + 1] && low >>> 0 < words[at] >>> 0)) {
      words[at] = low;
      words[at + 1] = signed;
    }
    if (signed > words[at + 3] || (signed === words[at + 3] && low >>> 0 > words[at + 2] >>> 0)) {
      words[at + 2] = low;
      words[at + 3] = signed;
    }
  }

  /** Valid only for slots to which an integer was offered. */
  least(slot: number): bigint {
    return integerOf(this.#words[slot * WORDS], this.#words[slot * WORDS + 1]);
  }
  greatest(slot: number): bigint {
    return integerOf(this.#words[slot * WORDS + 2], this.#words[slot * WORDS + 3]);
  }
}

function integerOf(low: number, high: number): bigint {
  return (BigInt(high) << 32n) + BigInt(low >>> 0);
}

/** Offers values[from], ..., values[to - 1], at least one. */
export function offerNarrow(
  extremes: IntegerExtremes,
  slot: number,
  values: NarrowValues,
  from: number,
  to: number,
): void {
  let [least, greatest] = [values[from], values[from]];
  for (let at = from + 1; at < to; at++) {
    const value = values[at];
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  extremes.offer(slot, least, least >> 31);
  extremes.offer(slot, greatest, greatest >> 31);
}

/** Offers the 64-bit integers [from, to), given as (low, high) pairs of words. */
export function offerWide(
  extremes: IntegerExtremes,
  slot: number,
  words: Uint32Array,
  from: number,
  to: number,
): void {
  for (let at = from * 2; at < to * 2; at += 2) extremes.offer(slot, words[at], words[at + 1]);
}

/**
 * Offers those of the `n` values (at most 65,536) from byte offset `at` (8-aligned) whose bits are set in the bitmap
 * (0 = all).
 */
export function offerStored(
  extremes: IntegerExtremes,
  slot: number,
  arena: Arena,
  width: Width,
  at: number,
  bitmapAt: number,
  n: number,
): void {
  const { u32 } = arena;
  const out = arena.scratchBitmap(RESULT_BITMAP);
  if (extremesKernel(arena, width, at, bitmapAt, n, out) === 0) return;
  const word = out >> 2;
  extremes.offer(slot, u32[word], u32[word + 1]);
  extremes.offer(slot, u32[word + 2], u32[word + 3]);
}

function extremesKernel(
  { kernels }: Arena,
  width: Width,
  at: number,
  bitmapAt: number,
  n: number,
  out: number,
): number {
  if (width === 8) return kernels.extremesI64(at, bitmapAt, n, out);
  if (width === 4) return kernels.extremesI32(at, bitmapAt, n, out);
  if (width === 2) return kernels.extremesI16(at, bitmapAt, n, out);
  return kernels.extremesI8(at, bitmapAt, n, out);
}
