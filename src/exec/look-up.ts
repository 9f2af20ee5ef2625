/** Looks entities up by ID in the shards of one worker. */
import { hashBytes, shardOf } from '../base/index.js';
import type { Condition } from '../ir/index.js';
import type { Arena, DimensionKey, DimensionShard, Shard } from '../storage/index.js';
import { ShardCondition } from './condition/condition.js';
import type { QueryRun } from './query-run.js';

/**
 * For each of `ids` (in their stored form): 1 if one of `shards` has the ID and its entity satisfies the condition (null =
 * always), else 0. Only segments that contain one of the IDs are evaluated.
 */
export function lookUp(
  shards: ReadonlyMap<number, Shard>,
  shardCount: number,
  key: DimensionKey,
  ids: readonly string[],
  condition: Condition | null,
  scratch: Arena,
  run: QueryRun,
): Uint8Array {
  const found = new Uint8Array(ids.length);
  const byShard = new Map<DimensionShard, { readonly index: number; readonly row: number }[]>();
  ids.forEach((id, index) => {
    const bytes = Buffer.from(id, 'utf8');
    const hash = hashBytes(bytes, 0, bytes.length);
    const dimension = shards.get(shardOf(hash, shardCount))?.find(key);
    const row = dimension?.findRow(hash, bytes, 0, bytes.length) ?? -1;
    if (dimension === undefined || row < 0) return;
    if (condition === null) {
      found[index] = 1;
      return;
    }
    const others = byShard.get(dimension);
    if (others === undefined) byShard.set(dimension, [{ index, row }]);
    else others.push({ index, row });
  });
  if (condition === null) return found;
  for (const [dimension, lookups] of byShard) {
    const prepared = new ShardCondition(dimension, condition, scratch, run);
    try {
      const passed = prepared.holdsFor(lookups.map(({ row }) => row));
      lookups.forEach(({ index }, at) => {
        found[index] = passed[at];
      });
    } finally {
      prepared.release();
    }
  }
  return found;
}
