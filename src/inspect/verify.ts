/** Checks a whole store: every checksum of the manifest, the snapshot files and the log, without changing a byte. */
import { CorruptionError } from '../base/index.js';
import { createLz4, decodeRecordPayload, listFilesOf, type Manifest } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { readDeduplicationFile, readLineKeyFile, readManifest, readSnapshotFile } from '../recovery/index.js';
import { LogReplay } from '../wal/index.js';

export interface VerifyReport {
  readonly checkpointLsn: number;
  readonly snapshotFileCount: number;
  readonly snapshotBytes: number;
  readonly recordCount: number;
  readonly logBytes: number;
  readonly lastLsn: number;
  /** Bytes of an unfinished last write, which the next start truncates. */
  readonly tornTailBytes: number;
  /** All faults found; empty for a sound store. */
  readonly faults: readonly string[];
}

/** Receives the progress of a check. */
export interface VerifyProgress {
  /** Called once, with the number of bytes to read. */
  readonly begins: (bytes: number) => void;
  readonly read: (bytes: number) => void;
}

/** Checks the store in `dir`, which no process may have open. Rejects with errors of the disk itself. */
export async function verifyStore(
  fs: FileSystem,
  dir: string,
  progress: VerifyProgress = { begins: () => {}, read: () => {} },
): Promise<VerifyReport> {
  const faults: string[] = [];
  const guard = async <T>(check: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      faults.push(error.message);
      return otherwise;
    }
  };
  const manifest = await guard(() => readManifest(fs, dir), null);
  const files = manifest?.files ?? [];
  const store = { fs, dir, lz4: createLz4() };
  let snapshotBytes = 0;
  progress.begins(await bytesToRead(fs, dir, manifest));
  for (const entry of files) {
    await guard(async () => void (await readSnapshotFile(store, entry)), undefined);
    snapshotBytes += entry.bytes;
    progress.read(entry.bytes);
  }
  const lists = manifest === null ? [] : listFilesOf(manifest);
  for (const list of lists) {
    const read = list === manifest?.once ? readDeduplicationFile : readLineKeyFile;
    await guard(() => read(fs, dir, list, () => {}), undefined);
    snapshotBytes += list.bytes;
  }
  const log = { recordCount: 0, logBytes: 0, lastLsn: manifest?.checkpointLsn ?? 0, tornTailBytes: 0 };
  // Without a valid manifest it is unknown where the log must begin.
  if (faults.length === 0 || manifest !== null) {
    await guard(async () => {
      const replay = new LogReplay({ fs, dir: `${dir}/log`, fromLsn: log.lastLsn + 1, manifest });
      for await (const { lsn, payload } of replay) {
        decodeRecordPayload(payload);
        log.recordCount++;
        log.logBytes += payload.length;
        progress.read(payload.length);
        log.lastLsn = lsn;
      }
      log.tornTailBytes = replay.end.tornTail?.bytes ?? 0;
    }, undefined);
  }
  return {
    checkpointLsn: manifest?.checkpointLsn ?? 0,
    snapshotFileCount: files.length + lists.length,
    snapshotBytes,
    ...log,
    faults,
  };
}

/** Bytes of the snapshot and of the log files after it; the latter include space without records. */
async function bytesToRead(fs: FileSystem, dir: string, manifest: Manifest | null): Promise<number> {
  const snapshot = manifest?.files.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;
  const replay = new LogReplay({ fs, dir: `${dir}/log`, fromLsn: (manifest?.checkpointLsn ?? 0) + 1 });
  // A missing file is reported when the log is read.
  const files = await replay.files().catch(() => []);
  return files.reduce((sum, { bytes }) => sum + bytes, snapshot);
}
