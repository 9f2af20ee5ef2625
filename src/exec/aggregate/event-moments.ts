/** Adds the values of a level's events to their entities' groups, by bucket of their dates. */
import type { EventTest } from '../../ir/index.js';
import type { DimensionShard, EventSegment } from '../../storage/index.js';
import {
  datesOfEvents,
  EventSelection,
  eventsOfRows,
  type SelectedEvents,
} from '../condition/event-selection.js';
import type { QueryRun } from '../query-run.js';
import { type BucketScale, ONE_BUCKET } from './bucket-scale.js';
import type { GroupJoin } from './group-join.js';
import type { MomentSink } from './moment-table.js';
import type { RowFilter } from './row-filter.js';
import { addSelected, valuesAt } from './selected-values.js';
import type { BatchBuffers } from './value-batch.js';

/** The rows whose values are added, and their destination: group key = group x scale.bucketCount + bucket. */
export interface MomentTarget {
  readonly filter: RowFilter;
  /** null = all rows of the filter are in group 0. */
  readonly join: GroupJoin | null;
  readonly scale: BucketScale;
  readonly sink: MomentSink;
  readonly buffers: BatchBuffers;
}

/** Throws 9005 and 9006. */
export function addEvents(
  shard: DimensionShard,
  event: EventTest,
  target: MomentTarget,
  run: QueryRun,
): void {
  const events = new EventSelection(shard, event, run);
  try {
    for (const segment of events.table?.segments ?? []) {
      run.check();
      if (!events.mayMatch(segment)) continue;
      // Read before events are selected: both use the arenas' scratch bitmaps.
      const rows = target.filter.bitmap;
      const matching = events.select(segment);
      const selected = rows === null ? matching : eventsOfRows(segment, matching, rows);
      if (selected.count > 0) addSelectedEvents(segment, selected, target);
    }
  } finally {
    events.release();
  }
}

function addSelectedEvents(segment: EventSegment, selected: SelectedEvents, target: MomentTarget): void {
  const { join, scale, sink, buffers } = target;
  if (join !== null) {
    const segmentRows = buffers.list(segment.arena, selected);
    const rows = buffers.gatherRows(segment, segmentRows);
    join.each(rows, segmentRows, (segmentRows, groups) => addGrouped(segment, segmentRows, groups, target));
  } else if (scale === ONE_BUCKET) addSelected(segment, selected, sink, buffers);
  else {
    const values = valuesAt(segment, selected, sink, buffers);
    const dates = datesOfEvents(segment, selected);
    scale.eachRun(dates, segment.sealed, (bucket, from, to) => sink.addRun(bucket, values, from, to));
  }
}

function addGrouped(
  segment: EventSegment,
  segmentRows: Uint32Array,
  groups: Uint32Array,
  { scale, sink, buffers }: MomentTarget,
): void {
  const values = sink.requiresValues ? buffers.gather(segment, segmentRows) : null;
  if (scale === ONE_BUCKET) {
    sink.addEach(groups, values, 0, groups.length);
    return;
  }
  const { bucketCount } = scale;
  const groupKeys = buffers.groupKeys();
  const dates = buffers.gatherDates(segment, segmentRows);
  scale.eachRun(dates, segment.sealed, (bucket, from, to) => {
    for (let entry = from; entry < to; entry++) groupKeys[entry] = groups[entry] * bucketCount + bucket;
    sink.addEach(groupKeys, values, from, to);
  });
}
