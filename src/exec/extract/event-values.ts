/**
 * Reads the events of extracted rows. The window's events are scanned once per column, since few of them belong to
 * the rows.
 */
import type { ExtractedEvent, OutputColumn } from '../../ir/index.js';
import { compareText, formatDateTime } from '../../schema/index.js';
import type { DimensionShard, EventSegment } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import type { FoundRow } from './found-rows.js';
import { hasBit, newWords } from './row-words.js';
import { ValueWriter } from './value-writer.js';

type EventColumn = Extract<OutputColumn, { readonly from: 'events' }>;

/** A collected event and its approximate size. */
interface CollectedEvent {
  readonly seconds: number;
  readonly value: string;
}
const COLLECTED_BYTES = 160;
const LETTER_BYTES = 2;

/** The rows of one shard as a bitmap, and the index of each among all rows. */
interface RowIndex {
  readonly words: Uint32Array;
  readonly positions: Map<number, number>;
}

export class RowEvents {
  readonly #rowCount: number;
  readonly #owners = new Map<DimensionShard, RowIndex>();

  /** Throws 9006. */
  constructor(rows: readonly FoundRow[], run: QueryRun) {
    this.#rowCount = rows.length;
    rows.forEach(({ shard, row }, at) => {
      let owners = this.#owners.get(shard);
      if (owners === undefined) {
        owners = { words: newWords(shard, run), positions: new Map() };
        this.#owners.set(shard, owners);
      }
      owners.words[row >>> 5] |= 1 << (row & 31);
      owners.positions.set(row, at);
    });
  }

  /**
   * The column's events of each row: its distinct events by date, then by value; null = no events. Throws 9005 and
   * 9006.
   */
  eventsOf(column: EventColumn, run: QueryRun): (readonly ExtractedEvent[] | null)[] {
    const collected: (CollectedEvent[] | null)[] = new Array(this.#rowCount).fill(null);
    for (const [shard, owners] of this.#owners) {
      const writer = new ValueWriter(column, shard.dictionaries.get(column.columnId));
      for (const segment of shard.events.get(column.columnId)?.segments ?? []) {
        run.check();
        collect(segment, column, owners, writer, collected, run);
      }
    }
    return collected.map((events) => (events === null ? null : distinct(events)));
  }
}

function collect(
  segment: EventSegment,
  { window }: EventColumn,
  { words, positions }: RowIndex,
  writer: ValueWriter,
  collected: (CollectedEvent[] | null)[],
  run: QueryRun,
): void {
  const { from, to } = segment.rangeWithin(window.from, window.to);
  const { rows, dates } = segment.datesAndRows(segment.eventCount);
  for (let segmentRow = from; segmentRow < to; segmentRow++) {
    if (!hasBit(words, rows[segmentRow])) continue;
    const seconds = dates[segmentRow];
    if (seconds < window.from || seconds > window.to) continue;
    const value = writer.at(segment, segmentRow);
    run.reserve(COLLECTED_BYTES + value.length * LETTER_BYTES);
    const at = positions.get(rows[segmentRow]) as number;
    const events = collected[at];
    if (events === null) collected[at] = [{ seconds, value }];
    else events.push({ seconds, value });
  }
}

function distinct(events: CollectedEvent[]): ExtractedEvent[] {
  events.sort((a, b) => a.seconds - b.seconds || compareText(a.value, b.value));
  return events
    .filter(
      ({ seconds, value }, at) =>
        at === 0 || seconds !== events[at - 1].seconds || value !== events[at - 1].value,
    )
    .map(({ seconds, value }) => ({ value, date: formatDateTime(seconds) }));
}
