/**
 * Creates the log of a store that is restored from a backup: an empty one, or one with the records of an archive up to a
 * target. The files are synced; the caller syncs the name of their folder.
 */
import path from 'node:path';
import { CorruptionError } from '../base/index.js';
import { encodeLogFileHeader } from '../format/index.js';
import { type CheckCopy, copyFile, type FileSystem } from '../io/index.js';
import { type LogFileName, listLogFiles, logFilePath } from './names.js';
import { type LogEntry, LogReplay, type LogReplayOptions } from './replay.js';

/** Creates a log without records in an existing, empty folder; its first record will be `firstLsn`. */
export async function beginEmptyLog(
  fs: FileSystem,
  dir: string,
  firstLsn: number,
  logId: bigint,
): Promise<void> {
  await fs.writeFile(logFilePath(dir, firstLsn), encodeLogFileHeader(logId, firstLsn));
  await fs.syncDir(dir);
}

export interface LogCut {
  readonly fs: FileSystem;
  /** The folder of log files without a gap, from one that contains `fromLsn` or ends right before it. */
  readonly from: string;
  /** An existing, empty folder. */
  readonly to: string;
  readonly fromLsn: number;
  /** See LogReplayOptions. */
  readonly manifest?: LogReplayOptions['manifest'];
  /** Whether a record is to be copied; called in order, until it first returns false. */
  readonly wants: (entry: LogEntry) => boolean;
  readonly check?: CheckCopy;
}

export interface CopiedLog {
  /** The last record that was copied; `fromLsn` - 1 when none was. */
  readonly lastLsn: number;
  /** There are later records that were not copied. */
  readonly isCut: boolean;
}

/**
 * Copies the files that hold the requested records; the last file is copied only up to the last requested record.
 * Copies nothing when no record is requested. Rejects as LogReplay does.
 */
export async function copyLog(cut: LogCut): Promise<CopiedLog> {
  const { fs, from, to, fromLsn, check } = cut;
  const files = await listLogFiles(fs, from);
  const { lastLsn, end } = await findEnd(cut, files);
  if (lastLsn < fromLsn) return { lastLsn, isCut: end !== null };
  const first = files.findLastIndex((file) => file.firstLsn <= fromLsn);
  const behind = end === null ? files.length : files.findIndex((file) => file.path === end.file) + 1;
  for (const file of files.slice(first, behind)) {
    const target = path.join(to, path.basename(file.path));
    const bytes = file.path === end?.file ? end.offset : undefined;
    const copied = await copyFile({ fs, from: file.path, to: target, bytes, check });
    if (bytes !== undefined && copied < bytes) {
      throw new CorruptionError(file.path, copied, 'the file became shorter while it was copied');
    }
  }
  await fs.syncDir(to);
  return { lastLsn, isCut: end !== null };
}

/**
 * The last requested record, and the position of the first one that is not requested; null = all records are requested.
 */
async function findEnd(
  { fs, from, fromLsn, manifest, wants, check }: LogCut,
  files: readonly LogFileName[],
): Promise<{ lastLsn: number; end: { file: string; offset: number } | null }> {
  let lastLsn = fromLsn - 1;
  if (files.length === 0) return { lastLsn, end: null };
  for await (const entry of new LogReplay({ fs, dir: from, fromLsn, manifest })) {
    check?.();
    if (!wants(entry)) return { lastLsn, end: { file: entry.file, offset: entry.offset } };
    lastLsn = entry.lsn;
  }
  return { lastLsn, end: null };
}
