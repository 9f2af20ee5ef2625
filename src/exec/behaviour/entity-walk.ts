/**
 * Walks the events of each entity in the order of their dates. Values that a relation ties, with one date, are one event.
 * Cost  linear in events.
 */
import type { QueryRun } from '../query-run.js';
import type { EntityEvents } from './entity-events.js';

/** Calls `visit` with the range of each entity that has events; entities ascend. Changes the order of the events. */
export function walkEntities(
  events: EntityEvents,
  run: QueryRun,
  visit: (row: number, from: number, to: number) => void,
): void {
  const { starts, linkColumn } = events;
  walkBlocks(events, run, (firstRow, endRow) => {
    for (let row = firstRow; row < endRow; row++) {
      const [from, to] = [starts[row - firstRow], starts[row - firstRow + 1]];
      if (from !== to) visit(row, from, linkColumn < 0 ? to : unite(events, from, to));
    }
  });
}

/** Calls `visit` with the rows of each block of entities, [firstRow, endRow), which is the current one of `events`. */
export function walkBlocks(
  events: EntityEvents,
  run: QueryRun,
  visit: (firstRow: number, endRow: number) => void,
): void {
  for (let firstRow = 0; firstRow < events.rowEnd; ) {
    run.check();
    const endRow = events.read(firstRow);
    visit(firstRow, endRow);
    firstRow = endRow;
  }
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
