/**
 * Puts the events of a stream in order: by date, then by the name of the column, then by the value as text.
 * Cost  linear in events, and a sort of the distinct values of each second.
 */

import { permute } from '../../../storage/index.js';
import type { EntityEvents } from '../entity-events.js';
import { insertBefore } from '../event-sort.js';

/** Up to so many events of a second are sorted by insertion. */
const INSERTION_MAX = 24;

export class StreamOrder {
  readonly #events: EntityEvents;
  readonly #dates: Uint32Array;
  readonly #numbers: Uint32Array;
  /** Indexes in the plan's values, which are in the order of their names. */
  readonly #columns: Uint32Array;

  constructor(events: EntityEvents) {
    this.#events = events;
    this.#dates = events.columns[0];
    this.#numbers = events.columns[events.valueColumn];
    this.#columns = events.columns[events.valueColumn + 1];
  }

  /** Sorts the events [from, to), whose dates ascend. */
  sort(from: number, to: number): void {
    for (let begin = from; begin < to; ) {
      let next = begin + 1;
      let isSorted = true;
      for (; next < to && this.#dates[next] === this.#dates[begin]; next++) {
        if (isSorted && this.#compare(next - 1, next) > 0) isSorted = false;
      }
      if (!isSorted) this.#sortSecond(begin, next);
      begin = next;
    }
  }

  #compare(a: number, b: number): number {
    return this.#compareValues(this.#columns[a], this.#numbers[a], this.#columns[b], this.#numbers[b]);
  }

  #compareValues(columnA: number, numberA: number, columnB: number, numberB: number): number {
    if (columnA !== columnB) return columnA - columnB;
    return numberA === numberB ? 0 : this.#events.values[columnA].compare(numberA, numberB);
  }

  #sortSecond(begin: number, end: number): void {
    if (end - begin > INSERTION_MAX) {
      this.#sortByRank(begin, end);
      return;
    }
    for (let at = begin + 1; at < end; at++) {
      let to = at;
      while (to > begin && this.#compare(to - 1, at) > 0) to--;
      if (to !== at) insertBefore(this.#events.columns, to, at);
    }
  }

  /** Sorts the distinct values, then the events by counting. */
  #sortByRank(begin: number, end: number): void {
    const counts = new Map<number, number>();
    const keyOf = (at: number): number => this.#columns[at] * 2 ** 32 + this.#numbers[at];
    for (let at = begin; at < end; at++) counts.set(keyOf(at), (counts.get(keyOf(at)) ?? 0) + 1);
    const distinct = [...counts.keys()].sort((a, b) =>
      this.#compareValues(Math.floor(a / 2 ** 32), a % 2 ** 32, Math.floor(b / 2 ** 32), b % 2 ** 32),
    );
    const targets = new Map<number, number>();
    let target = 0;
    for (const key of distinct) {
      targets.set(key, target);
      target += counts.get(key) as number;
    }
    const order = new Uint32Array(end - begin);
    for (let at = begin; at < end; at++) {
      const key = keyOf(at);
      const to = targets.get(key) as number;
      order[to] = at - begin;
      targets.set(key, to + 1);
    }
    for (const column of this.#events.columns) permute(column, begin, 1, order);
  }
}
