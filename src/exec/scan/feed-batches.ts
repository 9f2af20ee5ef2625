/** Batches of the events that an aggregate reads, in stored order. */
import { invariant } from '../../base/index.js';
import type { Input } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import { eventsOfRows, rowsOfEvents } from '../condition/event-selection.js';
import { listSelectedRows } from '../condition/selected-rows.js';
import type { EntityValues } from '../items/entity-values.js';
import type { QueryRun } from '../query-run.js';
import type { BatchSize } from './batch-size.js';
import type { FeedSelection } from './feed-selection.js';
import type { InputReader } from './input-reader.js';
import type { RowBatch } from './row-batches.js';
import { type RowSet, rowList, rowRange } from './row-set.js';

/** A batch of events of one segment of the column. */
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
  /** By input: the column that it reads of the events' entities; absent = none. */
  readonly entityValues?: readonly (EntityValues | null)[];
}

/**
 * Yields the events that pass the feed's tests and belong to entities set in `rows`; null for a segment without any.
 * Throws 9005, 9006.
 */
export function* feedBatches(
  { selection, rows, batchSize, entityValues = [] }: FeedSource,
  columnId: number,
  inputs: readonly Input[],
  reader: InputReader,
  run: QueryRun,
): Generator<RowBatch | null, undefined> {
  const { segments } = selection;
  const values = reader.eventsOf(columnId);
  const read = (index: number, segment: number, rowSet: RowSet, entityRows: Uint32Array): Vector => {
    const column = entityValues[index] ?? null;
    if (column !== null) return column.read(entityRows);
    const input = inputs[index];
    invariant(
      (input.from === 'event-value' || input.from === 'event-date') && input.columnId === columnId,
      'aggregates of a feed read only its events',
    );
    const arrays = reader.arraysOf(index);
    return input.from === 'event-value'
      ? values.valuesAt(segment, rowSet, arrays)
      : values.datesAt(segment, rowSet, arrays);
  };
  for (let index = 0; index < segments.length; index++) {
    run.check();
    const segment = segments[index];
    const selected = eventsOfRows(segment, selection.select(index), rows);
    const { count, isRange } = selected;
    if (count === 0) {
      yield null;
      continue;
    }
    const list = isRange ? null : new Uint32Array(count);
    if (list !== null) listSelectedRows(segment.arena, selected, list);
    // For a range this is a view of the segment, which stays valid; for a bitmap, the next selection overwrites the
    // list.
    const entityRows = isRange ? rowsOfEvents(segment, selected) : rowsOfEvents(segment, selected).slice();
    for (let from = 0, to = 0; from < count; from = to) {
      to = Math.min(from + batchSize.next(), count);
      const rowSet =
        list === null ? rowRange(selected.from + from, to - from) : rowList(list.subarray(from, to));
      const entities = entityRows.subarray(from, to);
      yield new FeedBatch(entities, (input) => read(input, index, rowSet, entities));
    }
  }
}
