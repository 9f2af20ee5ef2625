/**
 * Counts the events of each value of a column, or the entities that have such events.
 * Entities  rows are sorted by value (counting sort); then, value by value, they are marked in one bitmap, which detects
 *           a row's second event of the same value. At most `batchMax` events are sorted at a time; if there are more,
 *           events are scanned again for each run of values. Memory is a few bits per row, one count per value, and the
 *           batch.
 * Cost  2 to 4 ns per event, and 8 for entities.
 */
import { grownWithin, type MemoryAccount } from '../../base/index.js';
import type { AggregateState, EventTest, GroupPartial, SelectPlan } from '../../ir/index.js';
import type { EventSegment } from '../../storage/index.js';
import { EventSelection, rowsOfEvents } from '../condition/event-selection.js';
import { listSelectedRows } from '../condition/selected-rows.js';
import { selectedEntities } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import type { ShardOperatorStats } from '../scan/operator-stats.js';
import { EventNumbers } from './event-numbers.js';
import type { GroupSlotSource } from './groups/slot-plan.js';
import { aggregationKindOf } from './states/aggregate-kinds.js';

/** The largest number of events that are sorted at a time. */
const EVENT_BATCH_MAX = 2 ** 22;

/**
 * The entities of each value of the events, if that is what the plan groups by and counts; null otherwise. Memory of the
 * result stays reserved in the run. Throws 9005, 9006.
 */
export function countByEventValue(
  source: GroupSlotSource,
  run: QueryRun,
  stats: ShardOperatorStats,
  batchMax = EVENT_BATCH_MAX,
): GroupPartial | null {
  const event = countedEvents(source.plan);
  if (event === null) return null;
  return scanned(source, event, run, stats, (scan, numbers) => {
    const entities = scan.entitiesByNumber(batchMax);
    const { values, counts } = numbers.found(entities, run);
    const states = source.plan.grouping?.aggregates.map(() => ({ holds: 'count', counts }) as const) ?? [];
    return { groupCount: counts.length, keys: [values], states };
  });
}

/** The events whose values are the only key of a plan that counts its rows. */
function countedEvents({
  grouping,
  events,
  filter,
  joins,
  inputs,
  items = [],
}: SelectPlan): EventTest | null {
  const [item] = items;
  if (grouping === null || grouping.perEntity || grouping.keys.length !== 1) return null;
  if (events !== null || filter !== null || joins.length > 0 || items.length !== 1) return null;
  const { aggregates, keys } = grouping;
  const counts = aggregates.every(
    ({ function: name, of, feed }) => name === 'count' && of === null && feed === 'rows',
  );
  const [key] = keys;
  const isItem = key.op === 'input' && inputs[key.input].from === 'item';
  return counts && isItem && item.from === 'events' ? item.event : null;
}

/**
 * The values of the events with their numbers of occurrences, if the plan's only group reads nothing else and they are
 * integers of at most 16 bits; null otherwise. Memory of the result stays reserved in the run. Throws 9005, 9006.
 */
export function countEventValues(
  source: GroupSlotSource,
  run: QueryRun,
  stats: ShardOperatorStats,
): GroupPartial | null {
  const { grouping, events, filter, joins, inputs, items = [] } = source.plan;
  if (grouping === null || grouping.perEntity || grouping.keys.length > 0 || events === null) return null;
  if (filter !== null || joins.length > 0 || items.length > 0) return null;
  const isOfValues = grouping.aggregates.every((aggregate) => {
    const { of, feed } = aggregate;
    const kind = aggregationKindOf(aggregate);
    const input = of?.op === 'input' ? inputs[of.input] : null;
    const isValue = input?.from === 'event-value' && input.columnId === events.columnId;
    return isValue && feed === 'rows' && (kind === 'counted' || kind === 'distinct');
  });
  const table = source.dimension.events.get(events.columnId);
  const isNarrow = table?.kind === 'i64' && table.segments.every(({ width }) => width <= 2);
  if (!isOfValues || !isNarrow) return null;
  return scanned(source, events, run, stats, (scan, numbers) => {
    const { values, counts } = numbers.found(scan.eventsByNumber(), run);
    const state: AggregateState = { holds: 'values', groups: null, counts, values };
    return { groupCount: 1, keys: [], states: grouping.aggregates.map(() => state) };
  });
}

function scanned(
  source: GroupSlotSource,
  event: EventTest,
  run: QueryRun,
  stats: ShardOperatorStats,
  count: (scan: EventScan, numbers: EventNumbers) => GroupPartial,
): GroupPartial | null {
  const { dimension, plan, scratch } = source;
  const memory = run.child();
  const numbers = EventNumbers.of(dimension, event.columnId, memory);
  if (numbers === null) return null;
  const start = stats.start();
  const rows = selectedEntities(dimension, plan.condition, scratch, run);
  const events = new EventSelection(dimension, event, run);
  try {
    const scan = new EventScan(dimension.rowEnd, { events, owners: rows, numbers }, memory, run);
    const partial = count(scan, numbers);
    stats.add('scan', start, scan.eventCount);
    stats.add('group', stats.start(), partial.groupCount);
    stats.note('group', ['events counted by value']);
    return partial;
  } finally {
    events.release();
    run.release(rows?.length ?? 0);
    memory.releaseAll();
  }
}

/** Receives the events of a segment: event i belongs to row rows[i] and has value number numbers[i]. */
type EntrySink = (rows: Uint32Array, numbers: Uint32Array, count: number) => void;

interface ScannedEvents {
  readonly events: EventSelection;
  /** The entities whose events are counted, one bit per row; null = all. */
  readonly owners: Uint8Array | null;
  readonly numbers: EventNumbers;
}

class EventScan {
  readonly #rowEnd: number;
  readonly #events: EventSelection;
  readonly #owners: Uint8Array | null;
  readonly #numbers: EventNumbers;
  readonly #memory: MemoryAccount;
  readonly #run: QueryRun;
  readonly #segmentRows: Uint32Array;
  readonly #numbersOfSegment: Uint32Array;
  /** The number of events that pass. */
  eventCount = 0;

  constructor(
    rowEnd: number,
    { events, owners, numbers }: ScannedEvents,
    memory: MemoryAccount,
    run: QueryRun,
  ) {
    this.#rowEnd = rowEnd;
    this.#events = events;
    this.#owners = owners;
    this.#numbers = numbers;
    this.#memory = memory;
    this.#run = run;
    const longest = (events.table?.segments ?? []).reduce(
      (most, { eventCount }) => Math.max(most, eventCount),
      0,
    );
    this.#segmentRows = memory.u32(longest);
    this.#numbersOfSegment = memory.u32(longest);
  }

  #each(sink: EntrySink): void {
    for (const { segment, selected } of this.#events.ofRows(this.#owners, this.#run)) {
      this.#emit(segment, selected, sink);
    }
  }

  #emit(segment: EventSegment, selected: Parameters<typeof rowsOfEvents>[1], sink: EntrySink): void {
    const count = listSelectedRows(segment.arena, selected, this.#segmentRows);
    this.#numbers.number(segment, this.#segmentRows, count, this.#numbersOfSegment);
    sink(rowsOfEvents(segment, selected), this.#numbersOfSegment, count);
  }

  /** The number of events by value number. Throws 9005, 9006. */
  eventsByNumber(): Uint32Array {
    let counts = this.#memory.u32(this.#numbers.count);
    this.#each((_rows, numbers, count) => {
      counts = grownWithin(this.#memory, counts, this.#numbers.count);
      for (let at = 0; at < count; at++) counts[numbers[at]]++;
      this.eventCount += count;
    });
    return counts;
  }

  /** The number of entities with such events by value number. Throws 9005, 9006. */
  entitiesByNumber(batchMax: number): Uint32Array {
    const counts = this.eventsByNumber();
    const marks = this.#memory.u32((this.#rowEnd + 31) >>> 5);
    for (let from = 0, to = 0; from < counts.length; from = to) {
      let events = counts[to++];
      while (to < counts.length && events + counts[to] <= batchMax) events += counts[to++];
      if (to === from + 1) counts[from] = events > 1 ? this.#entitiesOf(from, marks) : events;
      else if (events > 0) this.#countRun(counts, from, to, events, marks);
    }
    return counts;
  }

  #entitiesOf(wanted: number, marks: Uint32Array): number {
    let entities = 0;
    this.#each((rows, numbers, count) => {
      for (let at = 0; at < count; at++) if (numbers[at] === wanted && mark(marks, rows[at])) entities++;
    });
    marks.fill(0);
    return entities;
  }

  /** Replaces the counts of values [from, to), which have `events` events in total. */
  #countRun(counts: Uint32Array, from: number, to: number, events: number, marks: Uint32Array): void {
    const sorted = this.#memory.u32(events);
    const ends = this.#memory.u32(to - from);
    for (let number = from, start = 0; number < to; number++) {
      ends[number - from] = start;
      start += counts[number];
    }
    this.#each((rows, numbers, count) => scatter(rows, numbers, count, from, to, ends, sorted));
    for (let number = from, start = 0; number < to; number++) {
      const end = ends[number - from];
      if (end - start > 1) counts[number] = countDistinct(sorted, start, end, marks);
      start = end;
    }
    this.#memory.release(sorted.byteLength + ends.byteLength);
  }
}

/** Writes the rows of events of values [from, to) to their values' ranges. */
function scatter(
  rows: Uint32Array,
  numbers: Uint32Array,
  count: number,
  from: number,
  to: number,
  ends: Uint32Array,
  sorted: Uint32Array,
): void {
  for (let at = 0; at < count; at++) {
    const number = numbers[at];
    if (number >= from && number < to) sorted[ends[number - from]++] = rows[at];
  }
}

/** The number of different rows of [start, end); all marks are clear before and after. */
function countDistinct(sorted: Uint32Array, start: number, end: number, marks: Uint32Array): number {
  let different = 0;
  for (let at = start; at < end; at++) if (mark(marks, sorted[at])) different++;
  for (let at = start; at < end; at++) marks[sorted[at] >>> 5] = 0;
  return different;
}

/** Marks the row; returns false if it was already marked. */
function mark(marks: Uint32Array, row: number): boolean {
  const word = row >>> 5;
  const bit = 1 << (row & 31);
  const before = marks[word];
  marks[word] = before | bit;
  return (before & bit) === 0;
}
