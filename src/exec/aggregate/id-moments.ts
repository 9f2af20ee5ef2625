/** Counts the entities of each group, or returns their IDs as values that occur once. */
import { grownWithin, SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { ValueCounts, ValueList, ValueTest } from '../../ir/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import { EntitySelection } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import type { MomentTarget } from './event-moments.js';
import type { VisitGrouped } from './group-join.js';
import { chosenRows } from './selected-values.js';
import { appendTexts, emptyTexts } from './value-texts.js';

/** Adds each entity whose ID passes to its groups. Throws 9005 and 9006. */
export function addIds(
  shard: DimensionShard,
  tests: readonly ValueTest[],
  target: MomentTarget,
  run: QueryRun,
): void {
  const { join, sink } = target;
  eachSegment(shard, tests, target, run, (_index, segmentRows, groups) => {
    if (join === null) sink.addRun(0, null, 0, segmentRows.length);
    else sink.addEach(groups, null, 0, groups.length);
  });
}

/** The IDs that pass, with their group keys. Throws 9005 and 9006. */
export function idValues(
  shard: DimensionShard,
  tests: readonly ValueTest[],
  target: Omit<MomentTarget, 'sink'>,
  run: QueryRun,
): ValueCounts {
  const memory = run.child();
  let rows = memory.u32(0);
  let groupKeys = memory.u32(0);
  let count = 0;
  eachSegment(shard, tests, target, run, (index, segmentRows, groups) => {
    const end = count + segmentRows.length;
    rows = grownWithin(memory, rows, end);
    const base = index << SEGMENT_ROWS_SHIFT;
    for (let at = 0; at < segmentRows.length; at++) rows[count + at] = base + segmentRows[at];
    groupKeys = grownWithin(memory, groupKeys, end);
    groupKeys.set(groups, count);
    count = end;
  });
  run.reserve(count * 12);
  const answer: ValueCounts = {
    answers: 'values',
    values: idsOf(shard, rows.subarray(0, count), run),
    counts: new Float64Array(count).fill(1),
    groupKeys: target.join === null ? null : groupKeys.slice(0, count),
    restMax: 0,
  };
  memory.releaseAll();
  return answer;
}

/** Calls `visit` with entities whose ID passes, as rows of a segment, and their groups (none without a join). */
function eachSegment(
  shard: DimensionShard,
  tests: readonly ValueTest[],
  { filter, join, buffers }: Omit<MomentTarget, 'sink'>,
  run: QueryRun,
  visit: (index: number, ...entries: Parameters<VisitGrouped>) => void,
): void {
  const passing = tests.length === 0 ? null : rowsById(shard, tests, filter.arena, run);
  shard.segments.forEach((segment, index) => {
    const chosen = chosenRows(segment, index, filter, buffers);
    const rows = buffers.rows();
    const base = index << SEGMENT_ROWS_SHIFT;
    let count = 0;
    for (let at = 0; at < chosen.length; at++) {
      const segmentRow = chosen[at];
      const row = base + segmentRow;
      if (passing !== null && ((passing[row >>> 3] >> (row & 7)) & 1) === 0) continue;
      rows[count] = row;
      chosen[count++] = segmentRow;
    }
    if (count === 0) return;
    const segmentRows = chosen.subarray(0, count);
    if (join === null) visit(index, segmentRows, NO_GROUPS);
    else
      join.each(rows.subarray(0, count), segmentRows, (segmentRows, groups) =>
        visit(index, segmentRows, groups),
      );
  });
  if (passing !== null) run.release(passing.length);
}

const NO_GROUPS = new Uint32Array(0);

/** The entities whose ID passes, as a bitmap over the shard's rows. Its bytes are reserved in the query's memory. */
function rowsById(
  shard: DimensionShard,
  tests: readonly ValueTest[],
  scratch: Arena,
  run: QueryRun,
): Uint8Array {
  const passing = new EntitySelection(shard, { op: 'entity-id', tests }, scratch, run);
  try {
    return passing.bitmap();
  } finally {
    passing.release();
  }
}

/** The IDs of rows of the shard, which must ascend by segment. Throws 9006. */
function idsOf(shard: DimensionShard, rows: Uint32Array, run: QueryRun): ValueList {
  let bytes = 0;
  eachRun(rows, (index, segmentRows) => {
    const { offsets } = shard.segments[index].ids();
    for (let at = 0; at < segmentRows.length; at++)
      bytes += offsets[segmentRows[at] + 1] - offsets[segmentRows[at]];
  });
  const texts = emptyTexts(rows.length, bytes, run);
  eachRun(rows, (index, segmentRows, done) => {
    const ids = shard.segments[index].ids();
    appendTexts(texts, done, segmentRows, segmentRows.length, ids.offsets, ids.bytes);
  });
  return texts;
}

/** Calls `visit` for each run of rows of one segment, with the rows in the segment and the number of preceding rows. */
function eachRun(
  rows: Uint32Array,
  visit: (index: number, segmentRows: Uint32Array, done: number) => void,
): void {
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const index = rows[from] >>> SEGMENT_ROWS_SHIFT;
    while (to < rows.length && rows[to] >>> SEGMENT_ROWS_SHIFT === index) to++;
    visit(
      index,
      rows.slice(from, to).map((row) => row & SEGMENT_ROWS_MASK),
      from,
    );
  }
}
