/**
 * Reads the events of rows as JSON: one event as an object, several as a list. The window's events are scanned once for all
 * rows, since few of them belong to the rows.
 */
import type { OutputColumn } from '../../ir/index.js';
import { compareText, formatDateTime } from '../../schema/index.js';
import type { DimensionShard, EventSegment } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { hasBit, newWords } from './row-words.js';
import type { ValueWriter } from './written-values.js';

export type EventColumn = Extract<OutputColumn, { readonly from: 'events' }>;

/** A collected event and its approximate size. */
interface CollectedEvent {
  readonly seconds: number;
  readonly value: string;
}
const COLLECTED_BYTES = 160;
const LETTER_BYTES = 2;

/**
 * The column's events of each of the rows that has some: its distinct events by date, then by value. `memory` accounts for
 * them. Throws 9005 and 9006.
 */
export function eventLists(
  shard: DimensionShard,
  column: EventColumn,
  rows: Uint32Array,
  writer: ValueWriter,
  memory: QueryRun,
): Map<number, string> {
  const words = newWords(shard, memory);
  for (const row of rows) words[row >>> 5] |= 1 << (row & 31);
  const collected = new Map<number, CollectedEvent[]>();
  for (const segment of shard.events.get(column.columnId)?.segments ?? []) {
    memory.check();
    collect(segment, column, words, writer, collected, memory);
  }
  const lists = new Map<number, string>();
  for (const [row, events] of collected) lists.set(row, listOf(events));
  return lists;
}

function collect(
  segment: EventSegment,
  { window }: EventColumn,
  words: Uint32Array,
  writer: ValueWriter,
  collected: Map<number, CollectedEvent[]>,
  memory: QueryRun,
): void {
  const { from, to } = segment.rangeWithin(window.from, window.to);
  const { rows, dates } = segment.datesAndRows(segment.eventCount);
  for (let segmentRow = from; segmentRow < to; segmentRow++) {
    const row = rows[segmentRow];
    if (!hasBit(words, row)) continue;
    const seconds = dates[segmentRow];
    if (seconds < window.from || seconds > window.to) continue;
    const value = writer.at(segment, segmentRow);
    memory.reserve(COLLECTED_BYTES + value.length * LETTER_BYTES);
    const events = collected.get(row);
    if (events === undefined) collected.set(row, [{ seconds, value }]);
    else events.push({ seconds, value });
  }
}

function listOf(events: CollectedEvent[]): string {
  events.sort((a, b) => a.seconds - b.seconds || compareText(a.value, b.value));
  const texts: string[] = [];
  let last: CollectedEvent | null = null;
  for (const event of events) {
    if (last !== null && event.seconds === last.seconds && event.value === last.value) continue;
    last = event;
    texts.push(`{"value":${JSON.stringify(event.value)},"date":"${formatDateTime(event.seconds)}"}`);
  }
  return texts.length === 1 ? texts[0] : `[${texts.join()}]`;
}
