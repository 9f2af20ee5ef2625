/**
 * Exact sums of integers by slot, without a BigInt per integer.
 * Layout  a slot's sum is the sum of limb[i] * 2^(32 i), plus a spilled BigInt. Limbs are signed integers held as
 *         doubles and may exceed 2^32.
 * Invariant  no limb exceeds 2^53: a limb above 2^52 is spilled into a BigInt, after a million additions at the
 *            earliest.
 */
import { longerCopy, type MemoryAccount } from '../../base/index.js';
import type { Arena, Width } from '../../storage/index.js';
import type { NarrowValues } from './value-batch.js';

const LIMB_WEIGHT = 2 ** 32;
const LIMB_MAX = 2 ** 52;
/** The scratch bitmap in which kernels return a sum. */
const RESULT_BITMAP = 3;

export class ExactIntegerSums {
  readonly #limbCount: 2 | 4;
  readonly #memory: MemoryAccount;
  #limbs = new Float64Array(0);
  readonly #spilled = new Map<number, bigint>();

  /** Two limbs for sums of 64-bit integers, four for sums of their squares. Starts without slots. */
  constructor(limbCount: 2 | 4, memory: MemoryAccount) {
    this.#limbCount = limbCount;
    this.#memory = memory;
  }

  /** Grows the arrays to hold slots below `slotCount`. Throws 9006. */
  grow(slotCount: number): void {
    const length = slotCount * this.#limbCount;
    this.#memory.reserve((length - this.#limbs.length) * 8);
    this.#limbs = longerCopy(this.#limbs, length);
  }

  /** Adds low + high * 2^32; both are integers of at most 2^52 in magnitude. */
  add(slot: number, low: number, high: number): void {
    const limbs = this.#limbs;
    const at = slot * this.#limbCount;
    limbs[at] += low;
    limbs[at + 1] += high;
    if (Math.abs(limbs[at]) > LIMB_MAX || Math.abs(limbs[at + 1]) > LIMB_MAX) this.#spill(slot);
  }

  /** Adds four limbs; for four-limb sums only. */
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
  sums: ExactIntegerSums,
  slot: number,
  values: NarrowValues,
  from: number,
  to: number,
): void {
  let sum = 0;
  for (let at = from; at < to; at++) sum += values[at];
  sums.add(slot, sum, 0);
}

/** Adds the 64-bit integers [from, to), at most 2^20 (low, high) pairs of words, to a slot. */
export function addWide(
  sums: ExactIntegerSums,
  slot: number,
  words: Uint32Array,
  from: number,
  to: number,
): void {
  let [low, high] = [0, 0];
  for (let at = from * 2; at < to * 2; at += 2) {
    low += words[at];
    high += words[at + 1] | 0;
  }
  sums.add(slot, low, high);
}

/**
 * Adds to a slot those of the `n` values (at most 65,536) from byte offset `at` (8-aligned) whose bits are set in the
 * bitmap (0 = all).
 */
export function addStored(
  sums: ExactIntegerSums,
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
 * Adds the squares of values [from, to), at most 2^16 of them, to a four-limb slot. Here and below, the product of
 * two words is split into two words again.
 */
export function addNarrowSquares(
  squares: ExactIntegerSums,
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

/** Adds the squares of 64-bit integers, given as (low, high) pairs of words. */
export function addWideSquares(
  squares: ExactIntegerSums,
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
 * The high word of a product of two words whose low word is known. The product as a double is off by at most 2^11, so
 * the exact product is the nearest number with that low word.
 */
function highWordOf(product: number, lowWord: number): number {
  return Math.round((product - lowWord) / LIMB_WEIGHT);
}
