/** Adds the values of a level's events to the cells of their entities' groups and their dates' buckets. */
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
import type { CellSink } from './moment-table.js';
import type { RowFilter } from './row-filter.js';
import { addPlaces, valuesAt } from './selected-values.js';
import type { BatchBuffers } from './value-batch.js';

/** Whose values are added, and where: cell = group x scale.bucketCount + bucket. */
export interface Target {
  readonly filter: RowFilter;
  /** null = the filter's rows are group 0. */
  readonly join: GroupJoin | null;
  readonly scale: BucketScale;
  readonly sink: CellSink;
  readonly buffers: BatchBuffers;
}

/** Throws 9005 and 9006. */
export function addEvents(shard: DimensionShard, event: EventTest, target: Target, run: QueryRun): void {
  const events = new EventSelection(shard, event, run);
  try {
    for (const segment of events.table?.segments ?? []) {
      run.check();
      if (!events.mayMatch(segment)) continue;
      // Before events are selected: both use the arenas' scratch bitmaps.
      const rows = target.filter.bitmap;
      const matching = events.select(segment);
      const selected = rows === null ? matching : eventsOfRows(segment, matching, rows);
      if (selected.count > 0) addSelected(segment, selected, target);
    }
  } finally {
    events.release();
  }
}

function addSelected(segment: EventSegment, selected: SelectedEvents, target: Target): void {
  const { join, scale, sink, buffers } = target;
  if (join !== null) {
    const places = buffers.list(segment.arena, selected);
    const rows = buffers.gatherRows(segment, places);
    join.each(rows, places, (places, groups) => addGrouped(segment, places, groups, target));
  } else if (scale === ONE_BUCKET) addPlaces(segment, selected, sink, buffers);
  else {
    const values = valuesAt(segment, selected, sink, buffers);
    const dates = datesOfEvents(segment, selected);
    scale.eachRun(dates, segment.sealed, (bucket, from, to) => sink.addRun(bucket, values, from, to));
  }
}

function addGrouped(
  segment: EventSegment,
  places: Uint32Array,
  groups: Uint32Array,
  { scale, sink, buffers }: Target,
): void {
  const values = sink.needsValues ? buffers.gather(segment, places) : null;
  if (scale === ONE_BUCKET) {
    sink.addEach(groups, values, 0, groups.length);
    return;
  }
  const { bucketCount } = scale;
  const cells = buffers.cells();
  const dates = buffers.gatherDates(segment, places);
  scale.eachRun(dates, segment.sealed, (bucket, from, to) => {
    for (let entry = from; entry < to; entry++) cells[entry] = groups[entry] * bucketCount + bucket;
    sink.addEach(cells, values, from, to);
  });
}
