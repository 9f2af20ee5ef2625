/**
 * SUM and AVG of floats over frames: the exact sum of the frame, from which the result is rounded once. Values are
 * added when they enter the frame and removed when they leave it. A result that is not finite is missing.
 */
import { inSlices, type MemoryAccount, SLICE_TEXTS, type Task } from '../../base/index.js';
import {
  exactMean,
  type FloatVector,
  type Form,
  formOf,
  MEAN_UNIT,
  nearest,
  UNIT_BITS,
  unitsOf,
  type Vector,
} from '../../vector/index.js';
import { validOrNull } from './exact-sums.js';
import { FloatSum } from './float-sum.js';
import type { FrameRange, Frames } from './frames.js';
import type { WindowLayout } from './layout.js';

/** Values whose sums FloatSum can hold. */
const ADDED_MAX = 2 ** 970;
/** Above this, a quotient of doubles does not determine the millionths of a mean. */
const MILLIONTHS_MAX = 2 ** 48;
const FORM = formOf({ type: 'float' });
/** The sums of most columns are multiples of 2^-64, so that their means take few digits. */
const SHORT_BITS = 64;
const SHORT_FORM: Form = { unit: 1n, exponent: -SHORT_BITS };

interface Total {
  add(value: number): void;
  clear(): void;
  rounded(): number;
  integer(power: number): bigint | null;
  readonly units: bigint;
}

/** Sums of any size. */
class WideTotal implements Total {
  units = 0n;

  add(value: number): void {
    this.units += unitsOf(value);
  }

  clear(): void {
    this.units = 0n;
  }

  rounded(): number {
    return nearest(this.units, 1n, -UNIT_BITS);
  }

  integer(): null {
    return null;
  }
}

/** The memory of the result stays reserved. Throws 9006. */
export function* floatColumn(
  value: FloatVector,
  name: 'sum' | 'avg' | 'mean',
  frames: Frames,
  layout: WindowLayout,
  memory: MemoryAccount,
): Task<Vector> {
  const { count } = layout;
  memory.reserve(count * 9);
  const numbers = new Float64Array(count);
  const valid = new Uint8Array(count);
  let isLarge = false;
  yield* inSlices(value.count, (from, to) => {
    for (let row = from; row < to; row++) isLarge ||= Math.abs(value.numbers[row]) > ADDED_MAX;
  });
  const window = new FloatWindow(value, layout.order, frames, isLarge ? new WideTotal() : new FloatSum());
  yield* inSlices(
    count,
    (from, to) => {
      for (let at = from; at < to; at++) {
        const values = window.moveTo(at);
        if (values === 0) continue;
        const result = name === 'avg' ? window.mean(values) : window.sum() / (name === 'sum' ? 1 : values);
        if (!Number.isFinite(result)) continue;
        numbers[at] = result;
        valid[at] = 1;
      }
    },
    SLICE_TEXTS,
  );
  return { kind: 'float', count, valid: validOrNull(valid), numbers };
}

/** The total has the values of positions [first, next). */
interface SummedRange extends FrameRange {
  first: number;
  next: number;
}

class FloatWindow {
  readonly #numbers: Float64Array;
  readonly #valid: Uint8Array | null;
  readonly #order: Uint32Array;
  readonly #total: Total;
  readonly #ranges: readonly SummedRange[];
  #values = 0;
  /** The sum, if it is known. */
  #sum: number | null = null;

  constructor({ numbers, valid }: FloatVector, order: Uint32Array, frames: Frames, total: Total) {
    this.#numbers = numbers;
    this.#valid = valid;
    this.#order = order;
    this.#ranges = frames.map((range) => ({ ...range, first: 0, next: 0 }));
    this.#total = total;
  }

  /** Sums up the frame of a position, which is not less than before; returns the number of values. */
  moveTo(at: number): number {
    for (const range of this.#ranges) this.#move(range, range.starts[at], range.ends[at]);
    return this.#values;
  }

  #move(range: SummedRange, start: number, end: number): void {
    if (start === range.first && end === range.next) return;
    this.#sum = null;
    if (start >= range.next) {
      if (this.#ranges.length === 1) {
        this.#total.clear();
        this.#values = 0;
      } else this.#addAll(range.first, range.next, -1);
      range.next = start;
      range.first = start;
    }
    this.#addAll(range.next, end, 1);
    this.#addAll(range.first, start, -1);
    range.next = Math.max(range.next, end);
    range.first = start;
  }

  #addAll(from: number, to: number, sign: number): void {
    for (let position = from; position < to; position++) this.#add(position, sign);
  }

  #add(position: number, sign: number): void {
    const row = this.#order[position];
    if (this.#valid !== null && this.#valid[row] === 0) return;
    this.#values += sign;
    this.#total.add(sign * this.#numbers[row]);
  }

  sum(): number {
    this.#sum ??= this.#total.rounded();
    return this.#sum;
  }

  /** The mean in millionths, halves away from zero. */
  mean(values: number): number {
    const millionths = (Math.abs(this.sum()) * MEAN_UNIT) / values;
    const whole = Math.floor(millionths);
    const fraction = millionths - whole;
    // Each of three roundings changes the quotient by at most 2^-53 of it.
    if (millionths < MILLIONTHS_MAX && Math.abs(fraction - 0.5) > millionths * 2 ** -50) {
      const rounded = fraction > 0.5 ? whole + 1 : whole;
      return (this.sum() < 0 && rounded > 0 ? -rounded : rounded) / MEAN_UNIT;
    }
    const short = this.#total.integer(2 ** SHORT_BITS);
    if (short !== null) return exactMean(short, BigInt(values), SHORT_FORM);
    return exactMean(this.#total.units, BigInt(values), FORM);
  }
}
