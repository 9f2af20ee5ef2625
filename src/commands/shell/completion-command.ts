/** `quarry completion`: prints a completion script for a shell. */
import { readArguments } from '../admin/admin-options.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { completionScript, SHELLS } from './completion.js';
import { helpedCommands } from './described-commands.js';
import { fixedArguments, optionsOf } from './help-options.js';

export const help = `quarry completion ${SHELLS.join('|')}

Prints a script that lets the shell complete the commands of quarry, their options and fixed arguments, and paths.

  quarry completion bash > /etc/bash_completion.d/quarry
  quarry completion zsh > "\${fpath[1]}/_quarry"
  quarry completion fish > ~/.config/fish/completions/quarry.fish
  source <(quarry completion bash)

Exit code 0: done; 2: wrong arguments.
`;

export async function run(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const read = readArguments(argv, {});
  if ('wrong' in read) return context.usage(read.wrong);
  const shell = SHELLS.find((one) => one === read.positionals[0]);
  if (shell === undefined || read.positionals.length > 1)
    return context.usage(`completion takes one of ${SHELLS.join(', ')}`);
  const commands = await helpedCommands(context);
  const helpOf = (name: string): string => commands.find((one) => one.name === name)?.help ?? '';
  const described = commands.map((command) => ({
    ...command,
    options: optionsOf(command.help, helpOf),
    fixed: fixedArguments(command),
  }));
  context.out(completionScript(shell, described));
  return EXIT.done;
}
