/**
 * Moments of a level's values by group and bucket: of latest values, of each item of lists, of each event in the
 * level's window. Values of deleted entities do not count, nor do their events that are still there.
 */
import { invariant, QuarryError } from '../../base/index.js';
import type { MetricStatistic, RoundAsk, RoundPartial, ValueSource } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { EntitySelection } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import { addAttribute } from './attribute-moments.js';
import { ONE_BUCKET, scaleOf } from './bucket-scale.js';
import { CellValues } from './cell-values.js';
import { addEvents, type Target } from './event-moments.js';
import { GroupJoin } from './group-join.js';
import type { RowGroups } from './group-rows.js';
import { addIds, idValues } from './id-moments.js';
import { MomentTable } from './moment-table.js';
import { RowFilter } from './row-filter.js';
import { BatchBuffers } from './value-batch.js';

type MomentsAsk = Extract<RoundAsk, { asks: 'moments' }>;

/** Cells are numbered by u32. */
const CELLS_MAX = 2 ** 32;

/** `groups` null: the selected entities are one group. Throws 9005 and 9006. */
export function momentsOf(
  shard: DimensionShard,
  selection: EntitySelection,
  groups: RowGroups | null,
  ask: MomentsAsk,
  run: QueryRun,
): RoundPartial {
  const { source } = ask.level;
  const scale = source.from === 'events' ? scaleOf(ask.buckets, source.window) : ONE_BUCKET;
  const cellCount = (groups?.groupCount ?? 1) * scale.bucketCount;
  if (cellCount > CELLS_MAX) throw new QuarryError(9006, `the query has ${cellCount} groups and intervals`);
  const filter = new RowFilter(shard, selection, groups?.members ?? null, run);
  const buffers = new BatchBuffers(run);
  const join = groups === null ? null : new GroupJoin(shard, groups, run);
  try {
    return momentsOfCells(shard, ask, cellCount, { filter, join, scale, buffers }, run);
  } finally {
    join?.release();
    buffers.release();
    filter.release();
  }
}

function momentsOfCells(
  shard: DimensionShard,
  { level: { source, tests }, moment }: MomentsAsk,
  cellCount: number,
  target: Omit<Target, 'sink'>,
  run: QueryRun,
): RoundPartial {
  if (source.from === 'entity-id' && moment === 'values') return idValues(shard, tests, target, run);
  const sink = sinkOf(shard, source, moment, cellCount, run);
  switch (source.from) {
    case 'entity-id':
      addIds(shard, tests, { ...target, sink }, run);
      break;
    case 'attribute':
      addAttribute(shard, source.columnId, tests, { ...target, sink }, run);
      break;
    case 'events': {
      const { columnId, window } = source;
      addEvents(shard, { columnId, window, tests }, { ...target, sink }, run);
      break;
    }
  }
  return sink.result();
}

function sinkOf(
  shard: DimensionShard,
  source: ValueSource,
  moment: MetricStatistic,
  cellCount: number,
  run: QueryRun,
): MomentTable | CellValues {
  if (moment === 'values' && source.from !== 'entity-id') {
    return new CellValues(shard, source, cellCount, run);
  }
  const isNumber = source.from !== 'entity-id' && source.kind !== 'code' && source.kind !== 'geo';
  invariant(moment !== 'values' && (isNumber || moment === 'count'), `such values have no moment ${moment}`);
  return new MomentTable(moment, cellCount, run);
}
