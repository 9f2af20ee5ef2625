/** Looks entities up by ID in the shards of one worker. */
import { hashBytes, shardOf } from '../base/index.js';
import type { DimensionKey, Shard } from '../storage/index.js';

/** 1 for each of `ids` (lower-cased) that one of `shards` holds, else 0. */
export function lookUp(
  shards: ReadonlyMap<number, Shard>,
  shardCount: number,
  key: DimensionKey,
  ids: readonly string[],
): Uint8Array {
  const found = new Uint8Array(ids.length);
  ids.forEach((id, index) => {
    const bytes = Buffer.from(id, 'utf8');
    const hash = hashBytes(bytes, 0, bytes.length);
    const dimension = shards.get(shardOf(hash, shardCount))?.find(key);
    if (dimension !== undefined && dimension.findRow(hash, bytes, 0, bytes.length) >= 0) found[index] = 1;
  });
  return found;
}
