/** A store made from a backup and, where there is one, the archive of the log behind it, up to an LSN or a time. */
import path from 'node:path';
import { invariant } from '../base/index.js';
import { decodeRecordPayload } from '../format/index.js';
import type { CheckCopy, FileSystem } from '../io/index.js';
import { copyLog, type LogEnd, type LogEntry, LogReplay, listLogFiles } from '../wal/index.js';
import { copyStore } from './copy-store.js';
import { readManifest, requireStore } from './manifest-file.js';
import { checkArchive, tornTailOf } from './restore-archive.js';

/** Where the restored history ends; absent = with the last record that there is. */
export type RestoreTarget =
  | { readonly lsn: number }
  /** Milliseconds since 1970-01-01: no request that came later. */
  | { readonly timeMs: number };

export interface Restore {
  readonly fs: FileSystem;
  readonly backup: string;
  /** Of --archive-log, or the log folder of a store that no server has open. */
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
  /** When its request came, milliseconds since 1970-01-01; null when it is in the backup itself. */
  readonly timeMs: number | null;
  readonly snapshotBytes: number;
  /** There are later records. */
  readonly isCut: boolean;
  /** The archive's last record when nothing in it is behind the backup; else, and without an archive, null. */
  readonly archiveEnd: number | null;
  /** What was left out since it is no whole record, at the end of the last log file; null = nothing, or it was not reached. */
  readonly tornTail: LogEnd['tornTail'];
}

/**
 * Resolves when the new store is on disk. Rejects with an Error that says why the target cannot be reached, what `backup`
 * or `archive` is not, and as copyStore and LogReplay do; then `to` is as it was, or empty.
 */
export async function restoreStore(restore: Restore): Promise<Restored> {
  const { fs, backup, archive, to, target, random64, check } = restore;
  await requireStore(fs, backup);
  const manifest = await readManifest(fs, backup);
  invariant(manifest !== null, 'a store has a manifest');
  const backupLsn = manifest.checkpointLsn;
  checkTarget(target, backupLsn, manifest.createdMs);
  const from = archive ?? path.join(backup, 'log');
  // A backup has a log, if without records: what lost it may have been the copy of a store, and held some.
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
      `the backup holds everything up to LSN ${backupLsn}; for ${target.lsn} an earlier one is needed`,
    );
  }
  if ('timeMs' in target && target.timeMs < createdMs) {
    const [wanted, taken] = [target.timeMs, createdMs].map((ms) => new Date(ms).toISOString());
    throw new Error(`the backup was taken at ${taken}; for ${wanted} an earlier one is needed`);
  }
}

async function lastFile(fs: FileSystem, dir: string): Promise<string> {
  const files = await listLogFiles(fs, dir);
  return files[files.length - 1]?.path ?? dir;
}
