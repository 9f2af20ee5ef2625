/** `quarry sql`: runs SQL on a server, from a prompt, an argument or a pipe. */
import { BODY_BYTES_MAX } from '../../base/index.js';
import { NodeFileSystem } from '../../io/index.js';
import { readArguments } from '../admin/admin-options.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { SqlClient } from '../export/sql-client.js';
import { ReaderGoneError } from '../export/target.js';
import { suggestionOf } from '../nearest.js';
import { REMOTE_FLAGS, REMOTE_HELP, RemoteClient, RemoteError, readRemote } from '../remote/index.js';
import { errorText } from './error-text.js';
import { History, historyFile } from './history.js';
import { standardOutlet } from './outlet.js';
import { runPrompt } from './prompt.js';
import { DRAWN_ROWS_MAX, runStatement, SQL_FORMATS, type SqlFormat } from './run-statement.js';
import { StatementReader } from './statements.js';
import type { Terminal } from './table.js';

export const sqlHelp = `quarry sql [STATEMENT] [--format FORMAT]

Runs SQL on a running server. Without STATEMENT, on a terminal, the command is a prompt: statements end with ; and may span
several lines, Tab completes the names of dimensions and columns, and \\? lists the commands of the prompt. Statements can
also come from a pipe; they run one by one until one fails. Several writes in STATEMENT take effect together or not at all.

  --format FORMAT   ${SQL_FORMATS.join(', ')} (default: table on a terminal, else csv)
                    table and vertical show at most ${DRAWN_ROWS_MAX} rows; the others stream any number. json is the unchanged answer
                    of the server. Writes print their counts.

The prompt stores its statements in $XDG_STATE_HOME/quarry/sql-history (default: ~/.local/state), readable only by the user.

${REMOTE_HELP}
Examples:
  quarry sql
  quarry sql 'SELECT COUNT(*) FROM [default]'
  quarry sql 'SELECT * FROM flights' --format csv | head
  echo "DELETE FROM flights WHERE delay IS NULL;" | quarry sql

Exit code 0: done; 1: a statement was refused or the server could not be reached; 2: wrong arguments or options.
`;

const FLAGS = { ...REMOTE_FLAGS, format: { type: 'string' } } as const;

/** The context in which statements run. */
interface Session {
  readonly client: RemoteClient;
  readonly sqlClient: SqlClient;
  readonly format: SqlFormat;
  readonly terminal: Terminal;
  readonly context: CommandContext;
}

export async function sqlCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const read = readArguments(argv, FLAGS);
  if ('wrong' in read) return context.usage(read.wrong);
  const { positionals, flags } = read;
  if (positionals.length > 1) return context.usage('sql takes one argument: put the statement in quotes');
  const isTerminal = context.stdout.isTTY === true;
  const named = flags.get('format');
  const format =
    named === undefined ? (isTerminal ? 'table' : 'csv') : SQL_FORMATS.find((one) => one === named);
  if (format === undefined) {
    const message = `--format: expected one of ${SQL_FORMATS.join(', ')}, not ${JSON.stringify(named)}`;
    return context.usage(`${message}${suggestionOf(String(named), SQL_FORMATS)}`);
  }
  if (format === 'arrow' && isTerminal)
    return context.usage('the format arrow cannot be shown on a terminal');
  const access = await readRemote(flags, 'master-key', context);
  if ('wrong' in access) return context.usage(access.wrong);
  const client = new RemoteClient(access, 1);
  try {
    if (positionals.length === 0 && context.stdin.isTTY === true && isTerminal)
      return await atPrompt(client, access, format, context);
    const signal = context.interrupted();
    const sqlClient = new SqlClient(client, access, signal, context.note);
    const session = { client, sqlClient, format, terminal: terminalOf(context), context };
    return await (positionals.length === 1 ? runText(positionals[0], session) : runPiped(session)).catch(
      (error) => {
        if (signal.aborted) throw signal.reason;
        if (error instanceof ReaderGoneError) return EXIT.done;
        throw error;
      },
    );
  } finally {
    client.close();
  }
}

async function atPrompt(
  client: RemoteClient,
  access: SqlClient['access'],
  format: SqlFormat,
  { stdin, stdout, env }: CommandContext,
): Promise<ExitCode> {
  const files = new NodeFileSystem();
  const history = new History(files, historyFile(env));
  const styled = isStyled(env);
  await runPrompt({ input: stdin, output: stdout, client, access, history, files, format, styled });
  return EXIT.done;
}

/** Follows https://no-color.org. */
const isStyled = (env: CommandContext['env']): boolean => (env.NO_COLOR ?? '') === '';

function terminalOf({ stdout, env }: CommandContext): Terminal {
  if (stdout.isTTY !== true) return { width: Number.POSITIVE_INFINITY, styled: false };
  return { width: (stdout as { readonly columns?: number }).columns || 80, styled: isStyled(env) };
}

/** Runs a statement; writes a refusal to standard error. */
async function runOne(
  statement: string,
  { sqlClient, format, terminal, context }: Session,
): Promise<ExitCode> {
  try {
    await runStatement(sqlClient, statement, format, standardOutlet(context.stdout), terminal);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    context.stderr.write(errorText(error, statement, terminal.width));
    return EXIT.failed;
  }
}

/** Runs SELECTs one by one, because only JSON can hold several results; sends writes in one request, which is atomic. */
async function runText(text: string, session: Session): Promise<ExitCode> {
  const reader = new StatementReader();
  const statements = [...reader.take(text), reader.rest()].filter((statement) => statement !== '');
  const oneByOne = session.format !== 'json' && statements.length > 1 && statements.every(isRead);
  for (const statement of oneByOne ? statements : [text]) {
    const code = await runOne(statement, session);
    if (code !== EXIT.done) return code;
  }
  return EXIT.done;
}

const isRead = (statement: string): boolean => /^(?:select|explain)\b/i.test(statement);

async function runPiped(session: Session): Promise<ExitCode> {
  const { stdin } = session.context;
  const reader = new StatementReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const part of stdin) {
    for (const statement of reader.take(decoder.decode(part, { stream: true }))) {
      const code = await runOne(statement, session);
      if (code !== EXIT.done) return code;
    }
    if (reader.open.length > BODY_BYTES_MAX) throw new Error('the statement does not end with ; within 5 MB');
  }
  const rest = reader.rest();
  return rest === '' ? EXIT.done : runOne(rest, session);
}

export { sqlCommand as run, sqlHelp as help };
