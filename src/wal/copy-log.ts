/**
 * Creates logs for a store that is made from a backup: an empty one, or one with the records of an archive up to some position.
 * The copies are synced; the caller syncs the folder's name.
 */
import path from 'node:path';
import { CorruptionError } from '../base/index.js';
import { encodeLogFileHeader } from '../format/index.js';
import { type CheckCopy, copyFile, type FileSystem } from '../io/index.js';
import { type LogFileName, listLogFiles, logFilePath } from './names.js';
import { type LogEntry, LogReplay } from './replay.js';

/** Creates a log without records that continues at `firstLsn`, in an existing, empty folder. */
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
  /** Returns whether a record is wanted; called in order, up to the first record that is not. */
  readonly wants: (entry: LogEntry) => boolean;
  readonly check?: CheckCopy;
}

export interface CopiedLog {
  /** The last record wanted; `fromLsn` - 1 if there is none. */
  readonly lastLsn: number;
  /** The archive has later records. */
  readonly isCut: boolean;
}

/**
 * Copies the files that contain the wanted records, the last file up to the end of the last wanted record; copies nothing if none
 * is wanted. Rejects like LogReplay.
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

/** Returns the last wanted record and the start of the first unwanted one; null = all are wanted. */
async function findEnd(
  { fs, from, fromLsn, wants, check }: LogCut,
  files: readonly LogFileName[],
): Promise<{ lastLsn: number; end: { file: string; offset: number } | null }> {
  let lastLsn = fromLsn - 1;
  if (files.length === 0) return { lastLsn, end: null };
  for await (const entry of new LogReplay({ fs, dir: from, fromLsn })) {
    check?.();
    if (!wants(entry)) return { lastLsn, end: { file: entry.file, offset: entry.offset } };
    lastLsn = entry.lsn;
  }
  return { lastLsn, end: null };
}
