/**
 * The rows of a SELECT within one shard: which they are, stage by stage, and batches of them.
 *   condition   segment by segment, by kernels        events   those that pass, by the rows of their entities
 *   filter, inner joins   batch by batch; the filter first, unless it reads what is joined
 * Invariant: a batch lies within one segment of entities, or holds events of a feed from one segment of events.
 */
import { SEGMENT_ROWS_MASK, SEGMENT_ROWS_MAX, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import { compile, type Evaluate, trueRows } from '../../expression/index.js';
import type { SelectPlan } from '../../ir/index.js';
import { type Arena, BITMAP_BYTES, type DimensionShard } from '../../storage/index.js';
import { HeldMemory } from '../held-memory.js';
import type { QueryRun } from '../query-run.js';
import { EventRows, type SortedEvents } from './event-rows.js';
import { feedBatches } from './feed-batches.js';
import type { ShardFigures } from './figures.js';
import { InputReader } from './input-reader.js';
import { type JoinedTable, NOT_FOUND } from './join-lookup.js';
import { readsJoined, ShardJoins } from './joins.js';
import { BATCH_ROWS_MAX, type RowBatch } from './row-batches.js';
import { listedPlaces, placesFrom, type RowPlaces } from './row-places.js';
import { type BatchSource, SegmentBatch } from './segment-batch.js';
import { placesOfBitmap, SegmentRows } from './segment-rows.js';
import type { TopBound } from './top-bound.js';

/** Segments of events that are put into order at a time, where not all are needed at once. */
const EVENT_SEGMENTS_MAX = 16;

export class ShardRows {
  readonly #dimension: DimensionShard;
  readonly #plan: SelectPlan;
  readonly #run: QueryRun;
  readonly #figures: ShardFigures;
  /** Which kernels select. */
  readonly #kernels: string;
  readonly #held: HeldMemory;
  readonly #selection: SegmentRows;
  readonly #source: BatchSource;
  readonly #reader: InputReader;
  readonly #joins: ShardJoins;
  readonly #filter: Evaluate | null;
  readonly #filterReadsJoined: boolean;
  readonly #eventRows: EventRows | null;
  /** The entities that satisfy the condition; undefined = not worked out yet. */
  #selected: Uint8Array | null | undefined;
  /** The entities that pass all stages, where the condition alone does not say it. */
  #passed: Uint8Array | null = null;
  /** By segment of the plan's events: the rows of their entities. */
  #owners: readonly Uint32Array[] | null = null;
  /** The segment that `batches` reads. */
  #segment = 0;

  /** `tables`: one per join. `release` must be called at the end. Throws 9005, 9006. */
  constructor(
    dimension: DimensionShard,
    plan: SelectPlan,
    tables: readonly JoinedTable[],
    scratch: Arena,
    run: QueryRun,
    figures: ShardFigures,
  ) {
    this.#dimension = dimension;
    this.#plan = plan;
    this.#run = run;
    this.#figures = figures;
    this.#kernels = scratch.kernels.name;
    this.#held = new HeldMemory(run);
    this.#filter = plan.filter === null ? null : compile(plan.filter, this.#held);
    this.#filterReadsJoined = readsJoined(plan.filter, plan);
    this.#joins = new ShardJoins(plan, tables, run);
    this.#reader = new InputReader(dimension, plan.inputs, scratch, run);
    this.#source = { inputs: plan.inputs, reader: this.#reader, joins: this.#joins };
    this.#eventRows = plan.events === null ? null : new EventRows(dimension, plan.events, run);
    this.#selection = new SegmentRows(dimension, plan.condition, scratch, run);
  }

  /** Above the row of every entity. */
  get rowEnd(): number {
    return this.#dimension.rowEnd;
  }

  /**
   * The rows that pass all stages; the first batch has `firstRows` at most. `bound`: those that it leaves out may be missing.
   * Throws 6000, 9005, 9006.
   */
  *batches(
    firstRows: number = BATCH_ROWS_MAX,
    bound: TopBound | null = null,
  ): Generator<SegmentBatch, undefined> {
    const passed = this.#newPassed();
    for (const batch of this.#eventRows === null
      ? this.#entities(firstRows, bound)
      : this.#events(this.#eventRows, firstRows)) {
      this.#run.check();
      const passing = this.#passing(batch);
      if (passing === null) continue;
      if (passed !== null) mark(passing.entityRows, passed);
      yield passing;
    }
    if (passed !== null) this.#passed = passed;
  }

  /** Room for the entities that pass, if feeds ask for them and they are not known yet. */
  #newPassed(): Uint8Array | null {
    const { feeds, filter, joins } = this.#plan;
    const decides = filter !== null || joins.some(({ kind }) => kind === 'inner');
    if (feeds.length === 0 || !decides || this.#passed !== null) return null;
    const bytes = this.#dimension.segments.length * BITMAP_BYTES;
    this.#held.take(bytes);
    return new Uint8Array(bytes);
  }

  /** Entities that satisfy the condition, segment by segment. */
  *#entities(firstRows: number, bound: TopBound | null): Generator<SegmentBatch> {
    const { segments } = this.#dimension;
    const looked = { none: 0, whole: 0, some: 0 };
    let behind = 0;
    const list = new Uint32Array(segments.reduce((most, { rowCount }) => Math.max(most, rowCount), 0));
    let room = Math.min(firstRows, BATCH_ROWS_MAX);
    try {
      for (let index = 0; index < segments.length; index++) {
        this.#segment = index;
        const { rowCount } = segments[index];
        if (bound?.skips(segments[index]) === true) {
          behind++;
          continue;
        }
        const start = this.#figures.start();
        const selected = this.#selection.select(index);
        const count = bound?.narrow(segments[index], selected, this.#selection.bitmap) ?? selected;
        if (count > 0 && count < rowCount) placesOfBitmap(this.#selection.bitmap, rowCount, list);
        this.#figures.add('scan', start, selected);
        looked[count === 0 ? 'none' : count === rowCount ? 'whole' : 'some']++;
        for (let from = 0; from < count; ) {
          const rows = Math.min(room, count - from);
          const places =
            count === rowCount ? placesFrom(from, rows) : listedPlaces(list.subarray(from, from + rows));
          yield this.#batch(index, places, null);
          from += rows;
          room = Math.min(room * 2, BATCH_ROWS_MAX);
        }
      }
    } finally {
      this.#figures.note('scan', [
        `${looked.none + looked.whole + looked.some} of ${segments.length} segments looked at`,
        ...(behind === 0 ? [] : [`${behind} behind the first rows`]),
        `${looked.none} without a row`,
        `${looked.whole} taken whole`,
        `${this.#kernels} kernels`,
      ]);
    }
  }

  #batch(segment: number, places: RowPlaces, events: Uint32Array | null): SegmentBatch {
    return new SegmentBatch(this.#source, { segment, places, events });
  }

  /** Events that pass, of entities that satisfy the condition. */
  *#events(events: EventRows, firstRows: number): Generator<SegmentBatch> {
    const { segmentCount } = events;
    const batchRows = { room: Math.min(firstRows, BATCH_ROWS_MAX) };
    // An entity is to stand in one place only where something is said of it: where rows are grouped.
    let step = this.#plan.grouping === null ? 1 : segmentCount;
    for (let from = 0; from < segmentCount; ) {
      const start = this.#figures.start();
      const sorted = events.sorted(from, from + step, this.#selectedRows());
      this.#figures.add('scan', start, sorted.events.length);
      yield* this.#eventBatches(sorted, batchRows);
      from += step;
      step = Math.min(step * 2, EVENT_SEGMENTS_MAX);
    }
    this.#figures.note('scan', [`${segmentCount} segments of events`]);
  }

  *#eventBatches({ events, ends }: SortedEvents, batchRows: { room: number }): Generator<SegmentBatch> {
    const { segments } = this.#dimension;
    for (let index = 0; index < segments.length; index++) {
      const first = index * SEGMENT_ROWS_MAX;
      const end = ends[first + segments[index].rowCount - 1];
      for (let from = first === 0 ? 0 : ends[first - 1], row = first; from < end; ) {
        const rows = Math.min(batchRows.room, end - from);
        const list = new Uint32Array(rows);
        for (let at = 0; at < rows; at++) {
          while (ends[row] <= from + at) row++;
          list[at] = row - first;
        }
        yield this.#batch(index, listedPlaces(list), events.subarray(from, from + rows));
        from += rows;
        batchRows.room = Math.min(batchRows.room * 2, BATCH_ROWS_MAX);
      }
    }
  }

  #selectedRows(): Uint8Array | null {
    if (this.#selected === undefined) this.#selected = this.#selection.all();
    return this.#selected;
  }

  /** What the filter and the joins leave of the batch; null = nothing. */
  #passing(batch: SegmentBatch): SegmentBatch | null {
    let kept = this.#filterReadsJoined ? batch : this.#filtered(batch);
    const { joins } = this.#plan;
    for (let join = 0; join < joins.length && kept !== null; join++) {
      const start = this.#figures.start();
      const found = kept.joined(join);
      if (joins[join].kind === 'inner') kept = narrowed(kept, positionsFound(found));
      this.#figures.add('join', start, kept?.count ?? 0);
    }
    return kept !== null && this.#filterReadsJoined ? this.#filtered(kept) : kept;
  }

  #filtered(batch: SegmentBatch): SegmentBatch | null {
    if (this.#filter === null) return batch;
    const start = this.#figures.start();
    const kept = narrowed(batch, trueRows(this.#filter(batch)));
    this.#figures.add('filter', start, kept?.count ?? 0);
    return kept;
  }

  /**
   * The events that pass feed `feed`, of all entities that pass all stages: their values and dates alone can be read.
   * Throws 6000, 9005, 9006.
   */
  *feedBatches(feed: number): Generator<RowBatch, undefined> {
    const { filter, joins, feeds, inputs } = this.#plan;
    let rows: Uint8Array | null;
    if (filter === null && joins.every(({ kind }) => kind === 'left')) rows = this.#selectedRows();
    else {
      if (this.#passed === null) for (const _ of this.batches());
      rows = this.#passed;
    }
    const batches = feedBatches(this.#dimension, feeds[feed], rows, inputs, this.#reader, this.#run);
    try {
      for (;;) {
        const start = this.#figures.start();
        const { value: batch } = batches.next();
        this.#figures.add('scan events', start, batch?.count ?? 0);
        if (batch === undefined) return;
        yield batch;
      }
    } finally {
      batches.return(undefined);
    }
  }

  /** Rows that passed, read again: ascending, of events each with its event (see SegmentBatch). Throws 6000, 9005, 9006. */
  *rowsAt(rows: Uint32Array, events: Uint32Array | null): Generator<SegmentBatch, undefined> {
    for (let from = 0; from < rows.length; ) {
      this.#run.check();
      const segment = rows[from] >>> SEGMENT_ROWS_SHIFT;
      let to = from;
      while (to < rows.length && to - from < BATCH_ROWS_MAX && rows[to] >>> SEGMENT_ROWS_SHIFT === segment)
        to++;
      const list = rows.slice(from, to);
      for (let at = 0; at < list.length; at++) list[at] &= SEGMENT_ROWS_MASK;
      yield this.#batch(segment, listedPlaces(list), events?.subarray(from, to) ?? null);
      from = to;
    }
  }

  /** The row of the entity of one of the plan's events. */
  entityRowOf(event: number): number {
    this.#owners ??= this.#ownersOfEvents();
    return this.#owners[event >>> SEGMENT_ROWS_SHIFT][event & SEGMENT_ROWS_MASK];
  }

  #ownersOfEvents(): Uint32Array[] {
    const columnId = this.#plan.events?.columnId;
    const table = columnId === undefined ? undefined : this.#dimension.events.get(columnId);
    return (table?.segments ?? []).map((segment) => segment.placesUpTo(segment.eventCount).rows);
  }

  /**
   * Lets go of what must not be held between the parts of a SELECT (see SegmentRows), in the midst of `batches` or behind
   * it: `again` = `rowsAt` may still ask for any row.
   */
  rest(again: boolean): void {
    const inOrder = !again && this.#eventRows === null;
    const { segments } = this.#dimension;
    this.#selection.settle(this.#selected === undefined ? this.#segment + 1 : segments.length);
    this.#reader.settle(inOrder ? this.#segment : 0);
  }

  release(): void {
    this.#selection.release();
    this.#reader.release();
    this.#joins.release();
    this.#eventRows?.release();
    this.#held.release();
  }
}

/** The rows of the batch at those positions; null = none. */
function narrowed(batch: SegmentBatch, positions: Uint32Array): SegmentBatch | null {
  if (positions.length === batch.count) return batch;
  return positions.length === 0 ? null : batch.narrowed(positions);
}

function positionsFound(found: Int32Array): Uint32Array {
  const positions = new Uint32Array(found.length);
  let count = 0;
  for (let at = 0; at < found.length; at++) if (found[at] !== NOT_FOUND) positions[count++] = at;
  return positions.subarray(0, count);
}

/** Sets the bits of the rows. */
function mark(rows: Uint32Array, bitmap: Uint8Array): void {
  for (let at = 0; at < rows.length; at++) bitmap[rows[at] >>> 3] |= 1 << (rows[at] & 7);
}
