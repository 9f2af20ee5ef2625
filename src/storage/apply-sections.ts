/**
 * Applies the sections of a batch to a dimension's shard: of an insert, where each row of the batch is an entity, or of an
 * update, where the single row applies to many entities. Tight loops over typed arrays; no allocation per value.
 */
import { SEGMENT_ROWS_MASK, SEGMENT_ROWS_MAX, SEGMENT_ROWS_SHIFT } from '../base/index.js';
import type { Section, Values } from '../column/index.js';
import type { ValueKind } from '../schema/index.js';
import type { Dictionary } from './dictionary.js';
import type { EntitySegment } from './entity-segment.js';
import type { NewEvents } from './event-segment.js';
import type { EventTable } from './event-table.js';
import { linksOf } from './links.js';
import type { RowBitmap } from './row-bitmap.js';
import type { Width } from './width.js';

/** The parts of a dimension's shard that sections modify. */
export interface SectionTarget {
  readonly segments: readonly EntitySegment[];
  dictionary(columnId: number): Dictionary;
  eventTable(columnId: number, kind: ValueKind): EventTable;
  /** Reserves `count` unused links and returns the first. */
  reserveLinks(count: number): number;
}

/** Applies sections; row r of a section is the entity in row rows[r] of the shard. */
export function applySections(shard: SectionTarget, sections: readonly Section[], rows: Uint32Array): void {
  const links = linksOf(sections, rows.length);
  const firstLink = links === null ? 0 : shard.reserveLinks(links.count);
  sections.forEach((section, index) => {
    if (section.form === 'latest') applyLatest(shard, section, rows);
    else if (section.form === 'event')
      applyEvents(shard, section, rows, links?.bySection[index] ?? null, firstLink);
    else if (section.form === 'list') applyLists(shard, section, rows);
    else applyRemovals(shard, section, rows);
  });
}

/** Applies the sections of one entity, whose rows are all 0, to each of the entities in `rows`, which ascend. */
export function applyToAll(shard: SectionTarget, sections: readonly Section[], rows: Uint32Array): void {
  const links = linksOf(sections, 1);
  const firstLink = links === null ? 0 : shard.reserveLinks(links.count * rows.length);
  sections.forEach((section, index) => {
    if (section.rows.length === 0) return;
    if (section.form === 'latest') setAll(shard, section, rows);
    else if (section.form === 'list') replaceAll(shard, section, rows);
    else if (section.form === 'remove') {
      eachSegment(shard, rows, (segment, from, to) => {
        const column = segment.latest(section.columnId);
        for (let at = from; at < to; at++) column?.remove(rows[at] & SEGMENT_ROWS_MASK);
      });
    } else {
      const entryLinks = links?.bySection[index] ?? null;
      appendToAll(shard, section, rows, entryLinks, firstLink, links?.count ?? 0);
    }
  });
}

/** Calls `change` for each segment with the range of `rows` (ascending) in that segment; `change` may modify the segment. */
function eachSegment(
  shard: SectionTarget,
  rows: Uint32Array,
  change: (segment: EntitySegment, from: number, to: number, segmentIndex: number) => void,
): void {
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const segmentIndex = rows[from] >>> SEGMENT_ROWS_SHIFT;
    while (to < rows.length && rows[to] >>> SEGMENT_ROWS_SHIFT === segmentIndex) to++;
    const segment = shard.segments[segmentIndex];
    segment.snapshot.beforeChange();
    change(segment, from, to, segmentIndex);
  }
}

/** Returns the codes of all strings of a section, adding new strings; null for other kinds of values. */
function codesOf(shard: SectionTarget, columnId: number, values: Values, count: number): Uint32Array | null {
  if (values.kind !== 'code') return null;
  const { hashes, offsets, bytes } = values;
  return shard.dictionary(columnId).internAll(hashes, bytes, offsets, count);
}

/** Returns the width of the column in the previous segment, which the values will probably need here, too. */
function widthBefore(shard: SectionTarget, segmentIndex: number, columnId: number): Width {
  return shard.segments[segmentIndex - 1]?.latest(columnId)?.width ?? 1;
}

function applyLatest(shard: SectionTarget, section: Section, rows: Uint32Array): void {
  const { columnId, values, rows: entries } = section;
  const codes = codesOf(shard, columnId, values, entries.length);
  const rowsInSegment = new Uint32Array(entries.length);
  for (let from = 0, to = 0; from < entries.length; from = to) {
    const segmentIndex = rows[entries[from]] >>> SEGMENT_ROWS_SHIFT;
    for (; to < entries.length && rows[entries[to]] >>> SEGMENT_ROWS_SHIFT === segmentIndex; to++) {
      rowsInSegment[to] = rows[entries[to]] & SEGMENT_ROWS_MASK;
    }
    const segment = shard.segments[segmentIndex];
    segment.snapshot.beforeChange();
    const column = segment.latestColumn(columnId, values.kind, widthBefore(shard, segmentIndex, columnId));
    column.setAll(rowsInSegment, values, codes, from, to);
  }
}

/** Sets all rows to the section's last value. */
function setAll(shard: SectionTarget, section: Section, rows: Uint32Array): void {
  const { columnId, values } = section;
  const last = section.rows.length - 1;
  const code = codesOf(shard, columnId, values, section.rows.length)?.[last] ?? 0;
  const count = Math.min(rows.length, SEGMENT_ROWS_MAX);
  const repeated = repeat(values, last, count);
  const codes = values.kind === 'code' ? new Uint32Array(count).fill(code) : null;
  eachSegment(shard, rows, (segment, from, to, segmentIndex) => {
    const column = segment.latestColumn(columnId, values.kind, widthBefore(shard, segmentIndex, columnId));
    const rowsInSegment = rows.slice(from, to);
    for (let at = 0; at < rowsInSegment.length; at++) rowsInSegment[at] &= SEGMENT_ROWS_MASK;
    column.setAll(rowsInSegment, repeated, codes, 0, rowsInSegment.length);
  });
}

/** Repeats value `index` `count` times; strings are unchanged, because only their codes are used. */
function repeat(values: Values, index: number, count: number): Values {
  switch (values.kind) {
    case 'code':
      return values;
    case 'bits':
      return { kind: 'bits', bits: new Uint8Array(count).fill(values.bits[index]) };
    case 'i32':
      return { kind: 'i32', i32: new Int32Array(count).fill(values.i32[index]) };
    case 'i64': {
      const words = new Uint32Array(count * 2);
      for (let word = 0; word < words.length; word++) words[word] = values.words[index * 2 + (word & 1)];
      return { kind: 'i64', words };
    }
    case 'geo': {
      const f64 = new Float64Array(count * 2);
      for (let item = 0; item < f64.length; item++) f64[item] = values.f64[index * 2 + (item & 1)];
      return { kind: 'geo', f64 };
    }
  }
}

function applyRemovals(shard: SectionTarget, section: Section, rows: Uint32Array): void {
  for (const entry of section.rows) {
    const row = rows[entry];
    const segment = shard.segments[row >>> SEGMENT_ROWS_SHIFT];
    segment.snapshot.beforeChange();
    segment.latest(section.columnId)?.remove(row & SEGMENT_ROWS_MASK);
  }
}

function applyLists(shard: SectionTarget, section: Section, rows: Uint32Array): void {
  const { columnId, values, rows: entries } = section;
  const counts = section.counts as Uint32Array;
  const codes = codesOf(shard, columnId, values, section.valueCount);
  let from = 0;
  for (let entry = 0; entry < entries.length; entry++) {
    const row = rows[entries[entry]];
    const segment = shard.segments[row >>> SEGMENT_ROWS_SHIFT];
    segment.snapshot.beforeChange();
    const column = segment.listColumn(columnId, values.kind);
    column.replace(row & SEGMENT_ROWS_MASK, values, codes, from, counts[entry]);
    from += counts[entry];
  }
}

/** Sets all rows to the section's last list. */
function replaceAll(shard: SectionTarget, section: Section, rows: Uint32Array): void {
  const { columnId, values, valueCount } = section;
  const codes = codesOf(shard, columnId, values, valueCount);
  const count = (section.counts as Uint32Array)[section.rows.length - 1];
  eachSegment(shard, rows, (segment, from, to) => {
    const column = segment.listColumn(columnId, values.kind);
    for (let at = from; at < to; at++) {
      column.replace(rows[at] & SEGMENT_ROWS_MASK, values, codes, valueCount - count, count);
    }
  });
}

function applyEvents(
  shard: SectionTarget,
  section: Section,
  rows: Uint32Array,
  links: Uint32Array | null,
  firstLink: number,
): void {
  const { columnId, values, rows: entries } = section;
  const count = entries.length;
  const dates = section.dates as Uint32Array;
  const codes = codesOf(shard, columnId, values, count);
  const table = shard.eventTable(columnId, values.kind);
  const owners = new Uint32Array(count);
  for (let entry = 0; entry < count; entry++) owners[entry] = rows[entries[entry]];
  appendEvents(table, { rows: owners, dates, values, codes }, links, firstLink);
  markOwners(shard, columnId, owners);
}

/** Appends events; event i gets the link firstLink + links[i], or none if `links` is null. */
function appendEvents(
  table: EventTable,
  events: NewEvents,
  links: Uint32Array | null,
  firstLink: number,
): void {
  const count = events.rows.length;
  for (let from = 0, to = 0; from < count; from = to) {
    const tail = table.tail();
    to = Math.min(count, from + tail.freeRowCount);
    const firstEvent = tail.appendAll(events, from, to);
    if (links === null) continue;
    for (let entry = from; entry < to; entry++)
      tail.setLink(firstEvent + entry - from, firstLink + links[entry]);
  }
}

/** Records that the entities in `rows` have an event of the column. */
function markOwners(shard: SectionTarget, columnId: number, rows: Uint32Array): void {
  let segmentIndex = -1;
  let owners: RowBitmap | null = null;
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index];
    if (row >>> SEGMENT_ROWS_SHIFT !== segmentIndex || owners === null) {
      segmentIndex = row >>> SEGMENT_ROWS_SHIFT;
      owners = shard.segments[segmentIndex].ownersOf(columnId);
    }
    owners.set(row & SEGMENT_ROWS_MASK);
  }
}

/** Appends all events of the section to each row, with separate links per row. */
function appendToAll(
  shard: SectionTarget,
  section: Section,
  rows: Uint32Array,
  links: Uint32Array | null,
  firstLink: number,
  linksPerRow: number,
): void {
  const { columnId, values } = section;
  const dates = section.dates as Uint32Array;
  const codes = codesOf(shard, columnId, values, dates.length);
  const table = shard.eventTable(columnId, values.kind);
  const owners = new Uint32Array(dates.length);
  for (let at = 0; at < rows.length; at++) {
    owners.fill(rows[at]);
    appendEvents(table, { rows: owners, dates, values, codes }, links, firstLink + at * linksPerRow);
  }
  markOwners(shard, columnId, rows);
}
