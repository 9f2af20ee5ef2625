/** Data and memory of a worker by dimension and column, for operators. Cost: reads the sizes of every column. */
import type { DataUse } from '../base/index.js';
import type { DimensionData } from '../protocol/index.js';
import type { DimensionShard, Shard } from '../storage/index.js';

/** One entry per shard and dimension with data. */
export function describeData(shards: Iterable<Shard>): DimensionData[] {
  const described: DimensionData[] = [];
  for (const shard of shards) {
    for (const { databaseId, dimensionId, shard: dimension } of shard.dimensions()) {
      described.push({
        databaseId,
        dimensionId,
        entityCount: dimension.entityCount,
        eventCounts: [...dimension.events.values()].map(({ columnId, eventCount: count }) => ({
          columnId,
          count,
        })),
        memory: memoryOf(dimension),
      });
    }
  }
  return described;
}

/** Memory by use and column. */
function memoryOf(dimension: DimensionShard): DimensionData['memory'] {
  const pieces = new Map<string, { use: DataUse; columnId: number; bytes: number }>();
  dimension.noteMemory((use, columnId, bytes) => {
    const key = `${use} ${columnId}`;
    const piece = pieces.get(key);
    if (piece === undefined) pieces.set(key, { use, columnId, bytes });
    else piece.bytes += bytes;
  });
  return [...pieces.values()];
}
