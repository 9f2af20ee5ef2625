/** `quarry retention`: whether events older than their columns keep them are taken away. */

import { EXIT, type ExitCode } from '../command.js';
import { type AdminCommandNeeds, DIRECTORY_HELP, runAdminCommand } from './admin-command.js';
import { type CommandLine, readWords, type Wrong } from './admin-options.js';

export const retentionHelp = `quarry retention [resume]

Prints "on" while events older than their columns keep them are taken away, and "suspended" when they stay because the
machine's clock jumped by more than a day (also while the server was stopped). Look at the clock, set it right where it
is wrong, and then say resume: what has expired by that clock goes for good. Queries and writes go on all the while.

  quarry retention --data-dir /var/lib/quarry
  quarry retention resume

${DIRECTORY_HELP}`;

/** The request that the words and flags make, or what is wrong with them. */
export function readRetentionLine(argv: readonly string[]): CommandLine | Wrong {
  const read = readWords(argv, {});
  if ('wrong' in read) return read;
  const { words, flags } = read;
  if (words.length > 1 || (words.length === 1 && words[0] !== 'resume')) {
    return { wrong: 'retention takes nothing, or resume' };
  }
  return { request: { do: 'retention', resume: words.length === 1 }, flags };
}

export async function retentionCommand(argv: readonly string[], needs: AdminCommandNeeds): Promise<ExitCode> {
  const answer = await runAdminCommand(readRetentionLine(argv), needs);
  if (answer.answer === 'retention') needs.out(`${answer.suspended ? 'suspended' : 'on'}\n`);
  return EXIT.done;
}

export { retentionCommand as run, retentionHelp as help };
