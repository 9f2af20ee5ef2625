/** Bounded selections: the nth greatest of many counts, and the first values in text order. */
import { sinkLeast } from '../base/index.js';
import type { OrderBytes } from './order-bytes.js';
import { compareSlots } from './order-bytes.js';

/** Finds the nth greatest count; reusable for several sets. */
export class NthGreatest {
  /** A heap of the n greatest so far, with the least at the top. */
  readonly #heap: Float64Array;
  #n = 0;

  /** Supports any n up to `max`. */
  constructor(max: number) {
    this.#heap = new Float64Array(max);
  }

  /** Starts a set with counts[order[from]], ..., counts[order[from + n - 1]]. */
  start(counts: Float64Array, order: Uint32Array, from: number, n: number): void {
    const heap = this.#heap;
    this.#n = n;
    for (let index = 0; index < n; index++) heap[index] = counts[order[from + index]];
    for (let top = (n >>> 1) - 1; top >= 0; top--) sinkLeast(heap, n, top);
  }

  /** Adds counts[order[from]], ..., counts[order[to - 1]] to the set. */
  offer(counts: Float64Array, order: Uint32Array, from: number, to: number): void {
    const heap = this.#heap;
    for (let index = from; index < to; index++) {
      const count = counts[order[index]];
      if (count <= heap[0]) continue;
      heap[0] = count;
      sinkLeast(heap, this.#n, 0);
    }
  }

  get value(): number {
    return this.#heap[0];
  }
}

/** Selects a bounded number of values that are first in text order; reusable for several sets. */
export class FirstByText {
  readonly #texts: OrderBytes;
  /** Indexes into `#texts`; the last one in order is at the top. One index is spare, for the next candidate. */
  readonly #heap: Uint32Array;
  /** By index. */
  readonly #values: Uint32Array;
  #wanted = 0;
  /** The spare index. */
  #spare = 0;

  /** `texts` must have capacity for one more than the largest number of selected values. */
  constructor(texts: OrderBytes) {
    this.#texts = texts;
    this.#heap = new Uint32Array(texts.starts.length - 1);
    this.#values = new Uint32Array(texts.starts.length);
  }

  /** Starts a set with order[from], ..., order[from + wanted - 1], of which `wanted` (at least 1) are selected. */
  start(order: Uint32Array, from: number, wanted: number): void {
    const [texts, heap, values] = [this.#texts, this.#heap, this.#values];
    this.#wanted = wanted;
    for (let index = 0; index < wanted; index++) {
      heap[index] = index;
      values[index] = order[from + index];
      texts.put(index, values[index]);
    }
    for (let top = (wanted >>> 1) - 1; top >= 0; top--) this.#sink(wanted, top);
    this.#spare = wanted;
  }

  /** Adds order[from], ..., order[to - 1] to the set. */
  offer(order: Uint32Array, from: number, to: number): void {
    const [texts, heap, values] = [this.#texts, this.#heap, this.#values];
    let spare = this.#spare;
    for (let index = from; index < to; index++) {
      const value = order[index];
      texts.put(spare, value);
      if (compareSlots(texts, spare, heap[0]) >= 0) continue;
      values[spare] = value;
      const last = heap[0];
      heap[0] = spare;
      spare = last;
      this.#sink(this.#wanted, 0);
    }
    this.#spare = spare;
  }

  /** Calls `take` for each selected value, in any order. */
  each(take: (value: number) => void): void {
    for (let index = 0; index < this.#wanted; index++) take(this.#values[this.#heap[index]]);
  }

  #sink(size: number, top: number): void {
    const [texts, heap] = [this.#texts, this.#heap];
    const index = heap[top];
    let at = top;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && compareSlots(texts, heap[child + 1], heap[child]) > 0) child++;
      if (compareSlots(texts, heap[child], index) <= 0) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = index;
  }
}
