/**
 * Names of log files: log-<LSN of the first record, 16 digits>.qlog, so that they sort by LSN; and log-spare-<n>.tmp for a file
 * that is prepared ahead and has no LSN yet.
 */
import path from 'node:path';
import type { FileSystem } from '../io/index.js';

export interface LogFileName {
  readonly path: string;
  readonly firstLsn: number;
}

export const logFilePath = (dir: string, firstLsn: number): string =>
  path.join(dir, `log-${String(firstLsn).padStart(16, '0')}.qlog`);

export const sparePath = (dir: string, ordinal: number): string => path.join(dir, `log-spare-${ordinal}.tmp`);

/** The log files of a folder, by ascending LSN. */
export async function listLogFiles(fs: FileSystem, dir: string): Promise<LogFileName[]> {
  const found: LogFileName[] = [];
  for (const name of await fs.list(dir)) {
    const match = /^log-(\d{16})\.qlog$/.exec(name);
    if (match !== null) found.push({ path: path.join(dir, name), firstLsn: Number(match[1]) });
  }
  return found.sort((a, b) => a.firstLsn - b.firstLsn);
}

/** Removes files that an earlier run prepared and never used. */
export async function removeSpares(fs: FileSystem, dir: string): Promise<void> {
  for (const name of await fs.list(dir)) {
    if (/^log-spare-\d+\.tmp$/.test(name)) await fs.remove(path.join(dir, name));
  }
}
