/** Restores a store from a backup and, if given, the archive of the log after it, up to an LSN or a time. */
import path from 'node:path';
import { invariant } from '../base/index.js';
import { decodeRecordPayload } from '../format/index.js';
import type { CheckCopy, FileSystem } from '../io/index.js';
import { copyLog, type LogEnd, type LogEntry, LogReplay, listLogFiles } from '../wal/index.js';
import { copyStore } from './copy-store.js';
import { readManifest, requireStore } from './manifest-file.js';
import { checkArchive, tornTailOf } from './restore-archive.js';

/** End of the restored history; null = the last record. */
export type RestoreTarget =
  | { readonly lsn: number }
  /** Milliseconds since 1970-01-01: requests that came later are left out. */
  | { readonly timeMs: number };

export interface Restore {
  readonly fs: FileSystem;
  readonly backup: string;
  /** The folder of --archive-log, or the log folder of a store that no server has open; null = the backup's own log. */
  readonly archive: string | null;
  /** Absent or empty. */
  readonly to: string;
  readonly target: RestoreTarget | null;
  readonly random64: () => bigint;
  readonly check?: CheckCopy;
}

export interface Restored {
  readonly backupLsn: number;
  /** The last record of the restored store. */
  readonly lsn: number;
  /** Time of its request, milliseconds since 1970-01-01; null when the record is in the backup itself. */
  readonly timeMs: number | null;
  readonly snapshotBytes: number;
  /** Later records were left out. */
  readonly isCut: boolean;
  /** The archive's last record when the archive holds no record after the backup, else null. */
  readonly archiveEnd: number | null;
  /** The torn tail of the last log file, which was left out; null = none, or the restored history ends before it. */
  readonly tornTail: LogEnd['tornTail'];
}

/**
 * Resolves when the new store is on disk. Rejects with an Error that says why the target cannot be reached or why `backup`
 * or `archive` is refused, and as copyStore and LogReplay do; then `to` is unchanged or empty.
 */
export async function restoreStore(restore: Restore): Promise<Restored> {
  const { fs, backup, archive, to, target, random64, check } = restore;
  await requireStore(fs, backup);
  const manifest = await readManifest(fs, backup);
  invariant(manifest !== null, 'a store has a manifest');
  const backupLsn = manifest.checkpointLsn;
  checkTarget(target, backupLsn, manifest.createdMs);
  const from = archive ?? path.join(backup, 'log');
  // Every backup has a log, even if it is empty. Without it, the backup may be a copy of a store that lost records.
  if (archive === null) await new LogReplay({ fs, dir: from, fromLsn: backupLsn + 1 }).files();
  const ownManifest = archive === null ? manifest : null;
  const trustsTimes = target === null || 'timeMs' in target;
  const archiveEnd =
    archive === null ? null : await checkArchive({ fs, dir: archive, manifest, trustsTimes });
  let lsn = backupLsn;
  let timeMs: number | null = null;
  let isCut = false;
  const wants = (entry: LogEntry): boolean => {
    if (target !== null && 'lsn' in target && entry.lsn > target.lsn) return false;
    const recordMs = decodeRecordPayload(entry.payload).timeMs;
    if (target !== null && 'timeMs' in target && recordMs > target.timeMs) return false;
    timeMs = recordMs;
    return true;
  };
  const fillLog = async (logDir: string): Promise<number | null> => {
    const cut = { fs, from, to: logDir, fromLsn: backupLsn + 1, manifest: ownManifest, wants, check };
    const copied = await copyLog(cut);
    ({ lastLsn: lsn, isCut } = copied);
    if (target !== null && 'lsn' in target && lsn < target.lsn) {
      throw new Error(
        `there is no record ${target.lsn}: the last one is ${lsn}, in ${await lastFile(fs, from)}`,
      );
    }
    return lsn > backupLsn ? lsn : null;
  };
  const snapshotBytes = await copyStore({ fs, from: backup, to, manifest, random64, check }, fillLog);
  const tornTail = isCut ? null : await tornTailOf(fs, from);
  return { backupLsn, lsn, timeMs, snapshotBytes, isCut, archiveEnd, tornTail };
}

function checkTarget(target: RestoreTarget | null, backupLsn: number, createdMs: number): void {
  if (target === null) return;
  if ('lsn' in target && target.lsn < backupLsn) {
    throw new Error(
      `the backup contains everything up to LSN ${backupLsn}; LSN ${target.lsn} requires an earlier backup`,
    );
  }
  if ('timeMs' in target && target.timeMs < createdMs) {
    const [wanted, created] = [target.timeMs, createdMs].map((ms) => new Date(ms).toISOString());
    throw new Error(`the backup was taken at ${created}; ${wanted} requires an earlier backup`);
  }
}

async function lastFile(fs: FileSystem, dir: string): Promise<string> {
  const files = await listLogFiles(fs, dir);
  return files[files.length - 1]?.path ?? dir;
}
