/**
 * The sections of a batch into a dimension's shard: of an insert, where each of the batch's rows is an entity, and of
 * an update, where its one row stands for many. Tight loops over typed arrays; nothing is made per value.
 */
import { SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../base/index.js';
import type { Section, Values } from '../column/index.js';
import type { ValueKind } from '../schema/index.js';
import type { Dictionary } from './dictionary.js';
import type { EntitySegment } from './entity-segment.js';
import type { EventSegment } from './event-segment.js';
import type { EventTable } from './event-table.js';
import type { LatestColumn } from './latest-column.js';
import { linksOf } from './links.js';
import type { Width } from './width.js';

/** What of a dimension's shard sections are applied to. */
export interface SectionTarget {
  readonly segments: readonly EntitySegment[];
  dictionary(columnId: number): Dictionary;
  eventTable(columnId: number, kind: ValueKind): EventTable;
  /** So many links that no event has; the first of them. */
  takeLinks(count: number): number;
}

/** Applies sections whose row r is the entity in row rows[r] of the shard. */
export function applySections(shard: SectionTarget, sections: readonly Section[], rows: Uint32Array): void {
  const links = linksOf(sections, rows.length);
  const firstLink = links === null ? 0 : shard.takeLinks(links.count);
  sections.forEach((section, index) => {
    if (section.form === 'latest') applyLatest(shard, section, rows);
    else if (section.form === 'event')
      applyEvents(shard, section, rows, links?.bySection[index] ?? null, firstLink);
    else if (section.form === 'list') applyLists(shard, section, rows);
    else applyRemovals(shard, section, rows);
  });
}

/** Applies sections of one entity, all of whose rows are 0, to each of the entities in `rows`, which ascend. */
export function applyToAll(shard: SectionTarget, sections: readonly Section[], rows: Uint32Array): void {
  const links = linksOf(sections, 1);
  const firstLink = links === null ? 0 : shard.takeLinks(links.count * rows.length);
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

/** Calls `change` with each segment and the range of `rows` (ascending) that lie in it; the segment may be altered. */
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

/** Codes of all strings of a section, new ones included; null for values of other kinds. */
function codesOf(shard: SectionTarget, columnId: number, values: Values, count: number): Uint32Array | null {
  if (values.kind !== 'code') return null;
  const { hashes, offsets, bytes } = values;
  const dictionary = shard.dictionary(columnId);
  const codes = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    codes[index] = dictionary.intern(hashes[index], bytes, offsets[index], offsets[index + 1]);
  }
  return codes;
}

/** The width of the column in the segment before: what its values will need here too. */
function widthBefore(shard: SectionTarget, segmentIndex: number, columnId: number): Width {
  return shard.segments[segmentIndex - 1]?.latest(columnId)?.width ?? 1;
}

function applyLatest(shard: SectionTarget, section: Section, rows: Uint32Array): void {
  const { columnId, values, rows: entries } = section;
  const { kind } = values;
  const codes = codesOf(shard, columnId, values, entries.length);
  let segmentIndex = -1;
  let column: LatestColumn | null = null;
  for (let entry = 0; entry < entries.length; entry++) {
    const row = rows[entries[entry]];
    if (row >>> SEGMENT_ROWS_SHIFT !== segmentIndex || column === null) {
      segmentIndex = row >>> SEGMENT_ROWS_SHIFT;
      const segment = shard.segments[segmentIndex];
      column = segment.latestColumn(columnId, kind, widthBefore(shard, segmentIndex, columnId));
      segment.snapshot.beforeChange();
    }
    const place = row & SEGMENT_ROWS_MASK;
    switch (kind) {
      case 'code':
        column.setCode(place, (codes as Uint32Array)[entry]);
        break;
      case 'i64':
        column.setI64(place, values.words[entry * 2], values.words[entry * 2 + 1]);
        break;
      case 'i32':
        column.setI32(place, values.i32[entry]);
        break;
      case 'bits':
        column.setBit(place, values.bits[entry]);
        break;
      case 'geo':
        column.setPoint(place, values.f64[entry * 2], values.f64[entry * 2 + 1]);
        break;
    }
  }
}

/** The last of the section's values becomes that of all rows. */
function setAll(shard: SectionTarget, section: Section, rows: Uint32Array): void {
  const { columnId, values } = section;
  const codes = codesOf(shard, columnId, values, section.rows.length);
  const last = section.rows.length - 1;
  eachSegment(shard, rows, (segment, from, to, segmentIndex) => {
    const column = segment.latestColumn(columnId, values.kind, widthBefore(shard, segmentIndex, columnId));
    switch (values.kind) {
      case 'code': {
        const code = (codes as Uint32Array)[last];
        for (let at = from; at < to; at++) column.setCode(rows[at] & SEGMENT_ROWS_MASK, code);
        break;
      }
      case 'i64': {
        const [low, high] = [values.words[last * 2], values.words[last * 2 + 1]];
        for (let at = from; at < to; at++) column.setI64(rows[at] & SEGMENT_ROWS_MASK, low, high);
        break;
      }
      case 'i32': {
        const days = values.i32[last];
        for (let at = from; at < to; at++) column.setI32(rows[at] & SEGMENT_ROWS_MASK, days);
        break;
      }
      case 'bits': {
        const bit = values.bits[last];
        for (let at = from; at < to; at++) column.setBit(rows[at] & SEGMENT_ROWS_MASK, bit);
        break;
      }
      case 'geo': {
        const [longitude, latitude] = [values.f64[last * 2], values.f64[last * 2 + 1]];
        for (let at = from; at < to; at++) {
          column.setPoint(rows[at] & SEGMENT_ROWS_MASK, longitude, latitude);
        }
        break;
      }
    }
  });
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

/** The last of the section's lists becomes that of all rows. */
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

/** Appends value `entry` of a section as an event. `link` 0 = none. */
function appendEvent(
  tail: EventSegment,
  row: number,
  date: number,
  values: Values,
  codes: Uint32Array | null,
  entry: number,
): number {
  const place = tail.append(row, date);
  if (codes !== null) tail.setCode(place, codes[entry]);
  else if (values.kind === 'i64') tail.setI64(place, values.words[entry * 2], values.words[entry * 2 + 1]);
  else if (values.kind === 'geo') tail.setPoint(place, values.f64[entry * 2], values.f64[entry * 2 + 1]);
  tail.snapshot.appended();
  return place;
}

function applyEvents(
  shard: SectionTarget,
  section: Section,
  rows: Uint32Array,
  links: Uint32Array | null,
  firstLink: number,
): void {
  const { columnId, values, rows: entries } = section;
  const dates = section.dates as Uint32Array;
  const codes = codesOf(shard, columnId, values, entries.length);
  const table = shard.eventTable(columnId, values.kind);
  for (let entry = 0; entry < entries.length; entry++) {
    const row = rows[entries[entry]];
    const tail = table.tail();
    const place = appendEvent(tail, row, dates[entry], values, codes, entry);
    if (links !== null) tail.setLink(place, firstLink + links[entry]);
    shard.segments[row >>> SEGMENT_ROWS_SHIFT].ownersOf(columnId).set(row & SEGMENT_ROWS_MASK);
  }
}

/** Appends all events of the section to each of the rows, each row with links of its own. */
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
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at];
    for (let entry = 0; entry < dates.length; entry++) {
      const tail = table.tail();
      const place = appendEvent(tail, row, dates[entry], values, codes, entry);
      if (links !== null) tail.setLink(place, firstLink + at * linksPerRow + links[entry]);
    }
    shard.segments[row >>> SEGMENT_ROWS_SHIFT].ownersOf(columnId).set(row & SEGMENT_ROWS_MASK);
  }
}
