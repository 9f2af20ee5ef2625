/**
 * The table of commands, and the parts of the command line that concern all of them: list, help and names.
 * Invariants: a row of the table is all that a command needs; the code of a command is loaded only when it runs, so that a
 * server does not load the Parquet reader.
 */
import { type Command, type CommandTable, EXIT, EXIT_MEANINGS } from './command.js';
import { suggestionOf } from './nearest.js';

type Row = readonly [name: string, synopsis: string, summary: string, load: Command['load']];

/** Groups and commands in the order in which `quarry --help` lists them. */
const GROUPS: Readonly<Record<string, readonly Row[]>> = {
  'The server': [
    ['serve', '[options]', 'start the server', () => import('./serve/serve-command.js')],
    [
      'demo',
      '[options]',
      'load real data into an empty server and run a tour of queries',
      () => import('./demo/demo-command.js'),
    ],
    [
      'bench',
      '[options]',
      'measure insert and query rates of this machine',
      () => import('./bench/bench-command.js'),
    ],
  ],
  'Through a running server': [
    [
      'sql',
      '[STATEMENT]',
      'run SQL: at a prompt, from an argument or from a pipe',
      () => import('./sql/sql-command.js'),
    ],
    [
      'import',
      'FILE...',
      'insert the rows of CSV, NDJSON, Arrow and Parquet files',
      () => import('./import/import-command.js'),
    ],
    [
      'export',
      '[DIMENSION]',
      'write a dimension or the result of a SELECT to a file',
      () => import('./export/export-command.js'),
    ],
    [
      'quarantine',
      '...',
      'list, show, export, retry and remove the refused lines that a server keeps',
      () => import('./quarantine/quarantine-command.js'),
    ],
    [
      'queries',
      '[--stop ID]',
      'list the queries that run or were slow; stop one',
      () => import('./queries/queries-command.js'),
    ],
  ],
  'A store, with or without a running server': [
    [
      'status',
      '[options]',
      'show the state of a server and the contents of its store',
      () => import('./status/status-command.js'),
    ],
    [
      'keys',
      '...',
      'list, create and delete team keys; rotate the keys of a database',
      () => import('./admin/keys-command.js'),
    ],
    [
      'account',
      '[STATE]',
      'show or set the state of the account',
      () => import('./admin/account-command.js'),
    ],
    [
      'retention',
      '[resume]',
      'show whether expired events are removed; resume their removal',
      () => import('./admin/retention-command.js'),
    ],
    [
      'backup',
      'TO',
      'copy a store into a directory while it is in use',
      () => import('./admin/backup-command.js'),
    ],
  ],
  Files: [
    [
      'restore',
      'BACKUP',
      'create a data directory from a backup, as of any later time',
      () => import('./admin/restore-command.js'),
    ],
    [
      'verify',
      'DIR',
      'check every checksum of a data directory',
      () => import('./inspect/verify-command.js'),
    ],
    [
      'inspect',
      'PATH...',
      'print the contents of the files of a store',
      () => import('./inspect/inspect-command.js'),
    ],
  ],
  'The command line': [
    [
      'completion',
      'bash|zsh|fish',
      'print a completion script for a shell',
      () => import('./shell/completion-command.js'),
    ],
    ['man', '', 'print the man page', () => import('./shell/man-command.js')],
  ],
};

export const COMMANDS: readonly Command[] = Object.entries(GROUPS).flatMap(([group, rows]) =>
  rows.map(([name, synopsis, summary, load]) => ({ name, group, synopsis, summary, load })),
);

/** Commands without code of their own, which main executes. */
const OTHERS: readonly (readonly [name: string, synopsis: string, summary: string, help: string])[] = [
  [
    'help',
    '[COMMAND]',
    'print this text, or the help of a command',
    `quarry help [COMMAND]

Prints the list of commands, or the description, options, examples and exit codes of COMMAND, as COMMAND --help does.

  quarry help serve

Exit code 0: done; 2: there is no such command.
`,
  ],
  [
    'version',
    '',
    'print the versions of Quarry and Node',
    `quarry version

Prints the versions of Quarry and of Node, the kind of machine, and whether the WebAssembly kernels could be loaded.

  quarry version

Exit code 0: done; 2: wrong arguments.
`,
  ],
];

const OTHERS_GROUP = 'This program';

export const COMMAND_TABLE: CommandTable = {
  commands: COMMANDS,
  others: OTHERS.map(([name, synopsis, summary, help]) => ({
    name,
    group: OTHERS_GROUP,
    synopsis,
    summary,
    help,
  })),
};

const LIST_WIDTH = Math.max(...COMMANDS.map(({ name, synopsis }) => name.length + synopsis.length + 3));
const listLine = (synopsis: string, summary: string): string =>
  `  quarry ${synopsis.padEnd(LIST_WIDTH)}${summary}`;

/** The text of `quarry --help`. */
export function commandsHelp(): string {
  const lines = ['quarry: an analytical database server for entities and their events'];
  for (const group of Object.keys(GROUPS)) {
    lines.push('', `${group}:`);
    for (const { name, synopsis, summary } of COMMANDS.filter((command) => command.group === group)) {
      lines.push(listLine(`${name} ${synopsis}`, summary));
    }
  }
  lines.push(
    '',
    `${OTHERS_GROUP}:`,
    ...OTHERS.map(([name, synopsis, summary]) => listLine(`${name} ${synopsis}`, summary)),
  );
  lines.push('', 'Exit codes:');
  for (const [ending, meaning] of Object.entries(EXIT_MEANINGS)) {
    lines.push(`  ${String(EXIT[ending as keyof typeof EXIT]).padEnd(4)}${meaning}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The command of that name, or the error message when there is none. */
export function commandNamed(name: string): Command | { readonly wrong: string } {
  const command = COMMANDS.find((one) => one.name === name);
  if (command !== undefined) return command;
  const names = [...COMMANDS.map((one) => one.name), ...OTHERS.map(([other]) => other)];
  return {
    wrong: `unknown command ${JSON.stringify(name)}${suggestionOf(name, names) || '; quarry --help lists them'}`,
  };
}

/** The action that the command line requests. */
export type Invocation =
  | { readonly action: 'print'; readonly text: string }
  | { readonly action: 'help'; readonly command: Command }
  | { readonly action: 'version' }
  | { readonly action: 'run'; readonly command: Command; readonly argv: readonly string[] }
  | { readonly action: 'nothing'; readonly wrong: string };

const HELP_FLAGS = ['--help', '-h'];
const VERSION_FLAGS = ['--version', '-V'];

/** `help X`, `X --help` and `--help X` are equal; the flag may be at any position. */
export function readInvocation(argv: readonly string[]): Invocation {
  const [first] = argv;
  const wantsHelp = first === undefined || first === 'help' || argv.some((arg) => HELP_FLAGS.includes(arg));
  if (isVersion(first) && !wantsHelp) {
    return argv.length === 1
      ? { action: 'version' }
      : { action: 'nothing', wrong: `${first} takes no arguments` };
  }
  const args = argv.filter((arg, at) => !HELP_FLAGS.includes(arg) && !(at === 0 && arg === 'help'));
  if (args.length === 0) return { action: 'print', text: commandsHelp() };
  if (first === 'help' && args.length > 1)
    return { action: 'nothing', wrong: 'help takes at most one command' };
  const named = isVersion(args[0]) ? 'version' : args[0];
  const other = OTHERS.find(([name]) => name === named);
  if (wantsHelp && other !== undefined) return { action: 'print', text: other[3] };
  const command = commandNamed(named);
  if ('wrong' in command) return { action: 'nothing', wrong: command.wrong };
  return wantsHelp ? { action: 'help', command } : { action: 'run', command, argv: argv.slice(1) };
}

const isVersion = (arg: string | undefined): boolean =>
  arg === 'version' || VERSION_FLAGS.includes(arg ?? '');
