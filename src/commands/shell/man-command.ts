/** `quarry man`: the man page of this program. */
import { readArguments } from '../admin/admin-options.js';
import { type CommandContext, EXIT, EXIT_MEANINGS, type ExitCode } from '../command.js';
import { helpedCommands } from './described-commands.js';
import { manPage } from './man-page.js';

export const help = `quarry man

Prints the man page quarry(1), made from the help texts of all commands.

  quarry man > /usr/local/share/man/man1/quarry.1
  quarry man | man -l -

Exit code 0: done; 2: wrong arguments.
`;

export async function run(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const read = readArguments(argv, {});
  if ('wrong' in read) return context.usage(read.wrong);
  if (read.positionals.length > 0) return context.usage('man takes no arguments');
  const endings = Object.entries(EXIT_MEANINGS) as [keyof typeof EXIT, string][];
  context.out(
    manPage({
      release: context.release,
      commands: await helpedCommands(context),
      exitCodes: endings.map(([ending, meaning]) => [EXIT[ending], meaning] as const),
    }),
  );
  return EXIT.done;
}
