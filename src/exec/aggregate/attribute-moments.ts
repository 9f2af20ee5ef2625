/** Adds the values of a level's attribute column, or the items of its lists, to their entities' groups. */
import { SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { ValueTest } from '../../ir/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import type { DimensionShard, EntitySegment, LatestColumn, ListColumn } from '../../storage/index.js';
import { selectAttribute } from '../condition/attribute-leaf.js';
import { NO_ROWS, type SelectedRows } from '../condition/selected-rows.js';
import { PreparedTest } from '../condition/value-test.js';
import type { QueryRun } from '../query-run.js';
import type { MomentTarget } from './event-moments.js';
import { addSelected, chosenRows } from './selected-values.js';
import { BATCH_MAX } from './value-batch.js';

/** Attribute values have no dates: the target's bucket scale is ignored. Throws 9005 and 9006. */
export function addAttribute(
  shard: DimensionShard,
  columnId: number,
  tests: readonly ValueTest[],
  target: MomentTarget,
  run: QueryRun,
): void {
  const dictionary = shard.dictionaries.get(columnId);
  const prepared = tests.map((test) => new PreparedTest(test, dictionary, run));
  try {
    shard.segments.forEach((segment, index) => {
      const latest = segment.latest(columnId);
      const list = segment.list(columnId);
      if (latest !== undefined) addLatest(segment, index, columnId, latest, prepared, target);
      else if (list !== undefined) addItems(segment, index, list, prepared, target);
    });
  } finally {
    for (const test of prepared) test.release();
  }
}

function addLatest(
  segment: EntitySegment,
  index: number,
  columnId: number,
  column: LatestColumn,
  tests: readonly PreparedTest[],
  target: MomentTarget,
): void {
  const { join, sink, buffers } = target;
  const selected = selectedValues(segment, index, columnId, column, tests, target);
  if (selected.count === 0) return;
  if (join === null) {
    addSelected(column, selected, sink, buffers);
    return;
  }
  const segmentRows = buffers.list(column.arena, selected);
  const rows = buffers.rows().subarray(0, segmentRows.length);
  const base = index << SEGMENT_ROWS_SHIFT;
  for (let at = 0; at < segmentRows.length; at++) rows[at] = base + segmentRows[at];
  join.each(rows, segmentRows, (segmentRows, groups) => {
    sink.addEach(groups, sink.requiresValues ? buffers.gather(column, segmentRows) : null, 0, groups.length);
  });
}

/** Selects the filter's rows whose value passes the tests; a bitmap is in the column's arena. */
function selectedValues(
  segment: EntitySegment,
  index: number,
  columnId: number,
  { arena }: LatestColumn,
  tests: readonly PreparedTest[],
  { filter }: MomentTarget,
): SelectedRows {
  const { rowCount } = segment;
  // The filter may overwrite scratch bitmaps of the column's arena, so it runs first.
  const chosen = filter.select(index);
  if (chosen === 0) return NO_ROWS;
  const { count, bitmapAt } = selectAttribute(segment, columnId, tests, false);
  if (count === 0) return NO_ROWS;
  const passing = { from: 0, to: rowCount, count, isRange: count === rowCount, start: 0, bitmapAt };
  if (chosen === rowCount) return passing;
  const [out, other] = [arena.scratchBitmap(0), arena.scratchBitmap(1)];
  const rows = filter.arena.u8.subarray(filter.bitmapAt, filter.bitmapAt + bitmapBytes(rowCount));
  if (passing.isRange) {
    arena.u8.set(rows, out);
    return { ...passing, count: chosen, isRange: false, bitmapAt: out };
  }
  arena.u8.set(rows, other);
  const both = arena.kernels.and(bitmapAt, other, rowCount, out);
  return both === 0 ? NO_ROWS : { ...passing, count: both, bitmapAt: out };
}

function addItems(
  segment: EntitySegment,
  index: number,
  list: ListColumn,
  tests: readonly PreparedTest[],
  target: MomentTarget,
): void {
  const segmentRows = chosenRows(segment, index, target.filter, target.buffers);
  const rows = target.buffers.rows();
  const items = target.buffers.items();
  const base = index << SEGMENT_ROWS_SHIFT;
  let count = 0;
  for (let at = 0; at < segmentRows.length; at++) {
    const from = list.starts[segmentRows[at]];
    const to = from + list.counts[segmentRows[at]];
    for (let item = from; item < to; item++) {
      if (tests.length > 0 && !itemPasses(list, item, tests)) continue;
      rows[count] = base + segmentRows[at];
      items[count++] = item;
      if (count < BATCH_MAX) continue;
      addBatch(list, rows, items, target);
      count = 0;
    }
  }
  if (count > 0) addBatch(list, rows.subarray(0, count), items.subarray(0, count), target);
}

function itemPasses(
  { kind, width, items }: ListColumn,
  item: number,
  tests: readonly PreparedTest[],
): boolean {
  const first = items[item * width];
  const second = width === 2 ? items[item * 2 + 1] : 0;
  for (const test of tests) if (test.holdsFor(kind, first, second) === test.negated) return false;
  return true;
}

/** Adds items, given as positions in the list column's heap, of rows of the shard. */
function addBatch(
  list: ListColumn,
  rows: Uint32Array,
  items: Uint32Array,
  { join, sink, buffers }: MomentTarget,
): void {
  if (join === null) {
    sink.addRun(0, sink.requiresValues ? buffers.gatherItems(list, items) : null, 0, items.length);
    return;
  }
  join.each(rows, items, (items, groups) => {
    sink.addEach(groups, sink.requiresValues ? buffers.gatherItems(list, items) : null, 0, groups.length);
  });
}
