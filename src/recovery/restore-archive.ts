/**
 * Checks an archive of the log before a store is restored with it: it exists, has no gap after the backup, and belongs to
 * the same history as the backup, as far as this follows from the keys that its records create and from their times.
 */
import path from 'node:path';
import { catalogFromPlain, changeFromPlain } from '../catalog/index.js';
import { changesIn, decodeRecordPayload, type Manifest } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { type LogEnd, type LogEntry, LogReplay, listLogFiles } from '../wal/index.js';
import { emptiness } from './manifest-file.js';

/** Tolerance for times: a request comes before its record is written, and clocks are adjusted. */
const CLOCK_MS = 3_600_000;

export interface CheckedArchive {
  readonly fs: FileSystem;
  readonly dir: string;
  readonly manifest: Manifest;
  /** Whether the times of records are checked. */
  readonly trustsTimes: boolean;
}

/**
 * Resolves with the archive's last LSN when it holds no record after the backup, else null. Rejects with an Error when `dir`
 * holds no log files or those of another history, and as LogReplay does when the first records after the backup are missing or
 * damaged.
 */
export async function checkArchive({
  fs,
  dir,
  manifest,
  trustsTimes,
}: CheckedArchive): Promise<number | null> {
  const files = await listLogFiles(fs, dir);
  if (files.length === 0) {
    const inside = path.join(dir, 'log');
    const hint = (await listLogFiles(fs, inside)).length > 0 ? `; ${inside} does` : '';
    throw new Error(`${dir} is not an archive: it ${await emptiness(fs, dir, 'no log files')}${hint}`);
  }
  if (await isOfOtherKeys(fs, dir, manifest)) {
    throw new Error(
      `${dir} is the archive of another store: none of its records made a key that the backup has`,
    );
  }
  const { checkpointLsn, createdMs } = manifest;
  // Start in the file that holds the backup's last record, if there is one: its time is checked too.
  const first = files.findLast(({ firstLsn }) => firstLsn <= checkpointLsn);
  let before: LogEntry | null = null;
  let behind: LogEntry | null = null;
  for await (const entry of new LogReplay({ fs, dir, fromLsn: first?.firstLsn ?? checkpointLsn + 1 })) {
    if (entry.lsn <= checkpointLsn) before = entry;
    else {
      behind = entry;
      break;
    }
  }
  if (trustsTimes) {
    const isLate = before !== null && timeOf(before) > createdMs + CLOCK_MS;
    const isEarly = behind !== null && timeOf(behind) < createdMs - CLOCK_MS;
    if (isLate || isEarly) throw otherHistory(dir, (isLate ? before : behind) as LogEntry, manifest);
  }
  return behind === null ? (before?.lsn ?? (first?.firstLsn ?? checkpointLsn + 1) - 1) : null;
}

/** The torn tail of the last log file: left by an unfinished write or copy. */
export async function tornTailOf(fs: FileSystem, dir: string): Promise<LogEnd['tornTail']> {
  const last = (await listLogFiles(fs, dir)).at(-1);
  if (last === undefined) return null;
  const replay = new LogReplay({ fs, dir, fromLsn: last.firstLsn });
  for await (const _ of replay);
  return replay.end.tornTail;
}

/**
 * Whether the archive holds all records up to the backup but creates none of the backup's keys, whose hashes no two
 * stores share. The first record creates the first keys, so the search ends there unless all of them were deleted.
 */
async function isOfOtherKeys(
  fs: FileSystem,
  dir: string,
  { checkpointLsn, catalog }: Manifest,
): Promise<boolean> {
  const { keys } = catalogFromPlain(catalog);
  const [{ firstLsn }] = await listLogFiles(fs, dir);
  if (firstLsn > 1 || keys.size === 0) return false;
  let lastLsn = 0;
  for await (const { lsn, payload } of new LogReplay({ fs, dir, fromLsn: 1 })) {
    if (lsn > checkpointLsn) break;
    lastLsn = lsn;
    const record = decodeRecordPayload(payload);
    const changes = changesIn(record).map(changeFromPlain);
    if (changes.some((change) => change.change === 'key-created' && keys.has(change.key.hash))) return false;
  }
  return lastLsn === checkpointLsn;
}

const timeOf = ({ payload }: LogEntry): number => decodeRecordPayload(payload).timeMs;

function otherHistory(dir: string, entry: LogEntry, { checkpointLsn, createdMs }: Manifest): Error {
  const [came, created] = [timeOf(entry), createdMs].map((ms) => new Date(ms).toISOString());
  return new Error(
    `${dir} is the archive of another store, or of another history of this one: its record ${entry.lsn} is of ${came}, ` +
      `but the backup, which ends with record ${checkpointLsn}, was taken at ${created}. If only a clock was wrong, ` +
      'name the last record to restore with --to-lsn',
  );
}
