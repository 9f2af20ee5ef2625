/** `quarry restore`: a data directory made from a backup, as of the backup or any record behind it. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { NodeFileSystem } from '../io/index.js';
import { type RestoreTarget, restoreStore } from '../recovery/index.js';
import { EXIT, type ExitCode } from './command.js';

export const restoreHelp = `quarry restore BACKUP --data-dir DIR [--archive DIR] [--to-lsn N | --to-time TIME]

Makes the data directory DIR, absent or empty, from BACKUP. With --archive, the folder of serve --archive-log (or the
log folder of a store that no server has open), everything behind the backup is in it too: to the last record, to
record N, or up to the last request that came at TIME or before. Every byte is checked on the way. Start the server on
DIR then; give it a new folder for --archive-log, since its history and the old one part there.

  --data-dir DIR   the directory to make
  --archive DIR    log files behind the backup
  --to-lsn N       the last record to restore
  --to-time TIME   as 2024-05-01T12:00:00Z, or with an offset such as +02:00

  quarry restore /mnt/backups/monday --data-dir /var/lib/quarry --archive /mnt/log --to-time 2024-05-01T11:59:00Z

Exit code 0: done; 1: refused, the reason is printed and DIR is as it was; 2: wrong arguments; 3: BACKUP or the archive
is damaged, the file is named.
`;

export interface RestoreLine {
  readonly backup: string;
  readonly dataDir: string;
  readonly archive: string | null;
  readonly target: RestoreTarget | null;
}

/** With its offset from UTC said: a time without one means another moment elsewhere. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/** What the words and flags ask for, or what is wrong with them. */
export function readRestoreLine(argv: readonly string[]): RestoreLine | { readonly wrong: string } {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(argv);
  } catch (error) {
    return { wrong: (error as Error).message.split('. ')[0] };
  }
  const { positionals, values } = parsed;
  const { archive, 'data-dir': dataDir, 'to-lsn': lsn, 'to-time': time } = values;
  if (positionals.length !== 1) return { wrong: 'restore takes one argument, the backup' };
  if (dataDir === undefined || dataDir === '')
    return { wrong: '--data-dir: the directory to make is wanted' };
  const target = targetOf(lsn, time);
  if (target !== null && 'wrong' in target) return target;
  return {
    backup: path.resolve(positionals[0]),
    dataDir: path.resolve(dataDir),
    archive: archive === undefined ? null : path.resolve(archive),
    target,
  };
}

const parse = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    options: {
      'data-dir': { type: 'string' },
      archive: { type: 'string' },
      'to-lsn': { type: 'string' },
      'to-time': { type: 'string' },
    },
    allowPositionals: true,
  });

function targetOf(
  lsn: string | undefined,
  time: string | undefined,
): RestoreTarget | null | { readonly wrong: string } {
  if (lsn !== undefined && time !== undefined) return { wrong: 'either --to-lsn or --to-time is wanted' };
  if (lsn !== undefined) {
    return /^\d{1,15}$/.test(lsn)
      ? { lsn: Number(lsn) }
      : { wrong: `--to-lsn: a whole number is wanted, not ${JSON.stringify(lsn)}` };
  }
  if (time === undefined) return null;
  const timeMs = TIME.test(time) ? Date.parse(time) : Number.NaN;
  return Number.isNaN(timeMs)
    ? { wrong: `--to-time: a time such as 2024-05-01T12:00:00Z is wanted, not ${JSON.stringify(time)}` }
    : { timeMs };
}

export interface RestoreNeeds {
  readonly out: (text: string) => void;
  readonly usage: (text: string) => never;
}

/** Rejects with an Error that says why it was not done. */
export async function restoreCommand(argv: readonly string[], needs: RestoreNeeds): Promise<ExitCode> {
  const line = readRestoreLine(argv);
  if ('wrong' in line) return needs.usage(line.wrong);
  const fs = new NodeFileSystem();
  const { backup, dataDir, archive, target } = line;
  const random64 = (): bigint => randomBytes(8).readBigUInt64LE();
  const restored = await restoreStore({ fs, backup, archive, to: dataDir, target, random64 });
  const { backupLsn, lsn, timeMs, snapshotBytes, isCut } = restored;
  const came = timeMs === null ? '' : `, whose request came at ${new Date(timeMs).toISOString()}`;
  needs.out(
    `restored to LSN ${lsn}${came}: the backup at LSN ${backupLsn}, ${snapshotBytes} bytes, ` +
      `and ${lsn - backupLsn} records of the log${isCut ? '; later ones were left out' : ''}\n`,
  );
  return EXIT.done;
}

export { restoreCommand as run, restoreHelp as help };
