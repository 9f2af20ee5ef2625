/**
 * Scans the passing values of a level over the rows of a filter, as entries (row, value number).
 * Invariants  a scan returns each entry once, even if lists or events repeat values. Entries come in batches of at
 *             most SEGMENT_ROWS_MAX, in arrays that the scan reuses after the sink returns.
 */
import { grownWithin, invariant, type MemoryAccount, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { ValueTest } from '../../ir/index.js';
import type { DimensionShard, EntitySegment, LatestColumn, ListColumn } from '../../storage/index.js';
import { selectAttribute } from '../condition/attribute-leaf.js';
import { PreparedTest } from '../condition/value-test.js';
import type { QueryRun } from '../query-run.js';
import { passesAll } from './chosen-values.js';
import { dropAbsent, type EntrySink } from './entries.js';
import { eachEventValue } from './event-values.js';
import { ABSENT, type ColumnSource, type Numbering, type ReversibleNumbering } from './numbering.js';
import type { RowFilter } from './row-filter.js';
import { itemViewOf, viewOf } from './value-view.js';

export interface LevelScan {
  readonly shard: DimensionShard;
  readonly source: ColumnSource;
  readonly tests: readonly ValueTest[];
  readonly filter: RowFilter;
  readonly memory: MemoryAccount;
  readonly run: QueryRun;
}

/** Whether an entity has at most one value of the source. */
export function isSingleValued(shard: DimensionShard, source: ColumnSource): boolean {
  return (
    source.from === 'attribute' &&
    shard.segments.every((segment) => segment.list(source.columnId) === undefined)
  );
}

/**
 * Calls `sink` with every entry. Values known to a partial numbering pass the scan's tests, so the tests may be
 * applied before or after numbering. Throws 9005 and 9006.
 */
export function eachValue(
  walk: LevelScan,
  numbering: Numbering | ReversibleNumbering,
  sink: EntrySink,
): void {
  const { shard, source, tests, filter, memory, run } = walk;
  if (source.from === 'events') {
    const event = { columnId: source.columnId, window: source.window, tests };
    eachEventValue(shard, event, filter, numbering, memory, run, sink);
    return;
  }
  const dictionary = shard.dictionaries.get(source.columnId);
  const prepared = tests.map((test) => new PreparedTest(test, dictionary, run));
  try {
    new AttributeScan(walk, prepared, numbering, sink).run();
  } finally {
    for (const test of prepared) test.release();
  }
}

/** Selects the rows of a segment whose latest value passes, like RowFilter.select. */
export function selectValues(
  filter: RowFilter,
  index: number,
  segment: EntitySegment,
  column: LatestColumn,
  columnId: number,
  tests: readonly PreparedTest[],
): number {
  const count = filter.select(index);
  if (count === 0 || (tests.length === 0 && column.presentCount === segment.rowCount)) return count;
  return filter.and(segment.rowCount, count, selectAttribute(segment, columnId, tests, false));
}

class AttributeScan {
  readonly #walk: LevelScan;
  readonly #tests: readonly PreparedTest[];
  readonly #numbering: Numbering | ReversibleNumbering;
  readonly #sink: EntrySink;
  readonly #segmentRows: Uint32Array;
  /** Positions of items. */
  readonly #indices: Uint32Array;
  readonly #rows: Uint32Array;
  readonly #numbers: Uint32Array;
  /** For lists, by number: the last row that had the value, plus 1. */
  #lastRows: Uint32Array<ArrayBuffer>;
  /** For lists with tests, by number: 0 = unknown, PASSES or FAILS. */
  #verdicts = new Uint8Array(0);

  constructor(
    walk: LevelScan,
    tests: readonly PreparedTest[],
    numbering: Numbering | ReversibleNumbering,
    sink: EntrySink,
  ) {
    this.#walk = walk;
    this.#tests = tests;
    this.#numbering = numbering;
    this.#sink = sink;
    const { memory } = walk;
    const longest = walk.shard.segments.reduce((most, { rowCount }) => Math.max(most, rowCount), 0);
    const buffers = Array.from({ length: 4 }, () => memory.u32(longest));
    [this.#segmentRows, this.#indices, this.#rows, this.#numbers] = buffers;
    this.#lastRows = memory.u32(0);
  }

  run(): void {
    const { shard, source, filter } = this.#walk;
    shard.segments.forEach((segment, index) => {
      const latest = segment.latest(source.columnId);
      if (latest !== undefined) {
        if (latest.presentCount > 0) this.#latest(segment, index, latest);
        return;
      }
      const list = segment.list(source.columnId);
      if (list !== undefined && list.presentCount > 0) {
        const count = filter.select(index);
        if (count > 0) this.#list(segment, index, list, count);
      }
    });
  }

  #latest(segment: EntitySegment, index: number, column: LatestColumn): void {
    const { rowCount } = segment;
    const { source, filter } = this.#walk;
    invariant(column.kind === source.kind, `column ${source.columnId} is not of kind ${source.kind}`);
    const segmentRows = this.#segmentRows;
    const rows = this.#rows;
    const count = selectValues(filter, index, segment, column, source.columnId, this.#tests);
    if (count === 0) return;
    filter.listRows(rowCount, count, segmentRows);
    const base = index << SEGMENT_ROWS_SHIFT;
    for (let at = 0; at < count; at++) rows[at] = base + segmentRows[at];
    this.#numbering.number(viewOf(column, rowCount), segmentRows, count, this.#numbers);
    const left = this.#numbering.isPartial ? dropAbsent(rows, this.#numbers, count) : count;
    if (left > 0) this.#sink(rows, this.#numbers, left);
  }

  #list({ rowCount }: EntitySegment, index: number, list: ListColumn, count: number): void {
    const { source, filter } = this.#walk;
    invariant(list.kind === source.kind, `column ${source.columnId} is not of kind ${source.kind}`);
    const { starts, counts } = list;
    const segmentRows = this.#segmentRows;
    filter.listRows(rowCount, count, segmentRows);
    const rows = this.#rows;
    const indices = this.#indices;
    let filled = 0;
    for (let at = 0; at < count; at++) {
      const segmentRow = segmentRows[at];
      const row = (index << SEGMENT_ROWS_SHIFT) + segmentRow;
      const end = starts[segmentRow] + counts[segmentRow];
      for (let item = starts[segmentRow]; item < end; item++) {
        rows[filled] = row;
        indices[filled++] = item;
        if (filled === indices.length) {
          this.#items(list, filled);
          filled = 0;
        }
      }
    }
    if (filled > 0) this.#items(list, filled);
  }

  /** Emits the gathered items: each one that passes, once per row. */
  #items(list: ListColumn, count: number): void {
    const rows = this.#rows;
    const numbers = this.#numbers;
    this.#numbering.number(itemViewOf(list), this.#indices, count, numbers);
    this.#lastRows = grownWithin(this.#walk.memory, this.#lastRows, this.#numbering.count);
    const lastRows = this.#lastRows;
    const tested = this.#tests.length > 0 && !this.#numbering.isPartial;
    if (tested) this.#growVerdicts();
    let selectedCount = 0;
    for (let at = 0; at < count; at++) {
      const number = numbers[at];
      if (number === ABSENT) continue;
      const row = rows[at];
      if (lastRows[number] === row + 1) continue;
      lastRows[number] = row + 1;
      if (tested && !this.#passes(number)) continue;
      rows[selectedCount] = row;
      numbers[selectedCount++] = number;
    }
    if (selectedCount > 0) this.#sink(rows, numbers, selectedCount);
  }

  #growVerdicts(): void {
    this.#verdicts = grownWithin(this.#walk.memory, this.#verdicts, this.#numbering.count);
  }

  #passes(number: number): boolean {
    const known = this.#verdicts[number];
    if (known !== 0) return known === PASSES;
    const item = (this.#numbering as ReversibleNumbering).itemOf(number);
    const passes = passesAll(this.#tests, this.#walk.source.kind, item);
    this.#verdicts[number] = passes ? PASSES : FAILS;
    return passes;
  }
}

const PASSES = 1;
const FAILS = 2;
