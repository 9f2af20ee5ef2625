/**
 * Exact sums of many integers at once, one per slot, without a BigInt per integer.
 * Layout     a slot has limbs of 32 bits' weight each: its sum is the sum of limb[i] * 2^(32 i), and what was spilled.
 *            Limbs are signed integers held as doubles; they need not be below 2^32.
 * Invariant  no limb ever passes 2^53: one that passes 2^52 is spilled into a BigInt, after a million additions at the
 *            earliest.
 */
import { longerCopy, type MemoryAccount } from '../../base/index.js';
import type { Arena, Width } from '../../storage/index.js';
import type { NarrowValues } from './value-batch.js';

const LIMB_WEIGHT = 2 ** 32;
const LIMB_MAX = 2 ** 52;
/** The scratch bitmap of an arena in whose place kernels leave a sum. */
const RESULT_BITMAP = 3;

export class ExactSums {
  readonly #limbCount: 2 | 4;
  readonly #memory: MemoryAccount;
  #limbs = new Float64Array(0);
  readonly #spilled = new Map<number, bigint>();

  /** Two limbs for sums of 64-bit integers, four for sums of their squares. There are no slots yet. */
  constructor(limbCount: 2 | 4, memory: MemoryAccount) {
    this.#limbCount = limbCount;
    this.#memory = memory;
  }

  /** Makes room for slots below `slotCount`. Throws 9006. */
  grow(slotCount: number): void {
    const length = slotCount * this.#limbCount;
    this.#memory.reserve((length - this.#limbs.length) * 8);
    this.#limbs = longerCopy(this.#limbs, length);
  }

  /** Adds low + high * 2^32; both are integers of at most 2^52 either way. */
  add(slot: number, low: number, high: number): void {
    const limbs = this.#limbs;
    const at = slot * this.#limbCount;
    limbs[at] += low;
    limbs[at + 1] += high;
    if (Math.abs(limbs[at]) > LIMB_MAX || Math.abs(limbs[at + 1]) > LIMB_MAX) this.#spill(slot);
  }

  /** Adds four limbs; sums of four limbs only. */
  addFour(slot: number, limb0: number, limb1: number, limb2: number, limb3: number): void {
    const limbs = this.#limbs;
    const at = slot * 4;
    limbs[at] += limb0;
    limbs[at + 1] += limb1;
    limbs[at + 2] += limb2;
    limbs[at + 3] += limb3;
    const most = Math.max(
      Math.abs(limbs[at]),
      Math.abs(limbs[at + 1]),
      Math.abs(limbs[at + 2]),
      Math.abs(limbs[at + 3]),
    );
    if (most > LIMB_MAX) this.#spill(slot);
  }

  total(slot: number): bigint {
    let total = 0n;
    for (let limb = this.#limbCount - 1; limb >= 0; limb--) {
      total = (total << 32n) + BigInt(this.#limbs[slot * this.#limbCount + limb]);
    }
    return total + (this.#spilled.get(slot) ?? 0n);
  }

  #spill(slot: number): void {
    this.#spilled.set(slot, this.total(slot));
    this.#limbs.fill(0, slot * this.#limbCount, (slot + 1) * this.#limbCount);
  }
}

/** Adds values [from, to), at most 2^20 of them, to a slot. */
export function addNarrow(
  sums: ExactSums,
  slot: number,
  values: NarrowValues,
  from: number,
  to: number,
): void {
  let sum = 0;
  for (let at = from; at < to; at++) sum += values[at];
  sums.add(slot, sum, 0);
}

/** Adds the 64-bit integers [from, to), (low, high) pairs of words, at most 2^20 of them, to a slot. */
export function addWide(sums: ExactSums, slot: number, words: Uint32Array, from: number, to: number): void {
  let [low, high] = [0, 0];
  for (let at = from * 2; at < to * 2; at += 2) {
    low += words[at];
    high += words[at + 1] | 0;
  }
  sums.add(slot, low, high);
}

/**
 * Adds those of the `n` values (at most 65,536) from byte offset `at` on, 8-aligned, whose bits are set in the bitmap
 * (0 = all) to a slot.
 */
export function addStored(
  sums: ExactSums,
  slot: number,
  arena: Arena,
  width: Width,
  at: number,
  bitmapAt: number,
  n: number,
): void {
  const { kernels, u32 } = arena;
  const out = arena.scratchBitmap(RESULT_BITMAP);
  if (width === 8) kernels.sumI64(at, bitmapAt, n, out);
  else if (width === 4) kernels.sumI32(at, bitmapAt, n, out);
  else if (width === 2) kernels.sumI16(at, bitmapAt, n, out);
  else kernels.sumI8(at, bitmapAt, n, out);
  const word = out >> 2;
  const second = (u32[word + 3] | 0) * LIMB_WEIGHT + u32[word + 2];
  sums.add(slot, u32[word], (u32[word + 1] | 0) + second);
}

/**
 * Adds the squares of values [from, to), at most 2^16 of them, to a slot of four limbs. Here and below a product of
 * two words is taken apart into two words again.
 */
export function addNarrowSquares(
  squares: ExactSums,
  slot: number,
  values: NarrowValues,
  from: number,
  to: number,
): void {
  let [low, high] = [0, 0];
  for (let at = from; at < to; at++) {
    const value = values[at];
    const lowWord = Math.imul(value, value) >>> 0;
    low += lowWord;
    high += highWordOf(value * value, lowWord);
  }
  squares.addFour(slot, low, high, 0, 0);
}

/** The same of 64-bit integers, (low, high) pairs of words. */
export function addWideSquares(
  squares: ExactSums,
  slot: number,
  words: Uint32Array,
  from: number,
  to: number,
): void {
  let [limb0, limb1, limb2, limb3] = [0, 0, 0, 0];
  for (let at = from * 2; at < to * 2; at += 2) {
    // (l + h 2^32)^2 = l^2 + 2 h l 2^32 + h^2 2^64, with l unsigned and h signed.
    const low = words[at];
    const high = words[at + 1] | 0;
    const lowSquare = Math.imul(low, low) >>> 0;
    const cross = Math.imul(high, low) >>> 0;
    const highSquare = Math.imul(high, high) >>> 0;
    limb0 += lowSquare;
    limb1 += highWordOf(low * low, lowSquare) + 2 * cross;
    limb2 += 2 * highWordOf(high * low, cross) + highSquare;
    limb3 += highWordOf(high * high, highSquare);
  }
  squares.addFour(slot, limb0, limb1, limb2, limb3);
}

/**
 * The high word of a product of two words whose low word is known: the product as a double is off by 2^11 at most, so
 * what it stands for is the nearest number with that low word.
 */
function highWordOf(product: number, lowWord: number): number {
  return Math.round((product - lowWord) / LIMB_WEIGHT);
}
