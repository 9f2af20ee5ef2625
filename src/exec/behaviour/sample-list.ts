/**
 * Samples of one slot. They are collected; from time to time small ones are counted and the others joined, so that memory grows
 * with different samples only.
 */
import type { MemoryAccount } from '../../base/index.js';

const CAPACITY_MIN = 16;
/** When so many samples are collected, those below SMALL_END are counted. */
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
  #hasEnds = false;

  /** Throws 9006, as `add` and `finish`. */
  constructor(memory: MemoryAccount) {
    memory.reserve(CAPACITY_MIN * VALUE_BYTES);
    this.#memory = memory;
    this.#collected = new Uint32Array(CAPACITY_MIN);
  }

  add(value: number): void {
    if (this.#count === this.#collected.length) this.#growOrJoin();
    this.#collected[this.#count++] = value;
  }

  /** Adds a value below SMALL_END `times` times. */
  addSmall(value: number, times: number): void {
    this.#smallCounts()[value] += times;
  }

  #smallCounts(): Uint32Array {
    if (this.#small === null) {
      this.#memory.reserve(SMALL_END * 4);
      this.#small = new Uint32Array(SMALL_END);
    }
    return this.#small;
  }

  #growOrJoin(): void {
    if (this.#count >= SMALL_FROM) {
      this.#countSmall();
      if (this.#count <= this.#collected.length / 2) return;
    }
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
    const [small, values] = [this.#smallCounts(), this.#collected];
    let count = 0;
    for (let at = 0; at < this.#count; at++) {
      const value = values[at];
      if (value < SMALL_END) small[value]++;
      else values[count++] = value;
    }
    this.#count = count;
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

  /**
   * Returns how many values and ends `writeTo` writes. Without ends, equal samples are as many values; otherwise the values differ.
   * Nothing may be added afterwards.
   */
  finish(): { readonly values: number; readonly ends: number } {
    if (this.#small !== null) this.#countSmall();
    const smallTotal = this.#small?.reduce((sum, times) => sum + times, 0) ?? 0;
    if (this.#joined.values.length === 0 && smallTotal <= this.#count) {
      return { values: smallTotal + this.#count, ends: 0 };
    }
    if (this.#count > 0) this.#join();
    this.#hasEnds = true;
    const smallCount = this.#small?.reduce((sum, times) => sum + (times > 0 ? 1 : 0), 0) ?? 0;
    const count = smallCount + this.#joined.values.length;
    return { values: count, ends: count };
  }

  /**
   * Writes the samples in ascending order and, as `finish` says, how many samples are at most each. Both arrays have the lengths that
   * `finish` returned. Returns the sum of all samples; call `finish` before.
   */
  writeTo(values: Uint32Array, ends: Uint32Array): number {
    if (this.#hasEnds) return this.#writeEnds(values, ends);
    let at = 0;
    for (const [value, times] of this.#small?.entries() ?? []) {
      values.fill(value, at, at + times);
      at += times;
    }
    sortInto(this.#collected.subarray(0, this.#count), values.subarray(at));
    let sum = 0;
    for (at = 0; at < values.length; at++) sum += values[at];
    return sum;
  }

  #writeEnds(values: Uint32Array, ends: Uint32Array): number {
    let [at, end, sum] = [0, 0, 0];
    for (const [value, times] of this.#small?.entries() ?? []) {
      if (times === 0) continue;
      end += times;
      sum += value * times;
      values[at] = value;
      ends[at++] = end;
    }
    const { values: others, counts } = this.#joined;
    for (let other = 0; other < others.length; other++) {
      end += counts[other];
      sum += others[other] * counts[other];
      values[at] = others[other];
      ends[at++] = end;
    }
    return sum;
  }
}

const copyOf = ({ values, counts }: CountedValues): CountedValues => ({
  values: values.slice(),
  counts: counts.slice(),
});

/** Sorts the values, which it overwrites, and counts equal ones. */
function counted(values: Uint32Array): CountedValues {
  const sorted = new Uint32Array(values.length);
  sortInto(values, sorted);
  const counts = new Uint32Array(sorted.length);
  let last = -1;
  for (let at = 0; at < sorted.length; at++) {
    if (last < 0 || sorted[last] !== sorted[at]) sorted[++last] = sorted[at];
    counts[last]++;
  }
  return { values: sorted.subarray(0, last + 1), counts: counts.subarray(0, last + 1) };
}

/** Writes the values to `sorted`, of the same length, in ascending order; overwrites `values`. */
function sortInto(values: Uint32Array, sorted: Uint32Array): void {
  if (values.length < RADIX_MIN) {
    sorted.set(values.sort());
    return;
  }
  let all = 0;
  for (let at = 0; at < values.length; at++) all |= values[at];
  const bits = 32 - Math.clz32(all);
  const digitBits = Math.ceil(bits / Math.max(1, Math.ceil(bits / RADIX_BITS_MAX)));
  let [from, to] = [values, sorted];
  for (let shift = 0; shift < bits; shift += digitBits) {
    radixPass(from, to, shift, 2 ** digitBits - 1);
    [from, to] = [to, from];
  }
  if (from !== sorted) sorted.set(from);
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
