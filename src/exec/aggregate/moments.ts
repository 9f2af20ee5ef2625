/**
 * Computes moments of a level's values by group and bucket: of latest values, of each list item, or of each event in
 * the level's window. Values and remaining events of deleted entities do not count.
 */
import { invariant, QuarryError } from '../../base/index.js';
import type { MetricStatistic, RoundPartial, RoundRequest, ValueSource } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { EntitySelection } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import { addAttribute } from './attribute-moments.js';
import { bucketScaleOf, ONE_BUCKET } from './bucket-scale.js';
import { addEvents, type MomentTarget } from './event-moments.js';
import { GroupJoin } from './group-join.js';
import type { GroupsOfRows } from './group-rows.js';
import { GroupValueCounts } from './group-value-counts.js';
import { addIds, idValues } from './id-moments.js';
import { MomentTable } from './moment-table.js';
import { RowFilter } from './row-filter.js';
import { BatchBuffers } from './value-batch.js';

type MomentsRequest = Extract<RoundRequest, { kind: 'moments' }>;

/** Group keys are u32. */
const SLOTS_MAX = 2 ** 32;

/** `groups` null: the selected entities are one group. Throws 9005 and 9006. */
export function momentsOf(
  shard: DimensionShard,
  selection: EntitySelection,
  groups: GroupsOfRows | null,
  request: MomentsRequest,
  run: QueryRun,
): RoundPartial {
  const { source } = request.level;
  const scale = source.from === 'events' ? bucketScaleOf(request.buckets, source.window) : ONE_BUCKET;
  const groupKeyCount = (groups?.groupCount ?? 1) * scale.bucketCount;
  if (groupKeyCount > SLOTS_MAX)
    throw new QuarryError(9006, `the query has ${groupKeyCount} groups and intervals`);
  const filter = new RowFilter(shard, selection, groups?.members ?? null, run);
  const buffers = new BatchBuffers(run);
  const join = groups === null ? null : new GroupJoin(shard, groups, run);
  try {
    return addMoments(shard, request, groupKeyCount, { filter, join, scale, buffers }, run);
  } finally {
    join?.release();
    buffers.release();
    filter.release();
  }
}

function addMoments(
  shard: DimensionShard,
  { level: { source, tests }, moment }: MomentsRequest,
  groupKeyCount: number,
  target: Omit<MomentTarget, 'sink'>,
  run: QueryRun,
): RoundPartial {
  if (source.from === 'entity-id' && moment === 'values') return idValues(shard, tests, target, run);
  const sink = createSink(shard, source, moment, groupKeyCount, run);
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

function createSink(
  shard: DimensionShard,
  source: ValueSource,
  moment: MetricStatistic,
  groupKeyCount: number,
  run: QueryRun,
): MomentTable | GroupValueCounts {
  if (moment === 'values' && source.from !== 'entity-id') {
    return new GroupValueCounts(shard, source, groupKeyCount, run);
  }
  const isNumber = source.from !== 'entity-id' && source.kind !== 'code' && source.kind !== 'geo';
  invariant(moment !== 'values' && (isNumber || moment === 'count'), `such values have no moment ${moment}`);
  return new MomentTable(moment, groupKeyCount, run);
}
