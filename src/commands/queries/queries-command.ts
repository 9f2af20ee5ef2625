/** `quarry queries`: lists the queries that run in a database or were slow, and stops one. */
import type { answers } from '../../interface/index.js';
import { type Flags, flagTextOf, readArguments, type Wrong } from '../admin/admin-options.js';
import { inColumns } from '../columns.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { printable } from '../printable.js';
import { formatCount } from '../progress.js';
import { REMOTE_FLAGS, REMOTE_HELP, type RemoteAccess, RemoteClient, readRemote } from '../remote/index.js';

export const queriesHelp = `quarry queries [--json]
quarry queries --slow [--json]
quarry queries --stop ID

Lists the queries that run in the database of the key, the oldest first: ID, time, state, key, endpoint and text. They include
statements of the Postgres port and evaluations of live answers.

  --slow            the newest queries that took longer than --slow-query of quarry serve, with their plans
  --stop ID         stops a query: its client gets an error. A write that is in the log is not undone
  --json            the answer of the server: /v1/status/queries or /v1/status/slow_queries

${REMOTE_HELP}
The key must be the master key of the database.

  quarry queries --data-dir /var/lib/quarry
  quarry queries --stop 7c3f0e9ab1d2-41

Exit code 0: done; 1: the command failed, or the query had ended before --stop; 2: wrong arguments or options.
`;

const FLAGS = {
  ...REMOTE_FLAGS,
  slow: { type: 'boolean' },
  stop: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const PATH = '/v1/status/queries';
/** Characters of a query on the terminal. */
const TEXT_MAX = 120;

type RunningQuery = answers.RunningQuery;
type SlowQuery = answers.SlowQuery;

export async function queriesCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const read = readArguments(argv, FLAGS);
  if ('wrong' in read) return context.usage(read.wrong);
  const wrong = wrongIn(read.positionals, read.flags);
  if (wrong !== null) return context.usage(wrong.wrong);
  const access = await readRemote(read.flags, 'master-key', context);
  if ('wrong' in access) return context.usage(access.wrong);
  const client = new RemoteClient(access, 1);
  try {
    const id = flagTextOf(read.flags, 'stop');
    return id === undefined
      ? await list(client, access, read.flags, context)
      : await stop(client, access, id, context);
  } finally {
    client.close();
  }
}

function wrongIn(positionals: readonly string[], flags: Flags): Wrong | null {
  if (positionals.length > 0)
    return { wrong: `queries takes no argument such as ${JSON.stringify(positionals[0])}` };
  const others = ['slow', 'json'].filter((name) => flags.has(name));
  return flags.has('stop') && others.length > 0 ? { wrong: `queries --stop takes no --${others[0]}` } : null;
}

async function stop(
  client: RemoteClient,
  { key }: RemoteAccess,
  id: string,
  { out, note }: CommandContext,
): Promise<ExitCode> {
  const path = `${PATH}/${encodeURIComponent(id)}`;
  const { stopped } = (await client.json({ method: 'DELETE', path, key })) as { readonly stopped: boolean };
  if (stopped) out(`stopped ${printable(id)}\n`);
  else note(`no query ${printable(id)} runs in this database`);
  return stopped ? EXIT.done : EXIT.failed;
}

async function list(
  client: RemoteClient,
  { key }: RemoteAccess,
  flags: Flags,
  { out, note }: CommandContext,
): Promise<ExitCode> {
  const isSlow = flags.has('slow');
  const path = isSlow ? '/v1/status/slow_queries' : PATH;
  const answer = (await client.json({ method: 'GET', path, key })) as {
    readonly queries: readonly (RunningQuery & SlowQuery)[];
  };
  if (flags.has('json')) out(`${JSON.stringify(answer)}\n`);
  else if (answer.queries.length === 0) note(isSlow ? 'no query was slow' : 'no query runs');
  else out(isSlow ? slowText(answer.queries) : runningText(answer.queries));
  return EXIT.done;
}

const runningText = (queries: readonly RunningQuery[]): string =>
  linesOf(queries.map((query) => [query.id, timeOf(query), query.state, ...restOf(query)]));

const slowText = (queries: readonly SlowQuery[]): string =>
  queries
    .map((query) => {
      const result = query.code === undefined ? '' : `error ${query.code}`;
      const plan = query.plan.map((line) => `    ${printable(line)}\n`);
      return linesOf([[query.ended, timeOf(query), result, ...restOf(query)]]) + plan.join('');
    })
    .join('');

const linesOf = (rows: readonly (readonly string[])[]): string => `${inColumns(rows, [1]).join('\n')}\n`;

const timeOf = ({ milliseconds }: RunningQuery | SlowQuery): string => `${formatCount(milliseconds)} ms`;

function restOf({ key, 'key-name': name, endpoint, query }: RunningQuery | SlowQuery): readonly string[] {
  const text = printable(query.replace(/\s+/g, ' ').trim());
  const cut = text.length > TEXT_MAX ? `${[...text].slice(0, TEXT_MAX).join('')}...` : text;
  return [printable(name ?? key), endpoint, cut];
}

export { queriesCommand as run, queriesHelp as help };
