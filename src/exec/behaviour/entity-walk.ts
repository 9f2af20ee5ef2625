/**
 * Walks the events of each entity in the order of their dates. Values that a relation ties, with one date, are one event.
 * Cost  linear in events; an entity's events are sorted only if they were not stored in order.
 */
import { orderByDate } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import type { EntityEvents } from './event-masks.js';

/** Up to so many events are sorted by insertion. */
const INSERTION_MAX = 24;
/** Entities between two checks for a stop of the query. */
const CHECK_ROWS = 4_096;

/** Calls `visit` with the range of each entity that has events; entities ascend. Changes the order of the events. */
export function walkEntities(
  events: EntityEvents,
  run: QueryRun,
  visit: (row: number, from: number, to: number) => void,
): void {
  const { starts } = events;
  for (let row = 0; row + 1 < starts.length; row++) {
    if (row % CHECK_ROWS === 0) run.check();
    const [from, to] = [starts[row], starts[row + 1]];
    if (from === to) continue;
    sortDates(events, from, to);
    visit(row, from, events.linkColumn < 0 ? to : unite(events, from, to));
  }
}

/** Sorts events [from, to) by date; the order of equal dates stays. */
export function sortDates({ columns }: EntityEvents, from: number, to: number): void {
  const [dates] = columns;
  let sorted = from + 1;
  while (sorted < to && dates[sorted - 1] <= dates[sorted]) sorted++;
  if (sorted === to) return;
  if (to - from <= INSERTION_MAX) {
    for (; sorted < to; sorted++) insert(columns, from, sorted);
    return;
  }
  const own = dates.subarray(from, to);
  const [min, max] = extremes(own);
  const order = orderByDate(own, min, max);
  if (order === null) return;
  for (const column of columns) {
    const copy = column.slice(from, to);
    for (let at = 0; at < order.length; at++) column[from + at] = copy[order[at]];
  }
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

function extremes(dates: Uint32Array): [min: number, max: number] {
  let [min, max] = [0xffffffff, 0];
  for (let at = 0; at < dates.length; at++) {
    if (dates[at] < min) min = dates[at];
    if (dates[at] > max) max = dates[at];
  }
  return [min, max];
}

/** Joins tied values of one second to one event each; returns the end of the remaining events. */
function unite(events: EntityEvents, from: number, to: number): number {
  const { columns, linkColumn, maskWords } = events;
  const [dates] = columns;
  const links = columns[linkColumn];
  let end = from;
  for (let begin = from; begin < to; ) {
    let next = begin + 1;
    while (next < to && dates[next] === dates[begin]) next++;
    const known = next - begin > 1 ? new Map<number, number>() : null;
    for (let at = begin; at < next; at++) {
      const first = links[at] === 0 ? undefined : known?.get(links[at]);
      if (first !== undefined) {
        for (let word = 1; word <= maskWords; word++) columns[word][first] |= columns[word][at];
        continue;
      }
      if (end !== at) for (const column of columns) column[end] = column[at];
      known?.set(links[end], end);
      end++;
    }
    begin = next;
  }
  return end;
}
