/**
 * Event conditions: finds the entities of a shard with at least `minfreq` matching events.
 * Invariant  the result is a bitmap of the shard (shard-bitmap.ts).
 */
import type { EventTest } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { EventSelection, rowsOfEvents } from './event-selection.js';
import { newShardBitmap } from './shard-bitmap.js';

/** Counts matching events per entity and marks the entities that reach `minfreq`. */
class FrequencyMarker {
  readonly bitmap: Uint8Array;
  readonly #minfreq: number;
  readonly #counts: Uint16Array | null;

  /** Throws 9006. */
  constructor(shard: DimensionShard, minfreq: number, run: QueryRun) {
    if (minfreq > 1) run.reserve(shard.rowEnd * 2);
    this.bitmap = newShardBitmap(shard, run);
    this.#minfreq = minfreq;
    this.#counts = minfreq === 1 ? null : new Uint16Array(shard.rowEnd);
  }

  markAll(rows: Uint32Array): void {
    const { bitmap } = this;
    const counts = this.#counts;
    if (counts === null) {
      for (let at = 0; at < rows.length; at++) bitmap[rows[at] >>> 3] |= 1 << (rows[at] & 7);
      return;
    }
    const minfreq = this.#minfreq;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at];
      if (counts[row] < minfreq && ++counts[row] === minfreq) bitmap[row >>> 3] |= 1 << (row & 7);
    }
  }
}

/** The entities with at least `minfreq` events that pass any of `events`, as a bitmap over the shard's rows. */
export function entitiesWithEvents(
  shard: DimensionShard,
  events: readonly EventTest[],
  minfreq: number,
  run: QueryRun,
): Uint8Array {
  const marker = new FrequencyMarker(shard, minfreq, run);
  for (const event of events) markMatches(shard, event, marker, run);
  return marker.bitmap;
}

function markMatches(shard: DimensionShard, event: EventTest, marker: FrequencyMarker, run: QueryRun): void {
  const events = new EventSelection(shard, event, run);
  try {
    for (const segment of events.table?.segments ?? []) {
      run.check();
      const selected = events.select(segment);
      if (selected.count > 0) marker.markAll(rowsOfEvents(segment, selected));
    }
  } finally {
    events.release();
  }
}
