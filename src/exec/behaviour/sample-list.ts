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
const RADIX_BITS_MAX = 12;
/** Bytes of a value, and of a value with its count. */
const VALUE_BYTES = 4;
const JOINED_BYTES = 8;

/** Different values in ascending order, and how often each occurs. */
interface CountedValues {
  readonly values: Uint32Array;
  readonly counts: Uint32Array;
}

export class SampleList {
  readonly #memory: MemoryAccount;
  #collected: Uint32Array;
  #count = 0;
  #small: Uint32Array | null = null;
  #joined: CountedValues = { values: new Uint32Array(0), counts: new Uint32Array(0) };
  #sum = 0;

  /** Throws 9006, as `add` and `finish`. */
  constructor(memory: MemoryAccount) {
    memory.reserve(CAPACITY_MIN * VALUE_BYTES);
    this.#memory = memory;
    this.#collected = new Uint32Array(CAPACITY_MIN);
  }

  get sum(): number {
    return this.#sum;
  }

  add(value: number): void {
    if (this.#count === this.#collected.length) this.#growOrJoin();
    this.#sum += value;
    if (this.#small !== null && value < SMALL_END) this.#small[value]++;
    else this.#collected[this.#count++] = value;
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
    if (this.#small === null && this.#count >= SMALL_FROM) this.#countSmall();
    // As many as there are different ones, so that each is copied a few times only.
    if (this.#count >= Math.max(JOINED_MIN, this.#joined.values.length)) {
      this.#join();
      return;
    }
    const capacity = this.#collected.length * 2;
    this.#memory.reserve((capacity - this.#collected.length) * VALUE_BYTES);
    const longer = new Uint32Array(capacity);
    longer.set(this.#collected.subarray(0, this.#count));
    this.#collected = longer;
  }

  #countSmall(): void {
    this.#memory.reserve(SMALL_END * 4);
    this.#small = new Uint32Array(SMALL_END);
    const values = this.#collected.subarray(0, this.#count);
    this.#count = 0;
    for (const value of values) {
      if (value < SMALL_END) this.#small[value]++;
      else this.#collected[this.#count++] = value;
    }
  }

  #join(): void {
    const fresh = counted(this.#collected.subarray(0, this.#count));
    this.#count = 0;
    const before = this.#joined.values.length;
    const most = fresh.values.length + before;
    this.#memory.reserve(most * JOINED_BYTES);
    this.#joined = before === 0 ? copyOf(fresh) : joined(fresh, this.#joined);
    this.#memory.release((most + before - this.#joined.values.length) * JOINED_BYTES);
  }

  /** Returns the number of different samples. Nothing may be added afterwards. */
  finish(): number {
    if (this.#count > 0 && this.#joined.values.length === 0) {
      this.#memory.reserve(this.#count * JOINED_BYTES);
      this.#joined = counted(this.#collected.subarray(0, this.#count));
    } else if (this.#count > 0) this.#join();
    let count = this.#joined.values.length;
    for (const times of this.#small ?? []) if (times > 0) count++;
    return count;
  }

  /** Writes, from an index on, the different samples in ascending order and how many samples are at most each; call `finish` before. */
  writeTo(values: Uint32Array, ends: Uint32Array, from: number): void {
    let at = from;
    let end = 0;
    for (const [value, times] of this.#small?.entries() ?? []) {
      if (times === 0) continue;
      end += times;
      values[at] = value;
      ends[at++] = end;
    }
    const { values: others, counts } = this.#joined;
    values.set(others, at);
    for (const times of counts) {
      end += times;
      ends[at++] = end;
    }
  }
}

const copyOf = ({ values, counts }: CountedValues): CountedValues => ({
  values: values.slice(),
  counts: counts.slice(),
});

/** Sorts the values, which it overwrites, and counts equal ones. */
function counted(values: Uint32Array): CountedValues {
  const sorted = values.length < RADIX_MIN ? values.sort() : radixSorted(values);
  const counts = new Uint32Array(sorted.length);
  let last = -1;
  for (let at = 0; at < sorted.length; at++) {
    if (last < 0 || sorted[last] !== sorted[at]) sorted[++last] = sorted[at];
    counts[last]++;
  }
  return { values: sorted.subarray(0, last + 1), counts: counts.subarray(0, last + 1) };
}

/** The values in ascending order; overwrites `values`. */
function radixSorted(values: Uint32Array): Uint32Array {
  let all = 0;
  for (let at = 0; at < values.length; at++) all |= values[at];
  const bits = 32 - Math.clz32(all);
  const digitBits = Math.ceil(bits / Math.max(1, Math.ceil(bits / RADIX_BITS_MAX)));
  let from = values;
  let to: Uint32Array = new Uint32Array(values.length);
  for (let shift = 0; shift < bits; shift += digitBits) {
    radixPass(from, to, shift, 2 ** digitBits - 1);
    [from, to] = [to, from];
  }
  return from;
}

function radixPass(from: Uint32Array, to: Uint32Array, shift: number, mask: number): void {
  const ends = new Uint32Array(mask + 2);
  for (let at = 0; at < from.length; at++) ends[((from[at] >>> shift) & mask) + 1]++;
  for (let digit = 0; digit < mask; digit++) ends[digit + 1] += ends[digit];
  for (let at = 0; at < from.length; at++) to[ends[(from[at] >>> shift) & mask]++] = from[at];
}

function joined(a: CountedValues, b: CountedValues): CountedValues {
  const most = a.values.length + b.values.length;
  const [values, counts] = [new Uint32Array(most), new Uint32Array(most)];
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
