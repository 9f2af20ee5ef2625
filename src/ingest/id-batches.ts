/** Batches of entities without values. */
import { hashBytes, shardOf } from '../base/index.js';
import { type Batch, batchBytes, encodeBatch } from '../column/index.js';

export interface ShardBatchBytes {
  readonly shard: number;
  readonly dimensionId: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Encoded batches of entities with these IDs, which are in stored form: one per shard that has any, ascending. */
export function batchesOfIds(
  ids: readonly string[],
  dimensionId: number,
  shardCount: number,
): readonly ShardBatchBytes[] {
  const byShard: { bytes: Buffer; hash: number }[][] = Array.from({ length: shardCount }, () => []);
  for (const id of ids) {
    const bytes = Buffer.from(id, 'utf8');
    const hash = hashBytes(bytes, 0, bytes.length) >>> 0;
    byShard[shardOf(hash, shardCount)].push({ bytes, hash });
  }
  return byShard.flatMap((own, shard) => {
    if (own.length === 0) return [];
    const idOffsets = new Uint32Array(own.length + 1);
    own.forEach(({ bytes }, row) => {
      idOffsets[row + 1] = idOffsets[row] + bytes.length;
    });
    const batch: Batch = {
      dimensionId,
      rowCount: own.length,
      idHashes: Uint32Array.from(own, ({ hash }) => hash),
      idOffsets,
      idBytes: Buffer.concat(own.map(({ bytes }) => bytes)),
      sections: [],
    };
    const buffer = new ArrayBuffer(batchBytes(batch));
    encodeBatch(batch, buffer, 0);
    return [{ shard, dimensionId, bytes: new Uint8Array(buffer) }];
  });
}
