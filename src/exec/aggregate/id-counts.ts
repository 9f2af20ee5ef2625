/** Counts a level over entity IDs: each ID is the value of one entity. */
import { SEGMENT_ROWS_MASK, SEGMENT_ROWS_MAX, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { ValueCounts, ValueList, ValueTest } from '../../ir/index.js';
import { BITMAP_BYTES, type DimensionShard } from '../../storage/index.js';
import { EntitySelection } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import { type GroupsOfRows, JoinedEntries, PairList } from './group-rows.js';
import type { RowFilter } from './row-filter.js';
import { appendTexts, emptyTexts } from './value-texts.js';

/** Counts one entity in each of its groups for each ID that passes the tests. Throws 9005 and 9006. */
export function countIds(
  shard: DimensionShard,
  tests: readonly ValueTest[],
  filter: RowFilter,
  groups: GroupsOfRows | null,
  memory: QueryRun,
  run: QueryRun,
): ValueCounts {
  const passing = tests.length === 0 ? null : passingIds(shard, tests, filter, memory, run);
  const pairs = new PairList(memory);
  const rows = memory.u32(Math.min(SEGMENT_ROWS_MAX, shard.rowEnd));
  const joined = new JoinedEntries(shard, groups?.groupsOfRowMax ?? 1, memory);
  shard.segments.forEach(({ rowCount }, index) => {
    let count = filter.select(index);
    filter.listRows(rowCount, count, rows);
    if (passing !== null) count = keepSet(rows, count, passing, index * BITMAP_BYTES);
    for (let at = 0; at < count; at++) rows[at] += index << SEGMENT_ROWS_SHIFT;
    if (groups === null) {
      pairs.append(rows, rows, count);
      return;
    }
    for (let from = 0; from < count; ) {
      memory.check();
      from = groups.join(rows, from, count, joined);
      for (let at = 0; at < joined.count; at++) joined.entries[at] = rows[joined.entries[at]];
      pairs.append(joined.entries, joined.groups, joined.count);
    }
  });
  const { count } = pairs;
  run.reserve(count * (groups === null ? 8 : 12));
  return {
    answers: 'values',
    restMax: 0,
    values: idsOf(shard, pairs.rows.subarray(0, count), run),
    counts: new Float64Array(count).fill(1),
    groupKeys: groups === null ? null : pairs.groups.slice(0, count),
  };
}

/** The entities whose ID passes, one bit per row of the shard. */
function passingIds(
  shard: DimensionShard,
  tests: readonly ValueTest[],
  { arena }: RowFilter,
  memory: QueryRun,
  run: QueryRun,
): Uint8Array {
  const selection = new EntitySelection(shard, { op: 'entity-id', tests }, arena, run);
  try {
    const bitmap = selection.bitmap();
    // From here on `memory` accounts for the bitmap and releases it.
    run.release(bitmap.length);
    memory.reserve(bitmap.length);
    return bitmap;
  } finally {
    selection.release();
  }
}

/** Keeps the rows whose bit is set, from byte `from` of the bitmap on. */
function keepSet(segmentRows: Uint32Array, count: number, bitmap: Uint8Array, from: number): number {
  let selectedCount = 0;
  for (let at = 0; at < count; at++) {
    const segmentRow = segmentRows[at];
    segmentRows[selectedCount] = segmentRow;
    selectedCount += (bitmap[from + (segmentRow >> 3)] >> (segmentRow & 7)) & 1;
  }
  return selectedCount;
}

/** The IDs of rows, which must be in nondescending order. */
function idsOf(shard: DimensionShard, rows: Uint32Array, run: QueryRun): ValueList {
  let total = 0;
  eachSegment(rows, (index, from, to) => {
    const { offsets } = shard.segments[index].ids();
    for (let at = from; at < to; at++) {
      const segmentRow = rows[at] & SEGMENT_ROWS_MASK;
      total += offsets[segmentRow + 1] - offsets[segmentRow];
    }
  });
  const texts = emptyTexts(rows.length, total, run);
  eachSegment(rows, (index, from, to) => {
    const { offsets, bytes } = shard.segments[index].ids();
    const segmentRows = rows.slice(from, to);
    for (let at = 0; at < segmentRows.length; at++) segmentRows[at] &= SEGMENT_ROWS_MASK;
    appendTexts(texts, from, segmentRows, segmentRows.length, offsets, bytes);
  });
  return texts;
}

/** Calls `visit` for each run rows[from, to) of one segment. */
function eachSegment(rows: Uint32Array, visit: (index: number, from: number, to: number) => void): void {
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const index = rows[from] >>> SEGMENT_ROWS_SHIFT;
    while (to < rows.length && rows[to] >>> SEGMENT_ROWS_SHIFT === index) to++;
    visit(index, from, to);
  }
}
