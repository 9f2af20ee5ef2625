/**
 * Statistics of the columns of a dimension for the planner: numbers of values, bounds and distinct texts. Read from
 * counters and zone maps, so the cost is that of the segments and columns, not of the rows.
 */
import type { ColumnStatistics, DimensionStatistics } from '../protocol/index.js';
import type { DimensionKey, DimensionShard, Shard } from '../storage/index.js';

/** The statistics of a dimension over these shards together. */
export function describeColumns(shards: Iterable<Shard>, dimension: DimensionKey): DimensionStatistics {
  const columns = new Map<number, ColumnStatistics>();
  let entityCount = 0;
  for (const shard of shards) {
    const part = shard.find(dimension);
    if (part === undefined) continue;
    entityCount += part.entityCount;
    for (const column of columnsOf(part)) addTo(columns, column);
  }
  return { entityCount, columns: [...columns.values()] };
}

function* columnsOf({ segments, dictionaries }: DimensionShard): Generator<ColumnStatistics> {
  for (const segment of segments) {
    for (const [columnId, { kind, presentCount, min, max }] of segment.latestColumns) {
      if (presentCount === 0 || kind === 'geo') continue;
      const bounds = kind === 'bits' ? { min: 0, max: 1 } : { min, max };
      const textCount = kind === 'code' ? (dictionaries.get(columnId)?.codeCount ?? 0) : null;
      yield { columnId, valueCount: presentCount, ...bounds, textCount };
    }
  }
}

/** Texts of several shards are taken for the same ones, which is true where there are few. */
export function addTo(columns: Map<number, ColumnStatistics>, other: ColumnStatistics): void {
  const known = columns.get(other.columnId);
  if (known === undefined) columns.set(other.columnId, other);
  else {
    columns.set(other.columnId, {
      columnId: other.columnId,
      valueCount: known.valueCount + other.valueCount,
      min: Math.min(known.min, other.min),
      max: Math.max(known.max, other.max),
      textCount: known.textCount === null ? null : Math.max(known.textCount, other.textCount ?? 0),
    });
  }
}
