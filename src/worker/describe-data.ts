/** What a lane holds, dimension by dimension and column by column: for an operator who looks. Walks every column. */
import type { DataUse } from '../base/index.js';
import type { DimensionData } from '../protocol/index.js';
import type { DimensionShard, Shard } from '../storage/index.js';

/** One entry per dimension that a shard holds something of; those of several shards stand side by side. */
export function describeData(shards: Iterable<Shard>): DimensionData[] {
  const described: DimensionData[] = [];
  for (const shard of shards) {
    for (const { databaseId, dimensionId, shard: held } of shard.dimensions()) {
      described.push({
        databaseId,
        dimensionId,
        entityCount: held.entityCount,
        eventCounts: [...held.events.values()].map(({ columnId, eventCount: count }) => ({
          columnId,
          count,
        })),
        memory: memoryOf(held),
      });
    }
  }
  return described;
}

/** Pieces of one use and column as one. */
function memoryOf(held: DimensionShard): DimensionData['memory'] {
  const pieces = new Map<string, { use: DataUse; columnId: number; bytes: number }>();
  held.noteMemory((use, columnId, bytes) => {
    const key = `${use} ${columnId}`;
    const piece = pieces.get(key);
    if (piece === undefined) pieces.set(key, { use, columnId, bytes });
    else piece.bytes += bytes;
  });
  return [...pieces.values()];
}
