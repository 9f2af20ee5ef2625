/** A store made from a backup and, where there is one, the archive of the log behind it, up to an LSN or a time. */
import path from 'node:path';
import { decodeRecordPayload } from '../format/index.js';
import type { CheckCopy, FileSystem } from '../io/index.js';
import { copyLog, type LogEntry, listLogFiles } from '../wal/index.js';
import { copyStore } from './copy-store.js';
import { readManifest } from './manifest-file.js';

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
}

/**
 * Resolves when the new store is on disk. Rejects with an Error that says why the target cannot be reached, and as
 * copyStore and LogReplay do; then `to` is empty.
 */
export async function restoreStore(restore: Restore): Promise<Restored> {
  const { fs, backup, archive, to, target, random64, check } = restore;
  const manifest = await readManifest(fs, backup);
  if (manifest === null) throw new Error(`${backup} is no backup: it holds no manifest`);
  const backupLsn = manifest.checkpointLsn;
  checkTarget(target, backupLsn, manifest.createdMs);
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
  const fillLog = async (logDir: string): Promise<boolean> => {
    const from = archive ?? path.join(backup, 'log');
    const copied = await copyLog({ fs, from, to: logDir, fromLsn: backupLsn + 1, wants, check });
    ({ lastLsn: lsn, isCut } = copied);
    if (target !== null && 'lsn' in target && lsn < target.lsn) {
      throw new Error(`there is no record ${target.lsn}: the last one is ${lsn}, ${await placeOf(fs, from)}`);
    }
    return lsn > backupLsn;
  };
  const snapshotBytes = await copyStore({ fs, from: backup, to, manifest, random64, check }, fillLog);
  return { backupLsn, lsn, timeMs, snapshotBytes, isCut };
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

async function placeOf(fs: FileSystem, dir: string): Promise<string> {
  const files = await listLogFiles(fs, dir);
  return files.length === 0 ? `and ${dir} holds no log files` : `in ${files[files.length - 1].path}`;
}
