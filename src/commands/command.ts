/**
 * What a command of `quarry` is, what it is given, and how it ends.
 * Invariant: a command writes to what it is given and gives back an exit code or rejects; only main ends the process.
 */
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { AdminCommandNeeds } from './admin/admin-command.js';
import type { Output } from './progress.js';
import type { ServeNeeds } from './serve/create-engine.js';
import type { RunningServer } from './serve/serve.js';

/** How every command ends. */
export const EXIT = { done: 0, failed: 1, usage: 2, corrupt: 3, partly: 4, fatal: 70 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** For the help text, in its order. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done; of a server: ended by a signal, everything on disk',
  failed: 'the command failed or was refused, the reason is printed',
  usage: 'wrong words or options; nothing was done',
  corrupt: 'a file is damaged, or of a newer release; it is named',
  partly: 'of an import: done, but for rows that are bad; a file names them',
  fatal: 'the server could not go on: a write or sync of the log failed',
};

export interface CommandNeeds extends AdminCommandNeeds {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  /** Where progress is drawn: standard error, so that standard output holds nothing but the answer. */
  readonly stderr: Output;
  /** What a server of this process needs; its log begins at that level. */
  readonly serverNeeds: (logLevel: string) => ServeNeeds;
  /** From here on signals end and checkpoint that server; null while it still starts. */
  readonly obeySignals: (running: () => RunningServer | null, log: Logger) => void;
  /** All commands: for those that describe the others. */
  readonly commandTable: CommandTable;
  /** Version of this release. */
  readonly release: string;
  /** What starts this program again: an executable and its first words. */
  readonly self: readonly string[];
  /** From here on a signal that would end the process aborts this instead; a second one ends it at once. */
  readonly interrupted: () => AbortSignal;
}

export interface Command {
  readonly name: string;
  /** The heading it stands under in `quarry --help`. */
  readonly group: string;
  /** What stands behind the name there, and what the command does, in one line. */
  readonly words: string;
  readonly summary: string;
  readonly load: () => Promise<CommandCode>;
}

/** Commands, and words that the process answers itself. */
export interface CommandTable {
  readonly commands: readonly Command[];
  readonly others: readonly (Pick<Command, 'name' | 'group' | 'words' | 'summary'> & {
    readonly help: string;
  })[];
}

export interface CommandCode {
  /** The text of `quarry help NAME`: what it does, its options, examples, exit codes. */
  readonly help: string;
  /** Resolves with the exit code; a server then goes on until a signal ends it. */
  readonly run: (argv: readonly string[], needs: CommandNeeds) => Promise<ExitCode>;
}
