/**
 * Links connect related events. A batch connects its sections of one relation event by event; in storage, related events carry
 * the same number, unique within the dimension's shard, 0 = none.
 */
import { lowerBound } from '../base/index.js';
import type { Section } from '../column/index.js';
import type { EventTable } from './event-table.js';

export interface BatchLinks {
  /** The number of links that the batch uses. */
  readonly count: number;
  /** Per section and entry the ordinal of its link, from 0; null if the section's events are unrelated. */
  readonly bySection: readonly (Uint32Array | null)[];
}

/**
 * Determines which events of a batch of `rowCount` rows share a link: the Nth event of a row in one section of a relation and its
 * Nth in every other section of that relation. Null if no relation has two sections.
 */
export function linksOf(sections: readonly Section[], rowCount: number): BatchLinks | null {
  const related = sections.filter(({ form, relationId }) => form === 'event' && relationId !== 0);
  if (related.length < 2) return null;
  const bySection: (Uint32Array | null)[] = sections.map(() => null);
  let count = 0;
  for (const relationId of new Set(related.map((section) => section.relationId))) {
    const members = related.filter((section) => section.relationId === relationId);
    if (members.length < 2) continue;
    // First the counts of each row's ordinals, then the start of each row's ordinals.
    const starts = new Uint32Array(rowCount + 1);
    for (const { rows } of members)
      eachNth(rows, (_, row, n) => (starts[row + 1] = Math.max(starts[row + 1], n + 1)));
    starts[0] = count;
    for (let row = 0; row < rowCount; row++) starts[row + 1] += starts[row];
    for (const section of members) {
      const ordinals = new Uint32Array(section.rows.length);
      eachNth(section.rows, (entry, row, n) => (ordinals[entry] = starts[row] + n));
      bySection[sections.indexOf(section)] = ordinals;
    }
    count = starts[rowCount];
  }
  return count === 0 ? null : { count, bySection };
}

/** Calls `each` with every entry, its row and the number of earlier entries of that row. Rows ascend. */
function eachNth(rows: Uint32Array, each: (entry: number, row: number, n: number) => void): void {
  let n = 0;
  for (let entry = 0; entry < rows.length; entry++) {
    n = entry > 0 && rows[entry - 1] === rows[entry] ? n + 1 : 0;
    each(entry, rows[entry], n);
  }
}

/** Returns the greatest link of the tables, 0 if there are none. */
export function greatestLink(tables: Iterable<EventTable>): number {
  let greatest = 0;
  for (const links of linksIn(tables)) for (const link of links) if (link > greatest) greatest = link;
  return greatest;
}

/** Renumbers all links of the tables from 1, in order; returns the greatest. */
export function renumberLinks(tables: readonly EventTable[]): number {
  const parts = [...linksIn(tables)];
  const all = new Uint32Array(parts.reduce((sum, links) => sum + links.length, 0));
  let end = 0;
  for (const links of parts) {
    all.set(links, end);
    end += links.length;
  }
  all.sort();
  let distinct = 0;
  for (const link of all) {
    if (link !== 0 && (distinct === 0 || all[distinct - 1] !== link)) all[distinct++] = link;
  }
  const known = all.subarray(0, distinct);
  for (const table of tables) {
    for (const segment of table.segments) {
      if (segment.links() === null) continue;
      segment.snapshot.beforeChange();
      const links = segment.links() as Uint32Array;
      for (let index = 0; index < links.length; index++) {
        if (links[index] !== 0) links[index] = lowerBound(known, links[index]) + 1;
      }
    }
  }
  return distinct;
}

function* linksIn(tables: Iterable<EventTable>): Generator<Uint32Array> {
  for (const table of tables) {
    for (const segment of table.segments) {
      const links = segment.links();
      if (links !== null) yield links;
    }
  }
}
