/** `quarry quarantine`: lists, shows, exports, retries and removes the refused lines that a server keeps. */
import path from 'node:path';
import { NodeFileSystem } from '../../io/index.js';
import { inColumns } from '../columns.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { SqlClient } from '../export/sql-client.js';
import { ReaderGoneError, writeFile, writeOutput } from '../export/target.js';
import { printable } from '../printable.js';
import { formatCount } from '../progress.js';
import { REMOTE_HELP, RemoteClient, readRemote } from '../remote/index.js';
import { Quarantines, type RefusedLine } from './quarantine.js';
import { type QuarantineLine, readQuarantineLine } from './quarantine-line.js';

export const quarantineHelp = `quarry quarantine list
quarry quarantine show [DIMENSION] [--code N] [--before TIME] [--limit N]
quarry quarantine export [DIMENSION] [-o FILE] [--code N] [--before TIME]
quarry quarantine retry [DIMENSION]
quarry quarantine empty [DIMENSION] [--code N] [--before TIME] [--force]

A server keeps lines that it refused, if they were sent with on-error=quarantine or through an inlet, in the dimension
DIMENSION-quarantine. DIMENSION is the one into which they should have gone (default: "default").

  list      shows every quarantine: its number of lines, and when the first and the last was received
  show      counts the lines by error code, and prints the last of them with their reasons
  export    writes the lines as NDJSON: id, received, code, reason, line-number, source, request, parameters, header, line
  retry     inserts the lines again, as they were sent; a line that is inserted leaves the quarantine
  empty     removes lines; all of them only with --force

  --code N          only lines that were refused with this error code
  --before TIME     only lines that were received before this time, such as 2026-01-05T10:00:00Z
  --limit N         number of lines that show prints (default: 10)
  -o, --output FILE the file to write; - is standard output (default: -)
  --force           export: replace FILE; empty: remove all lines

${REMOTE_HELP}
To remove exactly the lines that were exported, name the same --before, which is in the past, in both commands.

  quarry quarantine list --data-dir /var/lib/quarry
  quarry quarantine show requests --code 2011
  quarry quarantine export requests -o refused.ndjson --before 2026-01-05
  quarry quarantine retry requests

Exit code 0: done; 1: the command failed; 2: wrong arguments or options; 4: retry is done, but some lines are still refused.
`;

export async function quarantineCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const line = readQuarantineLine(argv);
  if ('wrong' in line) return context.usage(line.wrong);
  const access = await readRemote(line.flags, 'master-key', context);
  if ('wrong' in access) return context.usage(access.wrong);
  const client = new RemoteClient(access, Number.POSITIVE_INFINITY);
  const signal = context.interrupted();
  try {
    const sqlClient = new SqlClient(client, access, signal, context.note);
    return await ACTION[line.action](new Quarantines(sqlClient, context.note), line, context);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ReaderGoneError) return EXIT.done;
    throw error;
  } finally {
    client.close();
  }
}

type Perform = (quarantines: Quarantines, line: QuarantineLine, context: CommandContext) => Promise<ExitCode>;

const ACTION: Readonly<Record<QuarantineLine['action'], Perform>> = {
  async list(quarantines, _line, { out, note }) {
    const found = await quarantines.list();
    if (found.length === 0) note('no line is in quarantine');
    const rows = found.map(({ dimension, quarantine, lineCount, oldest, newest }) => [
      dimension ?? quarantine,
      `${formatCount(lineCount)} lines`,
      oldest === null ? '' : `from ${oldest} to ${newest}`,
    ]);
    if (rows.length > 0) out(`${inColumns(rows, [1]).join('\n')}\n`);
    return EXIT.done;
  },

  async show(quarantines, { dimension, filter, limit }, { out }) {
    const name = await quarantines.named(dimension);
    const reasons = await quarantines.reasons(name, filter);
    const total = reasons.reduce((sum, { lineCount }) => sum + lineCount, 0);
    out(`${formatCount(total)} lines in ${name}\n`);
    const counts = reasons.map(({ code, lineCount, reason }) => [
      `  ${code}`,
      formatCount(lineCount),
      cut(printable(reason)),
    ]);
    if (counts.length > 0) out(`${inColumns(counts, [1]).join('\n')}\n`);
    if (limit === 0) return EXIT.done;
    for await (const one of quarantines.lines(name, filter, limit)) out(`\n${shown(one)}`);
    return EXIT.done;
  },

  async export(quarantines, { dimension, filter, file, force }, { stdout, note }) {
    const name = await quarantines.named(dimension);
    let count = 0;
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for await (const one of quarantines.lines(name, filter)) {
        yield Buffer.from(`${JSON.stringify(one)}\n`);
        count++;
      }
    }
    if (file === null) await writeOutput(stdout, bytes());
    else await writeFile(new NodeFileSystem(), path.resolve(file), bytes(), force);
    note(`${formatCount(count)} lines to ${file ?? 'standard output'}`);
    return EXIT.done;
  },

  async retry(quarantines, { dimension }, { out, note }) {
    await quarantines.named(dimension);
    let [inserted, refused] = [0, 0];
    let first: string | null = null;
    for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
      const answer = await quarantines.retry(dimension, after);
      inserted += answer.inserted;
      refused += answer.refused;
      if (first === null && answer.first !== undefined)
        first = `the first still refused line: code ${answer.first.code}: ${printable(answer.first.message)}`;
      after = answer.after;
    }
    out(`${formatCount(inserted)} lines inserted, ${formatCount(refused)} still refused\n`);
    if (first !== null) note(first);
    return refused === 0 ? EXIT.done : EXIT.partly;
  },

  async empty(quarantines, { dimension, filter }, { out }) {
    const removed = await quarantines.empty(await quarantines.named(dimension), filter);
    out(`${formatCount(removed)} lines removed\n`);
    return EXIT.done;
  },
};

/** Characters of a line or reason on the terminal. */
const SHOWN_CHARS = 200;

const cut = (text: string): string => {
  const points = [...text];
  if (points.length <= SHOWN_CHARS) return text;
  return `${points.slice(0, SHOWN_CHARS).join('')}... (${formatCount(points.length)} characters)`;
};

function shown({ received, code, reason, source, line, 'line-number': number }: RefusedLine): string {
  const from = source === undefined ? '' : `, from ${printable(String(source))}`;
  return (
    `${received}, line ${number ?? '?'} of its request${from}\n` +
    `  ${code}: ${cut(printable(String(reason ?? '')))}\n` +
    `  ${cut(printable(String(line ?? '')))}\n`
  );
}

export { quarantineCommand as run, quarantineHelp as help };
