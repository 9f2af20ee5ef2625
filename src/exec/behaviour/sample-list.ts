/**
 * Samples of one slot. Small ones are counted as they come, once there are some; the others are collected and joined from time
 * to time, so that memory grows with different samples only.
 */
import type { MemoryAccount } from '../../base/index.js';

const CAPACITY_MIN = 16;
/** From so many samples on, those below SMALL_END are counted. */
const SMALL_FROM = 64;
const SMALL_END = 256;
/** At least so many samples are joined at once. */
const JOINED_MIN = 2 ** 18;
/** Fewer values are sorted by comparison. */
const RADIX_MIN = 256;
const RADIX_BITS = 11;
/** Bytes of a value, and of a value with its count. */
const VALUE_BYTES = 4;
const JOINED_BYTES = 12;

/** Different values in ascending order, and how often each occurs. */
export interface CountedValues {
  readonly values: Uint32Array;
  readonly counts: Float64Array;
}

export class SampleList {
  readonly #memory: MemoryAccount;
  #collected: Uint32Array;
  #count = 0;
  #small: Float64Array | null = null;
  #joined: CountedValues = { values: new Uint32Array(0), counts: new Float64Array(0) };
  #sum = 0;

  /** Throws 9006, as `add` and `result`. */
  constructor(memory: MemoryAccount) {
    memory.reserve(CAPACITY_MIN * VALUE_BYTES);
    this.#memory = memory;
    this.#collected = new Uint32Array(CAPACITY_MIN);
  }

  get sum(): number {
    return this.#sum;
  }

  add(value: number): void {
    this.#sum += value;
    if (this.#small !== null && value < SMALL_END) {
      this.#small[value]++;
      return;
    }
    if (this.#count === this.#collected.length) this.#growOrJoin();
    this.#collected[this.#count++] = value;
  }

  /** Adds a value below SMALL_END `times` times. */
  addSmall(value: number, times: number): void {
    if (this.#small === null) {
      for (let time = 0; time < times; time++) this.add(value);
      return;
    }
    this.#sum += value * times;
    this.#small[value] += times;
  }

  #growOrJoin(): void {
    if (this.#small === null && this.#count >= SMALL_FROM) {
      this.#memory.reserve(SMALL_END * 8);
      this.#small = new Float64Array(SMALL_END);
    }
    // As many as there are different ones, so that each is copied a few times only.
    if (this.#count >= Math.max(JOINED_MIN, this.#joined.values.length)) {
      this.#join();
      return;
    }
    const capacity = this.#collected.length * 2;
    this.#memory.reserve((capacity - this.#collected.length) * VALUE_BYTES);
    const longer = new Uint32Array(capacity);
    longer.set(this.#collected);
    this.#collected = longer;
  }

  #join(): void {
    const fresh = counted(this.#collected.subarray(0, this.#count));
    this.#count = 0;
    const most = fresh.values.length + this.#joined.values.length;
    this.#memory.reserve(most * JOINED_BYTES);
    const before = this.#joined.values.length;
    this.#joined = joined(fresh, this.#joined);
    this.#memory.release((most + before - this.#joined.values.length) * JOINED_BYTES);
  }

  /** All samples; nothing may be added afterwards. */
  result(): CountedValues {
    if (this.#count > 0) this.#join();
    if (this.#small === null) return this.#joined;
    const values = Uint32Array.from(this.#small.keys()).filter(
      (value) => (this.#small as Float64Array)[value] > 0,
    );
    const counts = Float64Array.from(values, (value) => (this.#small as Float64Array)[value]);
    return joined({ values, counts }, this.#joined);
  }
}

/** Sorts the values and counts equal ones. */
function counted(values: Uint32Array): CountedValues {
  const sorted = values.length < RADIX_MIN ? values.sort() : radixSorted(values);
  let end = 0;
  const counts = new Float64Array(sorted.length);
  for (let at = 0; at < sorted.length; at++) {
    if (end > 0 && sorted[end - 1] === sorted[at]) counts[end - 1]++;
    else {
      sorted[end] = sorted[at];
      counts[end++] = 1;
    }
  }
  return { values: sorted.subarray(0, end), counts: counts.subarray(0, end) };
}

/** The values in ascending order; overwrites `values`. */
function radixSorted(values: Uint32Array): Uint32Array {
  let all = 0;
  for (let at = 0; at < values.length; at++) all |= values[at];
  let from = values;
  let to: Uint32Array = new Uint32Array(values.length);
  for (let shift = 0; shift < 32 && all >>> shift !== 0; shift += RADIX_BITS) {
    radixPass(from, to, shift);
    [from, to] = [to, from];
  }
  return from;
}

function radixPass(from: Uint32Array, to: Uint32Array, shift: number): void {
  const mask = 2 ** RADIX_BITS - 1;
  const ends = new Uint32Array(mask + 2);
  for (let at = 0; at < from.length; at++) ends[((from[at] >>> shift) & mask) + 1]++;
  for (let digit = 0; digit < mask; digit++) ends[digit + 1] += ends[digit];
  for (let at = 0; at < from.length; at++) to[ends[(from[at] >>> shift) & mask]++] = from[at];
}

function joined(a: CountedValues, b: CountedValues): CountedValues {
  const most = a.values.length + b.values.length;
  const [values, counts] = [new Uint32Array(most), new Float64Array(most)];
  let [atA, atB, end] = [0, 0, 0];
  while (atA < a.values.length || atB < b.values.length) {
    const fromA = atA < a.values.length && (atB === b.values.length || a.values[atA] <= b.values[atB]);
    const value = fromA ? a.values[atA] : b.values[atB];
    let count = 0;
    if (fromA) count += a.counts[atA++];
    if (atB < b.values.length && b.values[atB] === value) count += b.counts[atB++];
    values[end] = value;
    counts[end++] = count;
  }
  return { values: values.slice(0, end), counts: counts.slice(0, end) };
}
