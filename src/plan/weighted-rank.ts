/**
 * Finds the values at a rank among 64-bit integers that each occur several times, without sorting them all, in
 * slices.
 * Layout  value v is the words (words[2 v], words[2 v + 1]), low and high, and occurs counts[v] times.
 * Cost  O(values): for each byte from the highest on, the weights of the 256 digits determine the digit of the rank;
 *       values with other digits are dropped.
 */
import { inSlices, invariant, type Task } from '../base/index.js';

export interface WeightedValues {
  readonly words: Uint32Array;
  readonly counts: Float64Array;
}

/** At most this many values are sorted. */
const SORTED_MAX = 32;

/** Finds ranks among values of one list; reusable for several sets. */
export class RankFinder {
  readonly #values: WeightedValues;
  readonly #left: Uint32Array;
  readonly #weights = new Float64Array(256);

  /** `valuesMax`: the largest set; takes 4 bytes for each of its values. */
  constructor(values: WeightedValues, valuesMax: number) {
    this.#values = values;
    this.#left = new Uint32Array(valuesMax);
  }

  /** The total number of occurrences of the distinct values `set`. */
  *weightOf(set: Uint32Array): Task<number> {
    const { counts } = this.#values;
    let weight = 0;
    yield* inSlices(set.length, (from, to) => {
      weight += sumOf(counts, set, from, to);
    });
    return weight;
  }

  /**
   * The values at `rank` and `rank + 1` (the last value twice at the end) among all occurrences of the distinct
   * values `set`, ascending, counted from 0. `rank` must be below the number of occurrences.
   */
  *pairAt(set: Uint32Array, rank: number): Task<readonly [low: number, high: number]> {
    const { words, counts } = this.#values;
    const left = this.#left;
    left.set(set);
    let size = set.length;
    let rest = rank;
    for (let shift = 56; shift >= 0 && size > SORTED_MAX; shift -= 8) {
      this.#weights.fill(0);
      yield* inSlices(size, (from, to) => this.#weigh(from, to, shift));
      let digit = 0;
      while (rest >= this.#weights[digit]) rest -= this.#weights[digit++];
      let remaining = 0;
      yield* inSlices(size, (from, to) => {
        remaining = keepDigit(words, left, from, to, shift, digit, remaining);
      });
      size = remaining;
    }
    sortFew(words, left, size);
    let at = 0;
    while (at < size && rest >= counts[left[at]]) rest -= counts[left[at++]];
    invariant(at < size, 'a rank is below the number of values');
    const low = left[at];
    if (rest + 1 < counts[low]) return [low, low];
    if (at + 1 < size) return [low, left[at + 1]];
    let next = low;
    yield* inSlices(set.length, (from, to) => {
      next = nextAbove(words, set, from, to, low, next);
    });
    return [low, next];
  }

  #weigh(from: number, to: number, shift: number): void {
    const { words, counts } = this.#values;
    const [left, weights] = [this.#left, this.#weights];
    for (let index = from; index < to; index++) {
      weights[digitOf(words, left[index], shift)] += counts[left[index]];
    }
  }
}

function sumOf(counts: Float64Array, set: Uint32Array, from: number, to: number): number {
  let sum = 0;
  for (let index = from; index < to; index++) sum += counts[set[index]];
  return sum;
}

/** Eight bits of an integer from bit `shift` on; the sign bit is flipped, so that digits order like the integers. */
function digitOf(words: Uint32Array, value: number, shift: number): number {
  const word = shift >= 32 ? words[2 * value + 1] ^ 0x80000000 : words[2 * value];
  return (word >>> (shift & 31)) & 0xff;
}

/**
 * Keeps those of left[from], ..., left[to - 1] that have the digit, after the `count` already kept; returns the
 * number kept.
 */
function keepDigit(
  words: Uint32Array,
  left: Uint32Array,
  from: number,
  to: number,
  shift: number,
  digit: number,
  count: number,
): number {
  let remaining = count;
  for (let index = from; index < to; index++) {
    const value = left[index];
    if (digitOf(words, value, shift) === digit) left[remaining++] = value;
  }
  return remaining;
}

/** Whether integer `a` is below integer `b`. */
function isBelow(words: Uint32Array, a: number, b: number): boolean {
  const [high, otherHigh] = [words[2 * a + 1] | 0, words[2 * b + 1] | 0];
  return high < otherHigh || (high === otherHigh && words[2 * a] < words[2 * b]);
}

function sortFew(words: Uint32Array, left: Uint32Array, size: number): void {
  for (let index = 1; index < size; index++) {
    const value = left[index];
    let at = index;
    for (; at > 0 && isBelow(words, value, left[at - 1]); at--) left[at] = left[at - 1];
    left[at] = value;
  }
}

/**
 * The least value above `value` among set[from], ..., set[to - 1] and `best`, which equals `value` while none was
 * found.
 */
function nextAbove(
  words: Uint32Array,
  set: Uint32Array,
  from: number,
  to: number,
  value: number,
  best: number,
): number {
  let next = best;
  for (let index = from; index < to; index++) {
    const other = set[index];
    if (isBelow(words, value, other) && (next === value || isBelow(words, other, next))) next = other;
  }
  return next;
}
