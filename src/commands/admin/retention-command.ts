/** `quarry retention`: shows whether expired events are removed, and resumes their removal. */

import { EXIT, type ExitCode } from '../command.js';
import { type AdminCommandContext, DIRECTORY_HELP, runAdminCommand } from './admin-command.js';
import { type CommandLine, readArguments, type Wrong } from './admin-options.js';

export const retentionHelp = `quarry retention [resume]

Prints "on" while the server removes events that are older than the retention of their column, and "suspended" while it
keeps them because the machine's clock jumped by more than a day (also while the server was stopped). Check the clock and
correct it if it is wrong; then run quarry retention resume, which permanently removes the events that have expired by
that clock. Queries and writes continue in both states.

  quarry retention --data-dir /var/lib/quarry
  quarry retention resume

${DIRECTORY_HELP}`;

/** Reads the command line into a request, or returns the reason why it is wrong. */
export function readRetentionLine(argv: readonly string[]): CommandLine | Wrong {
  const read = readArguments(argv, {});
  if ('wrong' in read) return read;
  const { positionals, flags } = read;
  if (positionals.length > 1 || (positionals.length === 1 && positionals[0] !== 'resume')) {
    return { wrong: 'retention takes no arguments, or resume' };
  }
  return { request: { do: 'retention', resume: positionals.length === 1 }, flags };
}

export async function retentionCommand(
  argv: readonly string[],
  context: AdminCommandContext,
): Promise<ExitCode> {
  const answer = await runAdminCommand(readRetentionLine(argv), context);
  if (answer.answer === 'retention') context.out(`${answer.suspended ? 'suspended' : 'on'}\n`);
  return EXIT.done;
}

export { retentionCommand as run, retentionHelp as help };
