/**
 * Reads the records of a log that a server may be writing to: nothing is locked and nothing changed.
 * A write in progress looks like damage, so a fault is reported only when a second read, from the record
 * before it, finds it at the same offset.
 */
import path from 'node:path';
import { CorruptionError } from '../base/index.js';
import { decodeLogFileHeader, LOG_FILE_HEADER_BYTES } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { type LogEnd, type LogEntry, LogReplay, type LogReplayOptions } from '../wal/index.js';

export interface LogRange {
  readonly fs: FileSystem;
  readonly dir: string;
  readonly fromLsn: number;
  /** See LogReplayOptions. */
  readonly manifest?: LogReplayOptions['manifest'];
}

/** The records from `fromLsn` on; calls `ended` with the end of the log. Throws as LogReplay does. */
export async function* recordsFrom(
  { fs, dir, fromLsn, manifest }: LogRange,
  ended: (end: LogEnd) => void,
): AsyncGenerator<LogEntry, void, void> {
  let next = fromLsn;
  let lastError: CorruptionError | null = null;
  for (;;) {
    const replay = new LogReplay({ fs, dir, fromLsn: next, manifest });
    try {
      for await (const entry of replay) {
        yield entry;
        next = entry.lsn + 1;
      }
      ended(replay.end);
      return;
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      if (lastError !== null && lastError.file === error.file && lastError.offset === error.offset)
        throw error;
      lastError = error;
    }
  }
}

/** The header of a log file. Throws a CorruptionError that names the file. */
export async function readLogHead(
  fs: FileSystem,
  file: string,
): Promise<{ readonly version: number; readonly firstLsn: number; readonly bytes: number }> {
  const handle = await fs.open(file, 'read');
  try {
    const head = new Uint8Array(LOG_FILE_HEADER_BYTES);
    const count = await handle.read(head, 0);
    const decoded = decodeLogFileHeader(head.subarray(0, count));
    if (typeof decoded === 'string') throw new CorruptionError(file, 0, decoded);
    return { version: decoded.version, firstLsn: decoded.firstLsn, bytes: await handle.size() };
  } finally {
    await handle.close();
  }
}

/** The records of one file, whose name must match its first LSN; calls `ended` only when it is the last file. */
export async function* recordsOfFile(
  fs: FileSystem,
  file: string,
  ended: (end: LogEnd) => void,
): AsyncGenerator<LogEntry, void, void> {
  const { firstLsn } = await readLogHead(fs, file);
  for await (const entry of recordsFrom({ fs, dir: path.dirname(file), fromLsn: firstLsn }, ended)) {
    if (entry.file !== file) return;
    yield entry;
  }
}
