/** `quarry backup`: a copy of a store, running or not, that is a store of its own. */
import path from 'node:path';
import { type AdminCommandNeeds, DIRECTORY_HELP, runAdminCommand } from './admin-command.js';
import { type CommandLine, readWords, type Wrong } from './admin-options.js';
import { EXIT, type ExitCode } from './command.js';

export const backupHelp = `quarry backup TO [--data-dir DIR]

Copies everything acknowledged by now into TO, an absent or empty directory on any disk, while reads and writes go on.
TO is then a store as of one moment (its LSN is printed): quarry verify TO checks it, quarry restore makes a data
directory of it, also as of a later moment with the log files of serve --archive-log. The server writes it, as its own
user, and every byte is checked on the way. keys.json and tls/ are not copied: keys stay valid without the first, and
a new self-signed certificate is made without the second. When it fails or is given up, TO is left empty.

  quarry backup /mnt/backups/monday --data-dir /var/lib/quarry

${DIRECTORY_HELP}`;

/** The request that the words and flags make, or what is wrong with them. */
export function readBackupLine(argv: readonly string[]): CommandLine | Wrong {
  const read = readWords(argv, {});
  if ('wrong' in read) return read;
  const { words, flags } = read;
  if (words.length !== 1) return { wrong: 'backup takes one argument, the directory to make' };
  return { request: { do: 'backup', to: path.resolve(words[0]) }, flags };
}

export async function backupCommand(argv: readonly string[], needs: AdminCommandNeeds): Promise<ExitCode> {
  const line = readBackupLine(argv);
  const answer = await runAdminCommand(line, needs);
  if (answer.answer === 'backup') {
    const { lsn, fileCount, bytes } = answer;
    needs.out(`backup at LSN ${lsn}: ${fileCount} snapshot files, ${bytes} bytes\n`);
  }
  return EXIT.done;
}

export { backupCommand as run, backupHelp as help };
