/** `quarry completion`: the script with which a shell completes commands, options and paths. */
import { readWords } from '../admin/admin-options.js';
import { type CommandNeeds, EXIT, type ExitCode } from '../command.js';
import { completionScript, SHELLS } from './completion.js';
import { helpedCommands } from './described-commands.js';
import { optionsOf } from './help-options.js';

export const help = `quarry completion ${SHELLS.join('|')}

Prints a script with which that shell completes the commands of quarry, their options, and paths.

  quarry completion bash > /etc/bash_completion.d/quarry
  quarry completion zsh > "\${fpath[1]}/_quarry"
  quarry completion fish > ~/.config/fish/completions/quarry.fish
  source <(quarry completion bash)

Exit code 0: done; 2: wrong words.
`;

export async function run(argv: readonly string[], needs: CommandNeeds): Promise<ExitCode> {
  const read = readWords(argv, {});
  if ('wrong' in read) return needs.usage(read.wrong);
  const shell = SHELLS.find((one) => one === read.words[0]);
  if (shell === undefined || read.words.length > 1)
    return needs.usage(`completion takes one of ${SHELLS.join(', ')}`);
  const commands = await helpedCommands(needs);
  const helpOf = (name: string): string => commands.find((one) => one.name === name)?.help ?? '';
  const described = commands.map((command) => ({ ...command, options: optionsOf(command.help, helpOf) }));
  needs.out(completionScript(shell, described));
  return EXIT.done;
}
