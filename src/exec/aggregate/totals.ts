/** The exact count, sum and extremes of stored integers, added run by run with kernels. */
import type { AggregateState, ColumnTotal } from '../../ir/index.js';
import type { ValueKind } from '../../schema/index.js';
import type { Arena, EventSegment, Width } from '../../storage/index.js';
import { exactVector, type WireVector } from '../../vector/index.js';
import { integerAt, numberAt } from '../scan/stored-values.js';

/** The scratch bitmap in which kernels return their result. */
const RESULT_BITMAP = 3;

type Statistic = ColumnTotal['statistic'];

/** The location of values in an arena: a latest-value column of a segment, or a segment of events. */
export interface StoredColumn {
  readonly arena: Arena;
  readonly kind: ValueKind;
  readonly width: Width;
  readonly valuesAt: number;
}

/** Bytes of one value of the column. */
export const storedWidth = ({ kind, width }: StoredColumn): Width => (kind === 'i32' ? 4 : width);

export class Totals {
  count = 0;
  /** The sum is that of both, of which the first is a safe integer. */
  #sum = 0;
  #rest = 0n;
  /** null = no value yet, or not wanted. */
  #least: number | bigint | null = null;
  #greatest: number | bigint | null = null;
  #sums = false;
  #extremes = false;

  get sum(): bigint {
    return BigInt(this.#sum) + this.#rest;
  }
  /** The sum, if it is a safe integer that needed no larger one on the way; otherwise null. */
  get safeSum(): number | null {
    return this.#rest === 0n ? this.#sum : null;
  }
  get least(): bigint | null {
    return this.#least === null ? null : BigInt(this.#least);
  }
  get greatest(): bigint | null {
    return this.#greatest === null ? null : BigInt(this.#greatest);
  }

  want(statistic: Statistic): void {
    if (statistic === 'sum') this.#sums = true;
    else if (statistic !== 'count') this.#extremes = true;
  }

  /** Whether values are needed, and not only their number. */
  get requiresValues(): boolean {
    return this.#sums || this.#extremes;
  }

  /**
   * Adds those of the `n` values (at most 65,536) from byte offset `at` (8-aligned) whose bits are set in the bitmap
   * (0 = all), without counting them.
   */
  add(arena: Arena, width: Width, at: number, bitmapAt: number, n: number): void {
    if (this.#sums) this.#addSum(arena, width, at, bitmapAt, n);
    if (this.#extremes) this.#addExtremes(arena, width, at, bitmapAt, n);
  }

  #addSum(arena: Arena, width: Width, at: number, bitmapAt: number, n: number): void {
    const out = arena.scratchBitmap(RESULT_BITMAP);
    sumKernel(arena, width, at, bitmapAt, n, out);
    this.#addInteger(integerOf(arena, out));
    // The second integer counts multiples of 2^32.
    const multiples = integerOf(arena, out + 8);
    if (multiples !== 0) this.#rest += BigInt(multiples) << 32n;
  }

  #addInteger(value: number | bigint): void {
    const sum = typeof value === 'number' ? this.#sum + value : Number.POSITIVE_INFINITY;
    if (Number.isSafeInteger(sum)) this.#sum = sum;
    else this.#rest += BigInt(value);
  }

  #addExtremes(arena: Arena, width: Width, at: number, bitmapAt: number, n: number): void {
    const out = arena.scratchBitmap(RESULT_BITMAP);
    if (extremesKernel(arena, width, at, bitmapAt, n, out) === 0) return;
    this.#offer(integerOf(arena, out));
    this.#offer(integerOf(arena, out + 8));
  }

  /** Adds one event, without counting it. */
  addOne(segment: EventSegment, row: number): void {
    const value = segment.width === 8 ? integerAt(segment, row) : numberAt(segment, row);
    if (this.#sums) this.#addInteger(value);
    if (this.#extremes) this.#offer(value);
  }

  /** Adds events [from, to), without counting them. */
  addRange(segment: EventSegment, from: number, to: number): void {
    const width = storedWidth(segment);
    // Kernels start at multiples of 8 bytes and are not worthwhile for few values.
    const aligned = to - from < KERNEL_VALUES_MIN ? to : alignedRow(segment.valuesAt, width, from);
    this.#addFew(segment, from, aligned);
    if (aligned < to) this.add(segment.arena, width, segment.valuesAt + aligned * width, 0, to - aligned);
  }

  #addFew(segment: EventSegment, from: number, to: number): void {
    const { arena, width, valuesAt } = segment;
    if (from >= to) return;
    if (width === 8) for (let row = from; row < to; row++) this.addOne(segment, row);
    else if (width === 4) this.#addNarrow(arena.i32, (valuesAt >> 2) + from, to - from);
    else if (width === 2) this.#addNarrow(arena.i16, (valuesAt >> 1) + from, to - from);
    else this.#addNarrow(arena.i8, valuesAt + from, to - from);
  }

  /** Adds `count` values, at least one, from index `from` on. */
  #addNarrow(values: Int8Array | Int16Array | Int32Array, from: number, count: number): void {
    let sum = 0;
    let least = values[from];
    let greatest = least;
    for (let at = from; at < from + count; at++) {
      const value = values[at];
      sum += value;
      if (value < least) least = value;
      else if (value > greatest) greatest = value;
    }
    if (this.#sums) this.#addInteger(sum);
    if (!this.#extremes) return;
    this.#offer(least);
    this.#offer(greatest);
  }

  #offer(value: number | bigint): void {
    if (this.#least === null || value < this.#least) this.#least = value;
    if (this.#greatest === null || value > this.#greatest) this.#greatest = value;
  }
}

/** Fewer values are added one by one. */
const KERNEL_VALUES_MIN = 16;

/** The first row from `row` on whose value starts at a multiple of 8 bytes. */
function alignedRow(valuesAt: number, width: Width, row: number): number {
  const beyond = (valuesAt + row * width) & 7;
  return beyond === 0 ? row : row + (8 - beyond) / width;
}

/** The states of an aggregate, one group per element of `all`. */
export function totalStates(statistic: Statistic, all: readonly Totals[]): AggregateState {
  const counts = new Float64Array(all.map(({ count }) => count));
  switch (statistic) {
    case 'count':
      return { holds: 'count', counts };
    case 'sum':
      return {
        holds: 'sum',
        counts,
        sums: sumsOf(all),
      };
    case 'min':
      return { holds: 'extreme', values: orMissing(all.map(({ least }) => least)) };
    case 'max':
      return { holds: 'extreme', values: orMissing(all.map(({ greatest }) => greatest)) };
  }
}

function sumsOf(all: readonly Totals[]): WireVector {
  const numbers = new Float64Array(all.length);
  for (const [group, { safeSum }] of all.entries()) {
    if (safeSum === null) {
      return exactVector(
        null,
        all.map(({ sum }) => sum),
      );
    }
    numbers[group] = safeSum;
  }
  return { kind: 'exact', count: all.length, valid: null, numbers, wide: null };
}

function orMissing(values: readonly (bigint | null)[]): WireVector {
  const valid = values.includes(null) ? Uint8Array.from(values, (value) => (value === null ? 0 : 1)) : null;
  return exactVector(
    valid,
    values.map((value) => value ?? 0n),
  );
}

/** The signed 64-bit integer at byte offset `at`. */
function integerOf({ i32, u32 }: Arena, at: number): number | bigint {
  const [low, high] = [u32[at >> 2], i32[(at >> 2) + 1]];
  const value = high * 2 ** 32 + low;
  return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) + BigInt(low);
}

function sumKernel(
  { kernels }: Arena,
  width: Width,
  at: number,
  bitmapAt: number,
  n: number,
  out: number,
): void {
  if (width === 8) kernels.sumI64(at, bitmapAt, n, out);
  else if (width === 4) kernels.sumI32(at, bitmapAt, n, out);
  else if (width === 2) kernels.sumI16(at, bitmapAt, n, out);
  else kernels.sumI8(at, bitmapAt, n, out);
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
