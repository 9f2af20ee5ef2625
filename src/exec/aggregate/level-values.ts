/**
 * Walks the passing values of a level over the rows of a filter, as entries (row, number of the value).
 * Invariants: no entry comes twice in a walk, whatever lists repeat and events repeat; entries come in batches of at
 * most SEGMENT_ROWS_MAX, in arrays that are the walk's own until the sink returns.
 */
import { grownWithin, invariant, type MemoryAccount, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { ValueTest } from '../../ir/index.js';
import type { DimensionShard, EntitySegment, LatestColumn, ListColumn } from '../../storage/index.js';
import { selectAttribute } from '../condition/attribute-leaf.js';
import { PreparedTest } from '../condition/value-test.js';
import type { QueryRun } from '../query-run.js';
import { passesAll } from './choices.js';
import { dropAbsent, type EntrySink } from './entries.js';
import { eachEventValue } from './event-values.js';
import { ABSENT, type ColumnSource, type Numbering, type OpenNumbering } from './numbering.js';
import type { RowFilter } from './row-filter.js';
import { itemsOf, viewOf } from './value-view.js';

export interface Walk {
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
 * Calls `sink` with every entry. The values that a partial numbering knows pass the walk's tests, so that it does not
 * matter where these are looked at. Throws 9005 and 9006.
 */
export function eachValue(walk: Walk, numbering: Numbering | OpenNumbering, sink: EntrySink): void {
  const { shard, source, tests, filter, memory, run } = walk;
  if (source.from === 'events') {
    const event = { columnId: source.columnId, window: source.window, tests };
    eachEventValue(shard, event, filter, numbering, memory, run, sink);
    return;
  }
  const dictionary = shard.dictionaries.get(source.columnId);
  const prepared = tests.map((test) => new PreparedTest(test, dictionary, run));
  try {
    new AttributeWalk(walk, prepared, numbering, sink).run();
  } finally {
    for (const test of prepared) test.release();
  }
}

/** Chooses the rows of a segment whose latest value passes, as RowFilter.select does. */
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

class AttributeWalk {
  readonly #walk: Walk;
  readonly #tests: readonly PreparedTest[];
  readonly #numbering: Numbering | OpenNumbering;
  readonly #sink: EntrySink;
  readonly #places: Uint32Array;
  /** Of items. */
  readonly #indices: Uint32Array;
  readonly #rows: Uint32Array;
  readonly #numbers: Uint32Array;
  /** By number, of lists: the row that had the value last, plus one. */
  #lastRows: Uint32Array<ArrayBuffer>;
  /** By number, of lists with tests: 0 = not known, PASSES or FAILS. */
  #verdicts = new Uint8Array(0);

  constructor(
    walk: Walk,
    tests: readonly PreparedTest[],
    numbering: Numbering | OpenNumbering,
    sink: EntrySink,
  ) {
    this.#walk = walk;
    this.#tests = tests;
    this.#numbering = numbering;
    this.#sink = sink;
    const { memory } = walk;
    const longest = walk.shard.segments.reduce((most, { rowCount }) => Math.max(most, rowCount), 0);
    const buffers = Array.from({ length: 4 }, () => memory.u32(longest));
    [this.#places, this.#indices, this.#rows, this.#numbers] = buffers;
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
    const places = this.#places;
    const rows = this.#rows;
    const count = selectValues(filter, index, segment, column, source.columnId, this.#tests);
    if (count === 0) return;
    filter.places(rowCount, count, places);
    const base = index << SEGMENT_ROWS_SHIFT;
    for (let at = 0; at < count; at++) rows[at] = base + places[at];
    this.#numbering.number(viewOf(column, rowCount), places, count, this.#numbers);
    const left = this.#numbering.partial ? dropAbsent(rows, this.#numbers, count) : count;
    if (left > 0) this.#sink(rows, this.#numbers, left);
  }

  #list({ rowCount }: EntitySegment, index: number, list: ListColumn, count: number): void {
    const { source, filter } = this.#walk;
    invariant(list.kind === source.kind, `column ${source.columnId} is not of kind ${source.kind}`);
    const { starts, counts } = list;
    const places = this.#places;
    filter.places(rowCount, count, places);
    const rows = this.#rows;
    const indices = this.#indices;
    let filled = 0;
    for (let at = 0; at < count; at++) {
      const place = places[at];
      const row = (index << SEGMENT_ROWS_SHIFT) + place;
      const end = starts[place] + counts[place];
      for (let item = starts[place]; item < end; item++) {
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

  /** Entries of the items that were gathered: each that passes, once per row. */
  #items(list: ListColumn, count: number): void {
    const rows = this.#rows;
    const numbers = this.#numbers;
    this.#numbering.number(itemsOf(list), this.#indices, count, numbers);
    this.#lastRows = grownWithin(this.#walk.memory, this.#lastRows, this.#numbering.count);
    const lastRows = this.#lastRows;
    const tested = this.#tests.length > 0 && !this.#numbering.partial;
    if (tested) this.#growVerdicts();
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const number = numbers[at];
      if (number === ABSENT) continue;
      const row = rows[at];
      if (lastRows[number] === row + 1) continue;
      lastRows[number] = row + 1;
      if (tested && !this.#passes(number)) continue;
      rows[kept] = row;
      numbers[kept++] = number;
    }
    if (kept > 0) this.#sink(rows, numbers, kept);
  }

  #growVerdicts(): void {
    this.#verdicts = grownWithin(this.#walk.memory, this.#verdicts, this.#numbering.count);
  }

  #passes(number: number): boolean {
    const known = this.#verdicts[number];
    if (known !== 0) return known === PASSES;
    const item = (this.#numbering as OpenNumbering).itemOf(number);
    const passes = passesAll(this.#tests, this.#walk.source.kind, item);
    this.#verdicts[number] = passes ? PASSES : FAILS;
    return passes;
  }
}

const PASSES = 1;
const FAILS = 2;
