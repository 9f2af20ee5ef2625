/** `quarry man`: the man page of this program. */
import { readWords } from '../admin/admin-options.js';
import { type CommandNeeds, EXIT, EXIT_MEANINGS, type ExitCode } from '../command.js';
import { helpedCommands } from './described-commands.js';
import { manPage } from './man-page.js';

export const help = `quarry man

Prints the man page quarry(1), made from the help texts of all commands.

  quarry man > /usr/local/share/man/man1/quarry.1
  quarry man | man -l -

Exit code 0: done; 2: wrong words.
`;

export async function run(argv: readonly string[], needs: CommandNeeds): Promise<ExitCode> {
  const read = readWords(argv, {});
  if ('wrong' in read) return needs.usage(read.wrong);
  if (read.words.length > 0) return needs.usage('man takes no word more');
  const endings = Object.entries(EXIT_MEANINGS) as [keyof typeof EXIT, string][];
  needs.out(
    manPage({
      release: needs.release,
      commands: await helpedCommands(needs),
      exitCodes: endings.map(([ending, meaning]) => [EXIT[ending], meaning] as const),
    }),
  );
  return EXIT.done;
}
