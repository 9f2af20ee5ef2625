/**
 * The rows of a SELECT within one shard: a pipeline that yields batches.
 *   condition             segment by segment, by kernels
 *   events                events that pass, sorted by the rows of their entities
 *   filter, inner joins   batch by batch; the filter first, unless it reads joined columns
 * Invariant  a batch belongs to one segment of entities, or holds events of a feed from one segment of events.
 */
import {
  type MemoryAccount,
  SEGMENT_ROWS_MASK,
  SEGMENT_ROWS_MAX,
  SEGMENT_ROWS_SHIFT,
} from '../../base/index.js';
import { compile, type Evaluate, trueRows } from '../../expression/index.js';
import type { SelectPlan } from '../../ir/index.js';
import type { Arena, DimensionShard, EntitySegment } from '../../storage/index.js';
import { newShardBitmap } from '../condition/shard-bitmap.js';
import type { NearestOf } from '../extract/nearest-points.js';
import { type JoinedTable, NOT_FOUND } from '../join/join-lookup.js';
import { readsJoined, ShardJoins } from '../join/joins.js';
import type { QueryRun } from '../query-run.js';
import type { TopBound } from '../sort/top-bound.js';
import { BatchSize } from './batch-size.js';
import { EventRows, type SortedEvents } from './event-rows.js';
import { feedBatches } from './feed-batches.js';
import { FeedSelection } from './feed-selection.js';
import { InputReader } from './input-reader.js';
import type { ShardOperatorStats } from './operator-stats.js';
import { BATCH_ROWS_MAX, type RowBatch } from './row-batches.js';
import { type RowSet, rowList, rowRange } from './row-set.js';
import { type BatchSource, SegmentBatch } from './segment-batch.js';
import { type RemainingRows, SegmentFilters } from './segment-filters.js';
import { rowsOfBitmap, SegmentRows } from './segment-rows.js';

/** Event segments that are sorted at a time, unless all are needed at once. */
const EVENT_SEGMENTS_MAX = 16;

export class ShardRows {
  readonly #dimension: DimensionShard;
  readonly #plan: SelectPlan;
  readonly #run: QueryRun;
  readonly #stats: ShardOperatorStats;
  /** Filters of the shard's columns that joins of the plan, or joins above it, provide. */
  #filters: SegmentFilters;
  /** The name of the kernels that scan the rows. */
  readonly #kernels: string;
  readonly #account: MemoryAccount;
  readonly #selection: SegmentRows;
  readonly #source: BatchSource;
  readonly #reader: InputReader;
  readonly #joins: ShardJoins;
  readonly #filter: Evaluate | null;
  readonly #filterReadsJoined: boolean;
  readonly #eventRows: EventRows | null;
  /** The entities that satisfy the condition; undefined = not yet computed. */
  #selected: Uint8Array | null | undefined;
  /** The entities that pass all stages, if the condition alone does not determine them. */
  #passed: Uint8Array | null = null;
  /** By segment of the plan's events: the rows of their entities. */
  #owners: readonly Uint32Array[] | null = null;
  /** The segment that `batches` is reading; -1 = it does not read them in stored order. */
  #segment = 0;
  readonly #batchSize = new BatchSize();
  /** Rows of that segment, as positions within the segment. */
  #list = new Uint32Array(0);
  /** The selection of the feed that is being read. */
  #feed: FeedSelection | null = null;

  /** `tables`: one per join. `release` must be called at the end. Throws 9005, 9006. */
  constructor(
    dimension: DimensionShard,
    plan: SelectPlan,
    tables: readonly JoinedTable[],
    scratch: Arena,
    run: QueryRun,
    stats: ShardOperatorStats,
  ) {
    this.#dimension = dimension;
    this.#plan = plan;
    this.#run = run;
    this.#stats = stats;
    this.#kernels = scratch.kernels.name;
    this.#account = run.child();
    this.#filter = plan.filter === null ? null : compile(plan.filter, this.#account);
    this.#filterReadsJoined = readsJoined(plan.filter, plan);
    this.#joins = new ShardJoins(plan, tables, run);
    this.#filters = new SegmentFilters();
    this.#joins.addFilters(plan, this.#filters);
    this.#reader = new InputReader(dimension, plan.inputs, scratch, run);
    this.#source = { inputs: plan.inputs, reader: this.#reader, joins: this.#joins };
    this.#eventRows = plan.events === null ? null : new EventRows(dimension, plan.events, run);
    this.#selection = new SegmentRows(dimension, plan.condition, scratch, run);
  }

  /** Exclusive upper limit of the entity rows. */
  get rowEnd(): number {
    return this.#dimension.rowEnd;
  }

  /**
   * Yields the rows that pass all stages, step by step (null = a step without rows). The first batch has at most
   * `firstRows` rows. Rows that `bound` or `filters` exclude may be omitted. Throws 6000, 9005, 9006.
   */
  *batches(
    firstRows: number = BATCH_ROWS_MAX,
    bound: TopBound | null = null,
    filters: SegmentFilters | null = null,
  ): Generator<SegmentBatch | null, undefined> {
    const passed = this.#passedBitmap();
    if (filters !== null) this.#filters = filters;
    this.#batchSize.startWith(firstRows);
    for (const batch of this.#eventRows === null ? this.#entities(bound) : this.#events(this.#eventRows)) {
      this.#run.check();
      const passing = batch === null ? null : this.#passing(batch);
      if (passing !== null && passed !== null) mark(passing.entityRows, passed);
      yield passing;
    }
    if (passed !== null) this.#passed = passed;
  }

  /** Whether a filter or inner join, and not only the condition, determines which entities pass. */
  get #hasFilterOrInnerJoin(): boolean {
    const { filter, joins } = this.#plan;
    return filter !== null || joins.some(({ kind }) => kind === 'inner');
  }

  /** A bitmap for the entities that pass, if feeds need it and it is not yet known. */
  #passedBitmap(): Uint8Array | null {
    if (this.#plan.feeds.length === 0 || !this.#hasFilterOrInnerJoin || this.#passed !== null) return null;
    return newShardBitmap(this.#dimension, this.#account);
  }

  /** Yields entities that satisfy the condition, segment by segment; null for a segment without any. */
  *#entities(bound: TopBound | null): Generator<SegmentBatch | null> {
    const { segments } = this.#dimension;
    const segmentCounts = { none: 0, whole: 0, some: 0 };
    let skippedSegments = 0;
    const order = bound?.inOrder(segments) ?? null;
    try {
      for (let at = 0; at < segments.length; at++) {
        const index = order === null ? at : order[at];
        this.#segment = order === null ? index : -1;
        const { rowCount } = segments[index];
        if (bound?.skips(segments[index]) === true) {
          skippedSegments++;
          continue;
        }
        const start = this.#stats.start();
        const selected = this.#filters.mayPass(segments[index]) ? this.#selection.select(index) : 0;
        const count = bound?.narrow(segments[index], selected, this.#selection.bitmap) ?? selected;
        this.#stats.add('scan', start, selected);
        segmentCounts[count === 0 ? 'none' : count === rowCount ? 'whole' : 'some']++;
        if (count === 0) yield null;
        else yield* this.#entitiesOf(index, count, bound);
      }
    } finally {
      this.#stats.note('scan', [
        `${segmentCounts.none + segmentCounts.whole + segmentCounts.some} of ${segments.length} segments scanned`,
        ...(skippedSegments === 0 ? [] : [`${skippedSegments} skipped by the top-N bound`]),
        `${segmentCounts.none} without matching rows`,
        `${segmentCounts.whole} matched entirely`,
        `${this.#kernels} kernels`,
      ]);
    }
  }

  /**
   * Yields the `selected` rows of a segment. If `bound` becomes known during the iteration, it is applied to the
   * remaining rows.
   */
  *#entitiesOf(index: number, selected: number, bound: TopBound | null): Generator<SegmentBatch> {
    const segment = this.#dimension.segments[index];
    // Other segments may be selected during the iteration, which overwrites the bitmap.
    let unbounded = bound === null || bound.isKnown ? null : this.#selection.bitmap.slice();
    let { rows: list, count } = this.#remaining(segment, selected);
    // Groups read all rows; about as many of each segment.
    const scannedRows = this.#plan.grouping === null ? 0 : count * this.#dimension.segments.length;
    for (let from = 0; from < count; ) {
      const rows = Math.min(this.#batchSize.next(), count - from);
      const rowSet = list === null ? rowRange(from, rows) : rowList(list.subarray(from, from + rows));
      yield this.#batch(index, rowSet, null, scannedRows);
      from += rows;
      if (unbounded === null || bound === null || from === count || !bound.isKnown) continue;
      const next = list === null ? from : list[from];
      const left = bound.narrow(segment, selected, unbounded);
      if (left < count) {
        list = this.#listed(unbounded, left, segment);
        count = left;
        from = 0;
        while (from < count && list[from] < next) from++;
      }
      unbounded = null;
    }
  }

  /** The selected rows that pass the filters. */
  #remaining(segment: EntitySegment, count: number): RemainingRows {
    const rows = count === segment.rowCount ? null : this.#listed(this.#selection.bitmap, count, segment);
    if (this.#filters.isEmpty) return { rows, count };
    const start = this.#stats.start();
    if (this.#list.length < count) this.#list = new Uint32Array(segment.rowCount);
    const remaining = this.#filters.keep(segment, { rows, count }, this.#list, (columnId) =>
      this.#reader.textsOf(columnId),
    );
    this.#stats.add('key filters', start, remaining.count);
    return remaining;
  }

  /** The `count` rows of the bitmap; valid until the next call. */
  #listed(bitmap: Uint8Array<ArrayBuffer>, count: number, { rowCount }: EntitySegment): Uint32Array {
    if (this.#list.length < count) this.#list = new Uint32Array(Math.min(rowCount, count * 2));
    rowsOfBitmap(bitmap, rowCount, this.#list);
    return this.#list;
  }

  /** `scannedRows`: see RowSource; 0 = not known. */
  #batch(segment: number, rowSet: RowSet, events: Uint32Array | null, scannedRows = 0): SegmentBatch {
    return new SegmentBatch(this.#source, { segment, rowSet, events }, scannedRows);
  }

  /** Yields the events that pass and belong to entities that satisfy the condition; null for segments without any. */
  *#events(events: EventRows): Generator<SegmentBatch | null> {
    const { segmentCount } = events;
    // An entity's events must be adjacent only if rows are grouped: then all segments are sorted at once.
    let step = this.#plan.grouping === null ? 1 : segmentCount;
    for (let from = 0; from < segmentCount; ) {
      const start = this.#stats.start();
      const sorted = events.sorted(from, from + step, this.selectedRows());
      this.#stats.add('scan', start, sorted.events.length);
      if (sorted.events.length === 0) yield null;
      else yield* this.#eventBatches(sorted);
      from += step;
      step = Math.min(step * 2, EVENT_SEGMENTS_MAX);
    }
    this.#stats.note('scan', [`${segmentCount} event segments`]);
  }

  *#eventBatches({ events, ends }: SortedEvents): Generator<SegmentBatch> {
    const { segments } = this.#dimension;
    for (let index = 0; index < segments.length; index++) {
      const first = index * SEGMENT_ROWS_MAX;
      const end = ends[first + segments[index].rowCount - 1];
      for (let from = first === 0 ? 0 : ends[first - 1], row = first; from < end; ) {
        const rows = Math.min(this.#batchSize.next(), end - from);
        const list = new Uint32Array(rows);
        for (let at = 0; at < rows; at++) {
          while (ends[row] <= from + at) row++;
          list[at] = row - first;
        }
        yield this.#batch(index, rowList(list), events.subarray(from, from + rows));
        from += rows;
      }
    }
  }

  /** See GroupSource. */
  selectedRows(): Uint8Array | null {
    if (this.#selected === undefined) {
      // Afterwards the condition is not evaluated again.
      if (!this.#selection.isWhole) this.#selection.settle(0);
      this.#selected = this.#selection.all();
    }
    return this.#selected;
  }

  /** Applies the filter and the joins to the batch; null = no row passes. */
  #passing(batch: SegmentBatch): SegmentBatch | null {
    let passing = this.#filterReadsJoined ? batch : this.#filtered(batch);
    const { joins } = this.#plan;
    for (let join = 0; join < joins.length && passing !== null; join++) {
      const start = this.#stats.start();
      const found = passing.joined(join);
      if (joins[join].kind === 'inner') passing = narrowed(passing, foundPositions(found));
      this.#stats.add('join', start, passing?.count ?? 0);
    }
    return passing !== null && this.#filterReadsJoined ? this.#filtered(passing) : passing;
  }

  #filtered(batch: SegmentBatch): SegmentBatch | null {
    if (this.#filter === null) return batch;
    const start = this.#stats.start();
    const passing = narrowed(batch, trueRows(this.#filter(batch)));
    this.#stats.add('filter', start, passing?.count ?? 0);
    return passing;
  }

  /**
   * Yields the events of feed `feed` that belong to entities which pass all stages; only their values and dates can
   * be read. null = a step without events. Throws 6000, 9005, 9006.
   */
  *feedBatches(feed: number): Generator<RowBatch | null, undefined> {
    const { feeds, inputs } = this.#plan;
    if (this.#hasFilterOrInnerJoin && this.#passed === null) for (const _ of this.batches());
    const rows = this.#hasFilterOrInnerJoin ? this.#passed : this.selectedRows();
    const selection = new FeedSelection(this.#dimension, feeds[feed], this.#run);
    this.#feed = selection;
    const source = { selection, rows, batchSize: this.#batchSize };
    const batches = feedBatches(source, feeds[feed].columnId, inputs, this.#reader, this.#run);
    try {
      for (;;) {
        const start = this.#stats.start();
        const { value: batch } = batches.next();
        this.#stats.add('scan events', start, batch?.count ?? 0);
        if (batch === undefined) return;
        yield batch;
      }
    } finally {
      this.#feed = null;
      selection.release();
    }
  }

  /**
   * Reads rows again that passed before: ascending, and with `events` each row's event (see SegmentBatch). Throws
   * 6000, 9005, 9006.
   */
  *rowsAt(rows: Uint32Array, events: Uint32Array | null): Generator<SegmentBatch, undefined> {
    this.#reader.expect(rows);
    for (let from = 0; from < rows.length; ) {
      this.#run.check();
      const segment = rows[from] >>> SEGMENT_ROWS_SHIFT;
      let to = from;
      while (to < rows.length && to - from < BATCH_ROWS_MAX && rows[to] >>> SEGMENT_ROWS_SHIFT === segment)
        to++;
      const list = rows.slice(from, to);
      for (let at = 0; at < list.length; at++) list[at] &= SEGMENT_ROWS_MASK;
      yield this.#batch(segment, rowList(list), events?.subarray(from, to) ?? null);
      from = to;
    }
    this.#reader.expect(null);
  }

  /** Provides the nearest events of the rows that are read from now on. */
  sortedBy(nearest: NearestOf): void {
    this.#reader.sortedBy(nearest);
  }

  /** The entity row of one of the plan's events. */
  entityRowOf(event: number): number {
    this.#owners ??= this.#ownersOfEvents();
    return this.#owners[event >>> SEGMENT_ROWS_SHIFT][event & SEGMENT_ROWS_MASK];
  }

  #ownersOfEvents(): Uint32Array[] {
    const columnId = this.#plan.events?.columnId;
    const table = columnId === undefined ? undefined : this.#dimension.events.get(columnId);
    return (table?.segments ?? []).map((segment) => segment.datesAndRows(segment.eventCount).rows);
  }

  /**
   * Releases all arena memory between the parts of a SELECT (see SegmentRows), during or after `batches` or
   * `feedBatches`. `again` = `rowsAt` may still request any row; `isCut` = a slice ended.
   */
  rest(again = false, isCut = true): void {
    const inOrder = !again && this.#eventRows === null;
    const { segments } = this.#dimension;
    // Feeds read the rows of all segments again.
    if (this.#plan.feeds.length > 0 && !this.#hasFilterOrInnerJoin) this.selectedRows();
    this.#selection.settle(this.#eventRows === null ? this.#segment + 1 : segments.length);
    this.#reader.settle(inOrder ? Math.max(this.#segment, 0) : 0);
    this.#feed?.settle();
    if (isCut) this.#batchSize.rest();
  }

  release(): void {
    this.#selection.release();
    this.#reader.release();
    this.#joins.release();
    this.#eventRows?.release();
    this.#account.releaseAll();
  }
}

/** The rows of the batch at the given positions; null = none. */
function narrowed(batch: SegmentBatch, positions: Uint32Array): SegmentBatch | null {
  if (positions.length === batch.count) return batch;
  return positions.length === 0 ? null : batch.narrowed(positions);
}

function foundPositions(found: Int32Array): Uint32Array {
  const positions = new Uint32Array(found.length);
  let count = 0;
  for (let at = 0; at < found.length; at++) if (found[at] !== NOT_FOUND) positions[count++] = at;
  return positions.subarray(0, count);
}

/** Sets the bits of the rows. */
function mark(rows: Uint32Array, bitmap: Uint8Array): void {
  for (let at = 0; at < rows.length; at++) bitmap[rows[at] >>> 3] |= 1 << (rows[at] & 7);
}
