/** Loads all commands with their help texts. */
import type { Command, CommandContext } from '../command.js';

export interface HelpedCommand extends Pick<Command, 'name' | 'group' | 'synopsis' | 'summary'> {
  readonly help: string;
}

export async function helpedCommands({ commandTable }: CommandContext): Promise<readonly HelpedCommand[]> {
  const loaded = commandTable.commands.map(
    async ({ load, ...command }): Promise<HelpedCommand> => ({ ...command, help: (await load()).help }),
  );
  return [...(await Promise.all(loaded)), ...commandTable.others];
}
