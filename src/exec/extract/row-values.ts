/** Reads the values of extracted rows, column by column. */
import { SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { ExtractedValue, OutputColumn } from '../../ir/index.js';
import type { DimensionShard, LatestColumn } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { RowEvents } from './event-values.js';
import type { FoundRow } from './found-rows.js';
import { rawAt, ValueWriter } from './value-writer.js';

/** Bytes of a value besides its characters, and bytes per character. */
const VALUE_BYTES = 32;
const LETTER_BYTES = 2;

/** The values of each row, one per column. Throws 9005 and 9006. */
export function extractedValuesOf(
  rows: readonly FoundRow[],
  columns: readonly OutputColumn[],
  run: QueryRun,
): ExtractedValue[][] {
  const values = rows.map((): ExtractedValue[] => []);
  let events: RowEvents | null = null;
  for (const column of columns) {
    run.check();
    if (column.from === 'events') {
      events ??= new RowEvents(rows, run);
      events.eventsOf(column, run).forEach((value, at) => {
        values[at].push(value);
      });
    } else if (column.from === 'entity-id') {
      rows.forEach(({ position }, at) => {
        values[at].push(position.id);
      });
    } else pushValues(rows, column, column.columnId, values, run);
  }
  return values;
}

function pushValues(
  rows: readonly FoundRow[],
  column: OutputColumn,
  columnId: number,
  values: ExtractedValue[][],
  run: QueryRun,
): void {
  const found = new Map<DimensionShard, ShardColumn>();
  const columns = rows.map(({ shard }) => {
    let own = found.get(shard);
    if (own === undefined) {
      own = new ShardColumn(shard, columnId, new ValueWriter(column, shard.dictionaries.get(columnId)));
      found.set(shard, own);
    }
    return own;
  });
  // The rows are scattered: all values are read first, so that cache misses overlap.
  const raws = Float64Array.from(rows, ({ row }, at) => columns[at].raw(row));
  rows.forEach(({ row }, at) => {
    const value = columns[at].value(row, raws[at]);
    run.reserve(bytesOf(value));
    values[at].push(value);
  });
}

/** One column of a shard, resolved once per segment. */
class ShardColumn {
  readonly #shard: DimensionShard;
  readonly #columnId: number;
  readonly #writer: ValueWriter;
  /** By segment; null = the column has no latest values there. */
  readonly #latest: (LatestColumn | null | undefined)[];

  constructor(shard: DimensionShard, columnId: number, writer: ValueWriter) {
    this.#shard = shard;
    this.#columnId = columnId;
    this.#writer = writer;
    this.#latest = new Array(shard.segments.length).fill(undefined);
  }

  #latestOf(segmentIndex: number): LatestColumn | null {
    let latest = this.#latest[segmentIndex];
    if (latest === undefined) {
      latest = this.#shard.segments[segmentIndex].latest(this.#columnId) ?? null;
      this.#latest[segmentIndex] = latest;
    }
    return latest;
  }

  /** The result of rawAt for the row's latest value; NaN = no value. */
  raw(row: number): number {
    const latest = this.#latestOf(row >>> SEGMENT_ROWS_SHIFT);
    const segmentRow = row & SEGMENT_ROWS_MASK;
    return latest?.has(segmentRow) === true ? rawAt(latest, segmentRow) : Number.NaN;
  }

  /** `raw`: the row's result of rawAt. */
  value(row: number, raw: number): string | string[] | null {
    const latest = this.#latestOf(row >>> SEGMENT_ROWS_SHIFT);
    const segmentRow = row & SEGMENT_ROWS_MASK;
    if (latest !== null) return Number.isNaN(raw) ? null : this.#writer.text(latest, segmentRow, raw);
    const list = this.#shard.segments[row >>> SEGMENT_ROWS_SHIFT].list(this.#columnId);
    return list === undefined ? null : this.#writer.list(list, segmentRow);
  }
}

function bytesOf(value: string | readonly string[] | null): number {
  if (value === null) return 0;
  if (typeof value === 'string') return VALUE_BYTES + value.length * LETTER_BYTES;
  return value.reduce((sum, text) => sum + VALUE_BYTES + text.length * LETTER_BYTES, VALUE_BYTES);
}
