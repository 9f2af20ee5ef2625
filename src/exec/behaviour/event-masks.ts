/**
 * Evaluates the events of a question over the stored events of a shard: which of them satisfies which event, as one bit
 * each.
 * Invariant  events of columns that one relation ties carry their link, if the plan says that columns may be tied.
 */
import {
  type BehaviourScope,
  type Condition,
  type EventAlternative,
  type EventColumnTest,
  readsStream,
} from '../../ir/index.js';
import type { DimensionShard, EventSegment } from '../../storage/index.js';
import { EventSelection, type SelectedEvents } from '../condition/event-selection.js';
import type { QueryRun } from '../query-run.js';
import { EventTableBuilder, type SortedEvents, sortByRow } from './event-table.js';
import { EventValueNumbers } from './event-values.js';

const WINDOW = { from: 0, to: 0xffffffff };

/** The entities of the shard that satisfy a condition, one bit per row; null = all. */
export type EntitiesOf = (condition: Condition | null) => Uint8Array | null;

/** One alternative, by its first column. */
interface Source {
  readonly bit: number;
  readonly test: EventColumnTest;
  readonly others: readonly EventColumnTest[];
  /** Alternatives of the event before this one, whose first columns are others: what they accept has their date. */
  readonly before: readonly EventAlternative[];
}

export interface EntityEvents extends SortedEvents {
  /** The entities that take part; null = all. */
  readonly rows: Uint8Array | null;
  /** Words of bits per event: columns 1 to maskWords. */
  readonly maskWords: number;
  /** The column of links, or -1. */
  readonly linkColumn: number;
  /** The first column of value numbers. A stream has one, of the event's own column, and then the column's index. */
  readonly valueColumn: number;
  readonly values: readonly EventValueNumbers[];
}

/** Reads the events that satisfy any of the plan's events, of the entities that take part. Throws 9005, 9006. */
export function readEntityEvents(
  shard: DimensionShard,
  plan: BehaviourScope,
  entitiesOf: EntitiesOf,
  run: QueryRun,
): EntityEvents {
  const rows = entitiesOf(plan.condition);
  const maskWords = Math.max(1, Math.ceil(plan.events.length / 32));
  const linkColumn = plan.isTied ? 1 + maskWords : -1;
  const valueColumn = 1 + maskWords + (plan.isTied ? 1 : 0);
  const values = plan.values.map((column) => new EventValueNumbers(shard, column));
  const isStream = readsStream(plan);
  const table = new EventTableBuilder(1 + valueColumn + (isStream ? 2 : values.length), run);
  for (const [columnId, sources] of sourcesOf(plan)) {
    readColumn({ shard, columnId, sources, rows, maskWords, linkColumn, values, isStream, table, run });
  }
  const sorted = sortByRow(table, shard.rowEnd, run);
  return { ...sorted, rows, maskWords, linkColumn, valueColumn, values };
}

function sourcesOf({ events, streams, isTied }: BehaviourScope): ReadonlyMap<number, readonly Source[]> {
  const byColumn = new Map<number, Source[]>();
  events.forEach((event, bit) => {
    event.forEach(([test, ...others], index) => {
      const sources = byColumn.get(test.columnId) ?? [];
      const hasOneDate = isTied && !streams.includes(bit);
      const before = hasOneDate
        ? event.slice(0, index).filter(([{ columnId }]) => columnId !== test.columnId)
        : [];
      sources.push({ bit, test, others, before });
      byColumn.set(test.columnId, sources);
    });
  });
  return byColumn;
}

interface ColumnRead {
  readonly shard: DimensionShard;
  readonly columnId: number;
  readonly sources: readonly Source[];
  readonly rows: Uint8Array | null;
  readonly maskWords: number;
  readonly linkColumn: number;
  readonly values: readonly EventValueNumbers[];
  readonly isStream: boolean;
  readonly table: EventTableBuilder;
  readonly run: QueryRun;
}

interface PreparedSource {
  readonly bit: number;
  readonly selection: EventSelection;
  /** Bit l: the tied values of link l pass the other tests; null = there are no other tests. */
  readonly links: Uint8Array | null;
  /** Bit l: the tied values of link l satisfy an alternative before; null = there is none. */
  readonly taken: Uint8Array | null;
}

function readColumn(read: ColumnRead): void {
  const { shard, columnId, sources, run } = read;
  const segments = shard.events.get(columnId)?.segments ?? [];
  if (segments.length === 0) return;
  const prepared = sources.map(
    ({ bit, test, others, before }): PreparedSource => ({
      bit,
      selection: new EventSelection(shard, { ...test, window: WINDOW }, run),
      links: others.length === 0 ? null : linksOfAll(shard, others, run),
      taken: before.length === 0 ? null : linksOfAny(shard, before, run),
    }),
  );
  try {
    for (const segment of segments) {
      run.check();
      if (segment.eventCount > 0) appendSegment(read, segment, masksOf(segment, prepared, read.maskWords));
    }
  } finally {
    for (const { selection } of prepared) selection.release();
  }
}

/** One word of bits per event and word. */
function masksOf(segment: EventSegment, sources: readonly PreparedSource[], words: number): Uint32Array[] {
  const masks = Array.from({ length: words }, () => new Uint32Array(segment.eventCount));
  const links = segment.links();
  for (const { bit, selection, links: passing, taken } of sources) {
    const mask = masks[bit >> 5];
    const flag = 1 << (bit & 31);
    if (passing !== null && links === null) continue;
    eachSelected(segment, selection.select(segment), (event) => {
      if (passing !== null) {
        const link = (links as Uint32Array)[event];
        if (link === 0 || !hasBit(passing, link)) return;
      }
      if (taken !== null && links !== null && hasBit(taken, links[event])) return;
      mask[event] |= flag;
    });
  }
  return masks;
}

function eachSelected(segment: EventSegment, selected: SelectedEvents, act: (event: number) => void): void {
  if (selected.count === 0) return;
  const { from, to, start, isRange, bitmapAt } = selected;
  if (isRange) {
    for (let event = from; event < to; event++) act(event);
    return;
  }
  const { u32 } = segment.arena;
  const first = bitmapAt >> 2;
  for (let base = start; base < to; base += 32) {
    for (let bits = u32[first + ((base - start) >> 5)]; bits !== 0; bits &= bits - 1) {
      const event = base + 31 - Math.clz32(bits & -bits);
      if (event < to) act(event);
    }
  }
}

const hasBit = (bits: Uint8Array, at: number): boolean => ((bits[at >> 3] >> (at & 7)) & 1) !== 0;

/** The links whose tied values satisfy one of the alternatives, as a bitmap. */
function linksOfAny(
  shard: DimensionShard,
  alternatives: readonly EventAlternative[],
  run: QueryRun,
): Uint8Array {
  const [first, ...others] = alternatives.map((tests) => linksOfAll(shard, tests, run));
  for (const other of others) for (let at = 0; at < first.length; at++) first[at] |= other[at];
  // Values without a link have link 0.
  first[0] &= ~1;
  return first;
}

/** The links whose tied values pass all tests, as a bitmap. */
function linksOfAll(shard: DimensionShard, tests: readonly EventColumnTest[], run: QueryRun): Uint8Array {
  const bytes = (linkEndOf(shard) >> 3) + 1;
  run.reserve(bytes * 2);
  let all: Uint8Array | null = null;
  for (const test of tests) {
    const found = new Uint8Array(bytes);
    const selection = new EventSelection(shard, { ...test, window: WINDOW }, run);
    for (const segment of selection.table?.segments ?? []) {
      run.check();
      const links = segment.links();
      if (links === null || segment.eventCount === 0) continue;
      eachSelected(segment, selection.select(segment), (event) => {
        found[links[event] >> 3] |= 1 << (links[event] & 7);
      });
    }
    selection.release();
    if (all === null) all = found;
    else for (let at = 0; at < bytes; at++) all[at] &= found[at];
  }
  return all ?? new Uint8Array(bytes);
}

/** One more than the greatest link of the shard. */
function linkEndOf(shard: DimensionShard): number {
  let greatest = 0;
  for (const { segments } of shard.events.values()) {
    for (const segment of segments) {
      for (const link of segment.links() ?? []) if (link > greatest) greatest = link;
    }
  }
  return greatest + 1;
}

function valueReaders(
  { values, isStream, columnId, shard }: ColumnRead,
  segment: EventSegment,
  links: Uint32Array | null,
): ((event: number) => number)[] {
  if (isStream) {
    const index = values.findIndex((numbers) => numbers.columnId === columnId);
    return [values[index].readerOf(segment), () => index];
  }
  return values.map((numbers) => {
    if (numbers.columnId === columnId) return numbers.readerOf(segment);
    if (links === null) return () => 0;
    const byLink = numbers.byLink(() => linkEndOf(shard));
    return (event: number) => (links[event] === 0 ? 0 : byLink[links[event]]);
  });
}

function appendSegment(read: ColumnRead, segment: EventSegment, masks: readonly Uint32Array[]): void {
  const { table, rows, linkColumn } = read;
  const { eventCount } = segment;
  const { rows: eventRows, dates } = segment.datesAndRows(eventCount);
  const links = segment.links();
  const readers = valueReaders(read, segment, links);
  table.grow(eventCount);
  const { columns } = table;
  let { count } = table;
  const [first] = masks;
  for (let event = 0; event < eventCount; event++) {
    if (first[event] === 0 && !masks.some((mask) => mask[event] !== 0)) continue;
    const row = eventRows[event];
    if (rows !== null && ((rows[row >>> 3] >> (row & 7)) & 1) === 0) continue;
    columns[0][count] = row;
    columns[1][count] = dates[event];
    for (let word = 0; word < masks.length; word++) columns[2 + word][count] = masks[word][event];
    if (linkColumn >= 0) columns[1 + linkColumn][count] = links === null ? 0 : links[event];
    const value = 2 + masks.length + (linkColumn >= 0 ? 1 : 0);
    for (let at = 0; at < readers.length; at++) columns[value + at][count] = readers[at](event);
    count++;
  }
  table.count = count;
}
