/**
 * Finds the first rows of an order among rows that come in any order. The buffer has twice the limit; when it is
 * full, the later half is dropped. Most rows cost only a comparison with the last row kept.
 */
import type { RowBound, ShardOrder } from './shard-order.js';

export class TopRows {
  readonly #order: ShardOrder;
  readonly #limit: number;
  readonly #after: RowBound | null;
  readonly #until: RowBound | null;
  readonly #numbers: Float64Array;
  readonly #rows: Uint32Array;
  #count = 0;
  /** Rows after this row are excluded; -1 = `until` is the limit. */
  #last = -1;
  #high: number;

  /** Finds the first `limit` rows after `after` and before `until`. */
  constructor(order: ShardOrder, limit: number, after: RowBound | null, until: RowBound | null) {
    this.#order = order;
    this.#limit = limit;
    this.#after = after;
    this.#until = until;
    this.#numbers = new Float64Array(limit * 2);
    this.#rows = new Uint32Array(limit * 2);
    this.#high = until?.number ?? Number.POSITIVE_INFINITY;
  }

  /** The range of first numbers of rows that can still be added. */
  get low(): number {
    return this.#after?.number ?? Number.NEGATIVE_INFINITY;
  }
  get high(): number {
    return this.#high;
  }

  /** Offers the first `count` of `segmentRows`, each plus `base`, with their numbers. */
  offerAll(base: number, segmentRows: Uint32Array, numbers: Float64Array, count: number): void {
    const { low } = this;
    for (let at = 0; at < count; at++) {
      const number = numbers[at];
      if (number <= this.#high && number >= low) this.offer(base + segmentRows[at], number);
    }
  }

  /**
   * Adds the row, which must not have been added before, if it is among the first so far. `number` is the number of the
   * first key.
   */
  offer(row: number, number: number): void {
    if (this.#isOut(row, number)) return;
    this.#numbers[this.#count] = number;
    this.#rows[this.#count++] = row;
    if (this.#count === this.#rows.length) this.#cut();
  }

  #isOut(row: number, number: number): boolean {
    if (number > this.#high) return true;
    if (this.#after !== null) {
      if (number < this.#after.number) return true;
      if (number === this.#after.number && this.#after.compareTied(row) <= 0) return true;
    }
    if (number < this.#high) return false;
    if (this.#last >= 0) return this.#order.compareTied(row, this.#last) > 0;
    return this.#until !== null && this.#until.compareTied(row) >= 0;
  }

  /** The selected rows, in order. */
  rows(): Uint32Array {
    const slots = Array.from({ length: this.#count }, (_, slot) => slot);
    slots.sort((a, b) => this.#compare(a, b));
    return Uint32Array.from(slots.slice(0, this.#limit), (slot) => this.#rows[slot]);
  }

  #compare(a: number, b: number): number {
    const [numberA, numberB] = [this.#numbers[a], this.#numbers[b]];
    if (numberA !== numberB) return numberA < numberB ? -1 : 1;
    return this.#order.compareTied(this.#rows[a], this.#rows[b]);
  }

  /** Keeps the first `limit` rows. */
  #cut(): void {
    this.#select();
    this.#count = this.#limit;
    let last = 0;
    for (let slot = 1; slot < this.#limit; slot++) if (this.#compare(slot, last) > 0) last = slot;
    this.#last = this.#rows[last];
    this.#high = this.#numbers[last];
  }

  /** Moves the first `limit` rows to the first slots, unordered (Hoare's selection). */
  #select(): void {
    let from = 0;
    let to = this.#count - 1;
    while (from < to) {
      this.#swap((from + to) >>> 1, to);
      let end = from;
      for (let slot = from; slot < to; slot++) if (this.#compare(slot, to) < 0) this.#swap(slot, end++);
      this.#swap(end, to);
      if (end === this.#limit) return;
      if (end < this.#limit) from = end + 1;
      else to = end - 1;
    }
  }

  #swap(a: number, b: number): void {
    const [number, row] = [this.#numbers[a], this.#rows[a]];
    this.#numbers[a] = this.#numbers[b];
    this.#rows[a] = this.#rows[b];
    this.#numbers[b] = number;
    this.#rows[b] = row;
  }
}
