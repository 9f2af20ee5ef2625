/** `quarry account`: whether the team's keys are served. */
import { ACCOUNT_STATES } from '../../catalog/index.js';
import { EXIT, type ExitCode } from '../command.js';
import { type AdminCommandContext, DIRECTORY_HELP, runAdminCommand } from './admin-command.js';
import { type CommandLine, readArguments, type Wrong } from './admin-options.js';
import { readRequest } from './admin-request.js';

export const accountHelp = `quarry account [${ACCOUNT_STATES.join('|')}]

Prints the state of the account, after setting it if a state is given. In every state but active, each request with a key of
the team or of one of its databases is refused: no-payment-method with error 1000, suspended 1001, banned 1002,
disabled 1003. Probes and metrics are still answered. No data is changed.

  quarry account --data-dir /var/lib/quarry
  quarry account suspended

${DIRECTORY_HELP}`;

/** Reads the command line into a request, or returns the reason why it is wrong. */
export function readAccountLine(argv: readonly string[]): CommandLine | Wrong {
  const read = readArguments(argv, {});
  if ('wrong' in read) return read;
  if (read.positionals.length > 1) return { wrong: 'account takes at most one state' };
  const request = readRequest({ do: 'account', state: read.positionals[0] ?? null });
  return 'wrong' in request ? { wrong: `account: ${request.wrong}` } : { request, flags: read.flags };
}

export async function accountCommand(
  argv: readonly string[],
  context: AdminCommandContext,
): Promise<ExitCode> {
  const answer = await runAdminCommand(readAccountLine(argv), context);
  if (answer.answer === 'account') context.out(`${answer.state}\n`);
  return EXIT.done;
}

export { accountCommand as run, accountHelp as help };
