/** Bounded selections: the nth greatest of many counts, and the values that stand first by their texts. */
import type { OrderBytes } from './order-bytes.js';
import { comparePlaces } from './order-bytes.js';

/**
 * The nth greatest (from 1) of counts[order[from]], ..., counts[order[to - 1]], of which there are at least n.
 * `heap` is scratch of at least n. A heap of the n greatest, the least of them at its top.
 */
export function nthGreatest(
  counts: Float64Array,
  order: Uint32Array,
  from: number,
  to: number,
  heap: Float64Array,
  n: number,
): number {
  for (let index = 0; index < n; index++) heap[index] = counts[order[from + index]];
  for (let top = (n >>> 1) - 1; top >= 0; top--) sinkCount(heap, n, top);
  for (let index = from + n; index < to; index++) {
    const count = counts[order[index]];
    if (count <= heap[0]) continue;
    heap[0] = count;
    sinkCount(heap, n, 0);
  }
  return heap[0];
}

function sinkCount(heap: Float64Array, size: number, top: number): void {
  const count = heap[top];
  let at = top;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= size) break;
    if (child + 1 < size && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= count) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = count;
}

/** Chooses the values whose texts stand first, a bounded number of them; used for many sets, one after the other. */
export class FirstByText {
  readonly #texts: OrderBytes;
  /** Places of `#texts`; the one that stands last is at the top. One place is left over, for the next candidate. */
  readonly #heap: Uint32Array;
  /** By place. */
  readonly #values: Uint32Array;

  /** `texts` has a place more than are ever wanted. */
  constructor(texts: OrderBytes) {
    this.#texts = texts;
    this.#heap = new Uint32Array(texts.starts.length - 1);
    this.#values = new Uint32Array(texts.starts.length);
  }

  /** Calls `take` for the first `wanted`, at least 1, of order[from], ..., order[to - 1], which are more; in any order. */
  choose(order: Uint32Array, from: number, to: number, wanted: number, take: (value: number) => void): void {
    const [texts, heap, values] = [this.#texts, this.#heap, this.#values];
    for (let place = 0; place < wanted; place++) {
      heap[place] = place;
      values[place] = order[from + place];
      texts.put(place, values[place]);
    }
    for (let top = (wanted >>> 1) - 1; top >= 0; top--) this.#sink(wanted, top);
    let spare = wanted;
    for (let index = from + wanted; index < to; index++) {
      const value = order[index];
      texts.put(spare, value);
      if (comparePlaces(texts, spare, heap[0]) >= 0) continue;
      values[spare] = value;
      const last = heap[0];
      heap[0] = spare;
      spare = last;
      this.#sink(wanted, 0);
    }
    for (let index = 0; index < wanted; index++) take(values[heap[index]]);
  }

  #sink(size: number, top: number): void {
    const [texts, heap] = [this.#texts, this.#heap];
    const place = heap[top];
    let at = top;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && comparePlaces(texts, heap[child + 1], heap[child]) > 0) child++;
      if (comparePlaces(texts, heap[child], place) <= 0) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = place;
  }
}
