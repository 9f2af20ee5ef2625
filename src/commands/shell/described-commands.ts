/** All commands with their help texts, which are loaded for it. */
import type { Command, CommandNeeds } from '../command.js';

export interface HelpedCommand extends Pick<Command, 'name' | 'group' | 'words' | 'summary'> {
  readonly help: string;
}

export async function helpedCommands({ commandTable }: CommandNeeds): Promise<readonly HelpedCommand[]> {
  const loaded = commandTable.commands.map(
    async ({ load, ...command }): Promise<HelpedCommand> => ({ ...command, help: (await load()).help }),
  );
  return [...(await Promise.all(loaded)), ...commandTable.others];
}
