/** `quarry restore`: makes a data directory from a backup, at the backup's LSN or at a later record of the archive. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Audit } from '../../http/index.js';
import { NodeFileSystem } from '../../io/index.js';
import { type Restored, type RestoreTarget, restoreStore } from '../../recovery/index.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import type { Output } from '../progress.js';
import { isWithin } from '../within.js';
import {
  type FlagKinds,
  type Flags,
  flagTextOf,
  readArguments,
  readStoreConfig,
  type StoreOptionsContext,
  type Wrong,
} from './admin-options.js';
import { requestServer } from './administer-store.js';
import { openAudit } from './audit-file.js';
import { type CopiedFile, logFilesOf, showCopy, snapshotFilesOf } from './copy-progress.js';

export const restoreHelp = `quarry restore BACKUP --data-dir DIR [--archive DIR] [--to-lsn N | --to-time TIME]

Creates the data directory DIR, which must be absent or empty, from BACKUP. With --archive (the folder of serve
--archive-log, or the log folder of a store that no server has open), DIR also gets the later writes: up to the last
record, to record N, or to the last request that arrived at TIME or before. Every byte is checked. An archive that does
not exist, holds no log files, or belongs to another store (by the keys and times of its records) is refused. If the
archive holds nothing later than the backup, a message says so. Start the server on DIR afterwards, with a new folder for
--archive-log, because DIR begins a history of its own.

  --data-dir DIR   the directory to create
  --archive DIR    log files later than the backup
  --to-lsn N       the last record to restore
  --to-time TIME   as 2024-05-01T12:00:00Z, or with an offset such as +02:00
  --config FILE    the config file of quarry serve; its audit-log (or QUARRY_AUDIT_LOG) gets a line

  quarry restore /mnt/backups/monday --data-dir /var/lib/quarry --archive /mnt/log --to-time 2024-05-01T11:59:00Z

Standard error shows the number of bytes copied: as a bar on a terminal, otherwise as a line per tenth.

Exit code 0: done; 1: refused, the reason is printed and DIR is unchanged; 2: wrong arguments; 3: BACKUP or the archive
is damaged, the file is named.
`;

export interface RestoreLine {
  readonly backup: string;
  readonly dataDir: string;
  readonly archive: string | null;
  readonly target: RestoreTarget | null;
  readonly flags: Flags;
}

/** A time with its offset from UTC: without an offset its meaning would depend on the machine. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

const FLAGS = {
  archive: { type: 'string' },
  'to-lsn': { type: 'string' },
  'to-time': { type: 'string' },
} as const satisfies FlagKinds;

/** Reads the command line, or returns the reason why it is wrong. */
export function readRestoreLine(argv: readonly string[]): RestoreLine | Wrong {
  const read = readArguments(argv, FLAGS);
  if ('wrong' in read) return read;
  const { positionals, flags } = read;
  if (positionals.length !== 1) return { wrong: 'restore takes one argument, the backup' };
  const dataDir = flagTextOf(flags, 'data-dir');
  // The default directory is not used: the target of a restore must be named.
  if (dataDir === undefined || dataDir === '') {
    return { wrong: '--data-dir is required: it names the directory to create' };
  }
  const archive = flagTextOf(flags, 'archive');
  if (archive === '') return { wrong: '--archive: expected a folder, not an empty argument' };
  for (const other of [positionals[0], ...(archive === undefined ? [] : [archive])]) {
    if (isWithin(other, dataDir)) return { wrong: `--data-dir: ${dataDir} is in ${other}` };
  }
  const target = targetOf(flagTextOf(flags, 'to-lsn'), flagTextOf(flags, 'to-time'));
  if (target !== null && 'wrong' in target) return target;
  return {
    backup: path.resolve(positionals[0]),
    dataDir: path.resolve(dataDir),
    archive: archive === undefined ? null : path.resolve(archive),
    target,
    flags,
  };
}

function targetOf(lsn: string | undefined, time: string | undefined): RestoreTarget | null | Wrong {
  if (lsn !== undefined && time !== undefined) return { wrong: '--to-lsn and --to-time exclude each other' };
  if (lsn !== undefined) {
    return /^\d{1,15}$/.test(lsn)
      ? { lsn: Number(lsn) }
      : { wrong: `--to-lsn: expected a whole number, not ${JSON.stringify(lsn)}` };
  }
  if (time === undefined) return null;
  const timeMs = TIME.test(time) ? Date.parse(time) : Number.NaN;
  return Number.isNaN(timeMs)
    ? { wrong: `--to-time: expected a time such as 2024-05-01T12:00:00Z, not ${JSON.stringify(time)}` }
    : { timeMs };
}

type RestoreContext = StoreOptionsContext & Pick<CommandContext, 'out' | 'usage' | 'stderr' | 'serve'>;

/** Rejects with an Error that gives the reason if the restore is refused. */
export async function restoreCommand(argv: readonly string[], context: RestoreContext): Promise<ExitCode> {
  const line = readRestoreLine(argv);
  if ('wrong' in line) return context.usage(line.wrong);
  const config = readStoreConfig(line.flags, context);
  if ('wrong' in config) return context.usage(config.wrong);
  await checkStopped(line);
  const { audit, close } = await openAudit(config, context.serve.log);
  const restored = await restoreAudited(line, audit, context.stderr).finally(close);
  const { backupLsn, lsn, timeMs, snapshotBytes, isCut, archiveEnd, tornTail } = restored;
  const came = timeMs === null ? '' : `, whose request came at ${new Date(timeMs).toISOString()}`;
  context.out(
    `restored to LSN ${lsn}${came}: the backup at LSN ${backupLsn}, ${snapshotBytes} bytes, ` +
      `and ${lsn - backupLsn} records of the log${isCut ? '; later records were omitted' : ''}\n`,
  );
  if (archiveEnd !== null) {
    context.out(`${line.archive} holds nothing later than the backup: its last record is ${archiveEnd}\n`);
  }
  if (tornTail !== null) {
    context.out(
      `omitted: ${tornTail.bytes} bytes at the end of ${tornTail.file}, which are not a complete record: its server was ` +
        'killed during a write, or the file is incomplete\n',
    );
  }
  const { target } = line;
  if (target !== null && 'timeMs' in target && !isCut) {
    const until = new Date(target.timeMs).toISOString();
    context.out(
      `there are no later records, so it is unknown whether anything was written between then and ${until}\n`,
    );
  }
  return EXIT.done;
}

/** Rejects when a server has one of the source stores open: it would remove and write files during the restore. */
async function checkStopped({ backup, archive }: RestoreLine): Promise<void> {
  const isLog = archive !== null && path.basename(archive) === 'log';
  for (const dir of [backup, ...(isLog ? [path.dirname(archive)] : [])]) {
    if ((await requestServer(dir, { do: 'address' }).catch(() => null)) === null) continue;
    throw new Error(`a server runs on ${dir}: use quarry backup to copy its store`);
  }
}

async function restoreAudited(line: RestoreLine, audit: Audit, out: Output): Promise<Restored> {
  const { backup, dataDir: to, archive, target } = line;
  const write = (outcome: 'done' | 'failed', lsn?: number): void =>
    audit.write({ who: 'command line', what: 'restore', outcome, changes: [], backup, to, lsn });
  const random64 = (): bigint => randomBytes(8).readBigUInt64LE();
  const restoring = restoreStore({ fs: new NodeFileSystem(), backup, archive, to, target, random64 });
  try {
    const restored = await showCopy({ what: 'restore', to, files: () => filesOf(line), out }, restoring);
    write('done', restored.lsn);
    return restored;
  } catch (error) {
    write('failed');
    throw error;
  }
}

/** Lists the files to copy; null when the target limits the log, because the length is known only after reading it. */
async function filesOf({ backup, archive, target }: RestoreLine): Promise<readonly CopiedFile[] | null> {
  const files = await snapshotFilesOf(backup);
  if (files === null || archive === null || target !== null) return files;
  return [...files, ...(await logFilesOf(archive))];
}

export { restoreCommand as run, restoreHelp as help };
