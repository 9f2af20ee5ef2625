/** The events that an aggregate looks at, in the order in which they lie. */
import { invariant } from '../../base/index.js';
import type { Input } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import { eventsOfRows, rowsOfEvents } from '../condition/event-selection.js';
import { listPlaces } from '../condition/places.js';
import type { QueryRun } from '../query-run.js';
import type { BatchSize } from './batch-size.js';
import type { FeedSelection } from './feed-selection.js';
import type { InputReader } from './input-reader.js';
import type { RowBatch } from './row-batches.js';
import { listedPlaces, placesFrom, type RowPlaces } from './row-places.js';

/** Events of one segment of the column. */
class FeedBatch implements RowBatch {
  readonly count: number;
  readonly entityRows: Uint32Array;
  readonly #read: (index: number) => Vector;
  readonly #inputs: (Vector | undefined)[] = [];

  constructor(entityRows: Uint32Array, read: (index: number) => Vector) {
    this.count = entityRows.length;
    this.entityRows = entityRows;
    this.#read = read;
  }

  input(index: number): Vector {
    let vector = this.#inputs[index];
    if (vector === undefined) {
      vector = this.#read(index);
      this.#inputs[index] = vector;
    }
    return vector;
  }
}

interface FeedSource {
  readonly selection: FeedSelection;
  /** A bitmap over the shard's rows; null = all. */
  readonly rows: Uint8Array | null;
  readonly batchSize: BatchSize;
}

/** The events that pass, of entities set in `rows`; null = a segment has none. Throws 9005, 9006. */
export function* feedBatches(
  { selection, rows, batchSize }: FeedSource,
  columnId: number,
  inputs: readonly Input[],
  reader: InputReader,
  run: QueryRun,
): Generator<RowBatch | null, undefined> {
  const { segments } = selection;
  const values = reader.eventsOf(columnId);
  const read = (index: number, segment: number, places: RowPlaces): Vector => {
    const input = inputs[index];
    invariant(
      (input.from === 'event-value' || input.from === 'event-date') && input.columnId === columnId,
      "a feed's aggregates read its events alone",
    );
    const arrays = reader.arraysOf(index);
    return input.from === 'event-value'
      ? values.valuesAt(segment, places, arrays)
      : values.datesAt(segment, places, arrays);
  };
  for (let index = 0; index < segments.length; index++) {
    run.check();
    const segment = segments[index];
    const all = selection.select(index);
    const selected = rows === null || all.count === 0 ? all : eventsOfRows(segment, all, rows);
    const { count, isRange } = selected;
    if (count === 0) {
      yield null;
      continue;
    }
    const list = isRange ? null : new Uint32Array(count);
    if (list !== null) listPlaces(segment.arena, selected, list);
    // Of a range they are a view of the segment, else of what the next selection writes.
    const entityRows = isRange ? rowsOfEvents(segment, selected) : rowsOfEvents(segment, selected).slice();
    for (let from = 0, to = 0; from < count; from = to) {
      to = Math.min(from + batchSize.next(), count);
      const places =
        list === null ? placesFrom(selected.from + from, to - from) : listedPlaces(list.subarray(from, to));
      yield new FeedBatch(entityRows.subarray(from, to), (input) => read(input, index, places));
    }
  }
}
