/**
 * The interface of a command of `quarry`: its context, its description and its exit codes.
 * Invariant: a command writes only to its context and returns an exit code or rejects; only main ends the process.
 */
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { AdminCommandContext } from './admin/admin-command.js';
import type { Output } from './progress.js';
import type { ServerDependencies } from './serve/create-engine.js';
import type { RunningServer } from './serve/serve.js';

/** Exit codes of all commands. */
export const EXIT = { done: 0, failed: 1, usage: 2, corrupt: 3, partly: 4, fatal: 70 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Descriptions for the help text, in this order. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done; for a server: stopped by a signal, everything is on disk',
  failed: 'the command failed or was refused; the reason is printed',
  usage: 'wrong arguments or options; nothing was done',
  corrupt: 'a file is damaged or was written by a newer release; it is named',
  partly: 'an import is done except for bad rows, which are written to a file',
  fatal: 'the server stopped because a write or sync of the log failed',
};

export interface CommandContext extends AdminCommandContext {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  /** Progress goes to standard error, so that standard output holds only the answer. */
  readonly stderr: Output;
  /** The dependencies of a server in this process, with a log of that level. */
  readonly serverDependencies: (logLevel: string) => ServerDependencies;
  /** The file that a thread of an import runs. */
  readonly importThreadFile: string;
  /** From now on signals end and checkpoint the server that `running` returns; null while it starts. */
  readonly obeySignals: (running: () => RunningServer | null, log: Logger) => void;
  /** All commands, for the commands that describe them. */
  readonly commandTable: CommandTable;
  /** Version of this release. */
  readonly release: string;
  /** The command that starts this program: an executable and its first arguments. */
  readonly self: readonly string[];
  /** From now on the first signal that would end the process aborts this instead; the second one ends the process. */
  readonly interrupted: () => AbortSignal;
}

export interface Command {
  readonly name: string;
  /** The heading of the command in `quarry --help`. */
  readonly group: string;
  /** The arguments shown after the name, and a description of one line. */
  readonly synopsis: string;
  readonly summary: string;
  readonly load: () => Promise<CommandCode>;
}

/** Commands, and those such as `help` that main executes itself. */
export interface CommandTable {
  readonly commands: readonly Command[];
  readonly others: readonly (Pick<Command, 'name' | 'group' | 'synopsis' | 'summary'> & {
    readonly help: string;
  })[];
}

export interface CommandCode {
  /** The text of `quarry help NAME`: description, options, examples, exit codes. */
  readonly help: string;
  /** Resolves with the exit code; a started server then runs until a signal ends it. */
  readonly run: (argv: readonly string[], context: CommandContext) => Promise<ExitCode>;
}
