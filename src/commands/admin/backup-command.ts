/** `quarry backup`: copies a store, whether a server runs on it or not. The copy is a complete store. */
import path from 'node:path';
import { NodeFileSystem } from '../../io/index.js';
import { SNAPSHOT_DIR } from '../../recovery/index.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { type AdminCommandContext, DIRECTORY_HELP, runAdminCommand } from './admin-command.js';
import { type CommandLine, readArguments, type Wrong } from './admin-options.js';
import type { AdminRequest } from './admin-request.js';
import { showCopy, snapshotFilesOf } from './copy-progress.js';

export const backupHelp = `quarry backup TO [--data-dir DIR]

Copies everything acknowledged so far into TO, an absent or empty directory on any disk, while reads and writes continue.
TO is then a store as of one point in time, whose LSN is printed. quarry verify TO checks it. quarry restore creates a data
directory from it, also as of a later point in time if serve --archive-log kept the log files. A running server writes the
copy as its own user. Every byte is checked. keys.json and tls/ are not copied: keys stay valid without keys.json, and the
server creates a new self-signed certificate without tls/. If the backup fails or is cancelled, TO is left empty. Standard
error shows the number of bytes copied: as a bar on a terminal, otherwise as a line per tenth.

  quarry backup /mnt/backups/monday --data-dir /var/lib/quarry

${DIRECTORY_HELP}`;

interface BackupLine extends CommandLine {
  readonly request: Extract<AdminRequest, { readonly do: 'backup' }>;
}

/** Reads the command line into a request, or returns the reason why it is wrong. */
export function readBackupLine(argv: readonly string[]): BackupLine | Wrong {
  const read = readArguments(argv, {});
  if ('wrong' in read) return read;
  const { positionals, flags } = read;
  if (positionals.length !== 1) return { wrong: 'backup takes one argument, the directory to create' };
  return { request: { do: 'backup', to: path.resolve(positionals[0]) }, flags };
}

export async function backupCommand(
  argv: readonly string[],
  context: AdminCommandContext & Pick<CommandContext, 'stderr'>,
): Promise<ExitCode> {
  const line = readBackupLine(argv);
  if ('wrong' in line) return context.usage(line.wrong);
  const { to } = line.request;
  const files = await beganIn(to);
  const answer = await runAdminCommand(line, context, (config, pending) =>
    showCopy({ what: 'backup', to, files: () => files(config.dataDir), out: context.stderr }, pending),
  );
  if (answer.answer === 'backup') {
    const { lsn, fileCount, bytes } = answer;
    context.out(`backup at LSN ${lsn}: ${fileCount} snapshot files, ${bytes} bytes\n`);
  }
  return EXIT.done;
}

/** Returns a function that lists the files to copy for a data directory; null until the copy has begun. */
async function beganIn(to: string): Promise<(dataDir: string) => ReturnType<typeof snapshotFilesOf>> {
  const fs = new NodeFileSystem();
  const folder = path.join(to, SNAPSHOT_DIR);
  // A folder that exists before the copy is not part of it; the backup will be refused.
  const isOld = await fs.exists(folder).catch(() => true);
  return async (dataDir) =>
    isOld || !(await fs.exists(folder)) ? null : snapshotFilesOf(path.resolve(dataDir));
}

export { backupCommand as run, backupHelp as help };
