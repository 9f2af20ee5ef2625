/** The set of codes that each group contains: one bit for every pair of group and code, within a size limit. */
import type { MemoryAccount } from '../../../base/index.js';
import { popcount32 } from '../../../kernels/index.js';
import type { Coded } from '../groups/group-codes.js';
import type { BatchGroups } from './aggregate-state.js';

/** 16 MiB of bits. */
export const GRID_BITS_MAX = 2 ** 27;

export class CodeGrid {
  readonly #memory: MemoryAccount;
  readonly #bitsMax: number;
  /** The bit of code c in group g is g * stride + c, least significant first. */
  #bits: Uint32Array<ArrayBuffer>;
  /** A multiple of 32. */
  #stride = 0;
  #groupEnd = 0;

  /** The grid has at most `bitsMax` bits, except that one group always fits. */
  constructor(memory: MemoryAccount, bitsMax: number) {
    this.#memory = memory;
    this.#bitsMax = bitsMax;
    this.#bits = memory.u32(0);
  }

  /**
   * Marks each row's code, which is below `bound`, for the row's group. Returns false, without changes, if the grid
   * would become too large, or larger than `worthwhileBits`. Throws 9006.
   */
  mark(
    { codes, shift }: Coded,
    bound: number,
    { groups, isOne, groupEnd, count }: BatchGroups,
    worthwhileBits = Number.POSITIVE_INFINITY,
  ): boolean {
    if (!this.#reserve(bound, groupEnd, Math.min(this.#bitsMax, worthwhileBits))) return false;
    if (isOne) markAll(codes, count, this.#stride + shift, this.#bits);
    else markEach(codes, groups, count, this.#stride, shift, this.#bits);
    return true;
  }

  #reserve(bound: number, groupEnd: number, bitsMax: number): boolean {
    if (bound <= this.#stride && groupEnd <= this.#groupEnd) return true;
    const least = Math.ceil(bound / 32) * 32;
    let stride = bound <= this.#stride ? this.#stride : Math.max(least, this.#stride * 2);
    let end = groupEnd <= this.#groupEnd ? this.#groupEnd : Math.max(groupEnd, this.#groupEnd * 2);
    if (stride * end > bitsMax) {
      [stride, end] = [Math.max(least, this.#stride), Math.max(groupEnd, this.#groupEnd)];
    }
    if (stride * end > bitsMax && end > 2) return false;
    const bits = this.#memory.u32((stride * end) >>> 5);
    const [from, to] = [this.#stride >>> 5, stride >>> 5];
    for (let group = 0; group < this.#groupEnd; group++) {
      bits.set(this.#bits.subarray(group * from, (group + 1) * from), group * to);
    }
    this.#memory.release(this.#bits.byteLength);
    [this.#bits, this.#stride, this.#groupEnd] = [bits, stride, end];
    return true;
  }

  /** The number of marked pairs of a group above 0 and a code above 0. */
  count(): number {
    let count = 0;
    const [bits, words] = [this.#bits, this.#stride >>> 5];
    for (let group = 1; group < this.#groupEnd; group++) {
      for (let word = 0; word < words; word++) {
        count += popcount32(word === 0 ? bits[group * words] & ~1 : bits[group * words + word]);
      }
    }
    return count;
  }

  /** Calls `visit` for each marked pair of a group above 0 and a code above 0; codes ascend within a group. */
  each(visit: (group: number, code: number) => void): void {
    const [bits, words] = [this.#bits, this.#stride >>> 5];
    for (let group = 1; group < this.#groupEnd; group++) {
      for (let word = 0; word < words; word++) {
        let left = word === 0 ? bits[group * words] & ~1 : bits[group * words + word];
        for (; left !== 0; left &= left - 1) visit(group, word * 32 + 31 - Math.clz32(left & -left));
      }
    }
  }

  release(): void {
    this.#memory.release(this.#bits.byteLength);
    this.#bits = new Uint32Array(0);
    this.#stride = 0;
    this.#groupEnd = 0;
  }
}

/** Sets bit first + codes[i] for each row. Unrolled: see aggregate-sums.ts. */
function markAll(codes: Uint32Array, count: number, first: number, bits: Uint32Array): void {
  let row = 0;
  for (; row + 3 < count; row += 4) {
    const bit0 = codes[row] + first;
    const bit1 = codes[row + 1] + first;
    const bit2 = codes[row + 2] + first;
    const bit3 = codes[row + 3] + first;
    bits[bit0 >>> 5] |= 1 << (bit0 & 31);
    bits[bit1 >>> 5] |= 1 << (bit1 & 31);
    bits[bit2 >>> 5] |= 1 << (bit2 & 31);
    bits[bit3 >>> 5] |= 1 << (bit3 & 31);
  }
  for (; row < count; row++) {
    const bit = codes[row] + first;
    bits[bit >>> 5] |= 1 << (bit & 31);
  }
}

function markEach(
  codes: Uint32Array,
  groups: Uint32Array,
  count: number,
  stride: number,
  shift: number,
  bits: Uint32Array,
): void {
  for (let row = 0; row < count; row++) {
    const bit = Math.imul(groups[row], stride) + codes[row] + shift;
    bits[bit >>> 5] |= 1 << (bit & 31);
  }
}
