/** Loads all data of a snapshot into workers with another shard count; see recovery/repartition.ts. */
import { batchBytes, encodeBatch } from '../../column/index.js';
import { createLz4, type Manifest, type SnapshotFileEntry } from '../../format/index.js';
import type { FileSystem } from '../../io/index.js';
import { batchesOfShard } from '../../recovery/index.js';
import type { WorkerApi } from '../workers/worker-client.js';

const WAITING_MAX = 16;

/** Resolves when the workers have loaded all data of the manifest's files. */
export async function repartitionInto(
  workers: readonly WorkerApi[],
  { fs, dir }: { readonly fs: FileSystem; readonly dir: string },
  manifest: Manifest,
  shardCount: number,
): Promise<void> {
  const store = { fs, dir, lz4: createLz4() };
  let waiting: Promise<unknown>[] = [];
  for (const files of filesByShard(manifest.files)) {
    for await (const { databaseId, shard, batch } of batchesOfShard(store, files, shardCount)) {
      const buffer = new SharedArrayBuffer(batchBytes(batch));
      const byteLength = encodeBatch(batch, buffer, 0);
      const worker = workers[shard % workers.length];
      waiting.push(
        worker.send('apply', {
          records: [{ databaseId, buffer, batches: [{ shard, offset: 0, byteLength }] }],
        }),
      );
      if (waiting.length < WAITING_MAX) continue;
      await Promise.all(waiting);
      waiting = [];
    }
  }
  await Promise.all(waiting);
}

/** The files of each dimension in each of the old shards. */
function filesByShard(files: readonly SnapshotFileEntry[]): Iterable<SnapshotFileEntry[]> {
  const groups = new Map<string, SnapshotFileEntry[]>();
  for (const file of files) {
    const key = `${file.databaseId}/${file.dimensionId}/${file.shard}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [file]);
    else group.push(file);
  }
  return groups.values();
}
