/** Sorts the events of one entity by date, in parallel columns whose first has the dates. */
import { sortRange } from '../event-order/entity-order.js';

/** Up to so many events are sorted by insertion. */
const INSERTION_MAX = 24;

/** Sorts events [from, to) by date; the order of equal dates stays. */
export function sortDates(columns: readonly Uint32Array[], from: number, to: number): void {
  const [dates] = columns;
  let sorted = from + 1;
  while (sorted < to && dates[sorted - 1] <= dates[sorted]) sorted++;
  if (sorted === to) return;
  if (to - from <= INSERTION_MAX) {
    for (; sorted < to; sorted++) insert(columns, from, sorted);
    return;
  }
  sortRange(columns, from, to);
}

function insert(columns: readonly Uint32Array[], from: number, at: number): void {
  const [dates] = columns;
  const date = dates[at];
  let to = at;
  while (to > from && dates[to - 1] > date) to--;
  if (to !== at) insertBefore(columns, to, at);
}

/** Moves the event at `at` to `to`, before those that were there. */
export function insertBefore(columns: readonly Uint32Array[], to: number, at: number): void {
  for (const column of columns) {
    const value = column[at];
    column.copyWithin(to + 1, to, at);
    column[to] = value;
  }
}
