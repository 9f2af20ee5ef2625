/** `quarry backup`: a copy of a store, running or not, that is a store of its own. */
import path from 'node:path';
import { NodeFileSystem } from '../../io/index.js';
import { SNAPSHOT_DIR } from '../../recovery/index.js';
import { type CommandNeeds, EXIT, type ExitCode } from '../command.js';
import { type AdminCommandNeeds, DIRECTORY_HELP, runAdminCommand } from './admin-command.js';
import { type CommandLine, readWords, type Wrong } from './admin-options.js';
import type { AdminRequest } from './admin-request.js';
import { showCopy, snapshotFilesOf } from './copy-progress.js';

export const backupHelp = `quarry backup TO [--data-dir DIR]

Copies everything acknowledged by now into TO, an absent or empty directory on any disk, while reads and writes go on.
TO is then a store as of one moment (its LSN is printed): quarry verify TO checks it, quarry restore makes a data
directory of it, also as of a later moment with the log files of serve --archive-log. The server writes it, as its own
user, and every byte is checked on the way. keys.json and tls/ are not copied: keys stay valid without the first, and
a new self-signed certificate is made without the second. When it fails or is given up, TO is left empty. Standard error
shows how many bytes of the snapshot are copied: a bar on a terminal, a line at every tenth elsewhere.

  quarry backup /mnt/backups/monday --data-dir /var/lib/quarry

${DIRECTORY_HELP}`;

interface BackupLine extends CommandLine {
  readonly request: Extract<AdminRequest, { readonly do: 'backup' }>;
}

/** The request that the words and flags make, or what is wrong with them. */
export function readBackupLine(argv: readonly string[]): BackupLine | Wrong {
  const read = readWords(argv, {});
  if ('wrong' in read) return read;
  const { words, flags } = read;
  if (words.length !== 1) return { wrong: 'backup takes one argument, the directory to make' };
  return { request: { do: 'backup', to: path.resolve(words[0]) }, flags };
}

export async function backupCommand(
  argv: readonly string[],
  needs: AdminCommandNeeds & Pick<CommandNeeds, 'stderr'>,
): Promise<ExitCode> {
  const line = readBackupLine(argv);
  if ('wrong' in line) return needs.usage(line.wrong);
  const { to } = line.request;
  const files = await beganIn(to);
  const answer = await runAdminCommand(line, needs, (config, asked) =>
    showCopy({ what: 'backup', to, files: () => files(config.dataDir), out: needs.stderr }, asked),
  );
  if (answer.answer === 'backup') {
    const { lsn, fileCount, bytes } = answer;
    needs.out(`backup at LSN ${lsn}: ${fileCount} snapshot files, ${bytes} bytes\n`);
  }
  return EXIT.done;
}

/** The files that will be copied, asked for with the data directory: known when the copy has begun. */
async function beganIn(to: string): Promise<(dataDir: string) => ReturnType<typeof snapshotFilesOf>> {
  const fs = new NodeFileSystem();
  const folder = path.join(to, SNAPSHOT_DIR);
  // What is there before is no part of this copy, which will be refused.
  const isOld = await fs.exists(folder).catch(() => true);
  return async (dataDir) =>
    isOld || !(await fs.exists(folder)) ? null : snapshotFilesOf(path.resolve(dataDir));
}

export { backupCommand as run, backupHelp as help };
