/**
 * Checkpoints: when one is due, and its course over all lanes.
 * Crash safety  a checkpoint only adds files until the manifest is swapped; before that the old manifest with the
 * log is the store, after it the new one. Log files and old snapshot files go only after the swap.
 */
import { type Catalog, catalogToPlain } from '../catalog/index.js';
import type { Manifest, SnapshotFileEntry } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { removeUnreferenced, swapManifest } from '../recovery/index.js';
import type { Log } from '../wal/index.js';
import type { LaneApi } from './lane.js';

export interface CheckpointContext {
  readonly fs: FileSystem;
  readonly dir: string;
  readonly log: Log;
  readonly lanes: readonly LaneApi[];
  readonly storeId: string;
  readonly shardCount: number;
  readonly nowMs: number;
}

/**
 * Writes the state at `lsn` (the last record that was sent to the lanes) and swaps the manifest. Must be called in
 * the turn in which that record was sent, so that all lanes begin at the same place in line.
 */
export async function takeCheckpoint(
  { fs, dir, log, lanes, storeId, shardCount, nowMs }: CheckpointContext,
  lsn: number,
  catalog: Catalog,
): Promise<Manifest> {
  const models = [...catalog.databases.values()];
  await Promise.all(lanes.map((lane) => lane.send('checkpoint-begin', { lsn, models })));
  // Every lane must be through, also when another one fails: the next checkpoint's steps must not meet these.
  const written = await Promise.allSettled(lanes.map(writeLane));
  const files = written.flatMap((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  // With durability interval or none, records that the snapshot holds may not be on disk yet.
  await log.sync();
  const manifest: Manifest = {
    storeId,
    checkpointLsn: lsn,
    shardCount,
    createdMs: nowMs,
    catalog: catalogToPlain(catalog),
    files,
  };
  await swapManifest(fs, dir, manifest);
  return manifest;
}

/** Removes what the store needs no more, now that `manifest` is its state on disk. */
export async function removeOld(fs: FileSystem, dir: string, log: Log, manifest: Manifest): Promise<void> {
  await log.dropBefore(manifest.checkpointLsn + 1);
  await removeUnreferenced(fs, dir, manifest);
}

async function writeLane(lane: LaneApi): Promise<readonly SnapshotFileEntry[]> {
  for (;;) {
    const { done, files } = await lane.send('checkpoint-step', {});
    if (done) return files;
  }
}
