/** `quarry export`: writes rows of a running server to a file or to standard output. */
import path from 'node:path';
import { NodeFileSystem } from '../../io/index.js';
import { readArguments, type Wrong } from '../admin/admin-options.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { suggestionOf } from '../nearest.js';
import { NO_PROGRESS, type Progress } from '../progress.js';
import { REMOTE_FLAGS, REMOTE_HELP, RemoteClient, readRemote } from '../remote/index.js';
import { type DimensionModel, readDimensions } from './dimension.js';
import { type Exported, exportedBytes, ofDimension, ofEvents, ofStatement } from './export-rows.js';
import { EXPORT_FORMATS, type FileForm, isText, readForm } from './format.js';
import { rowProgress } from './progress-of-rows.js';
import { exportSegments } from './segments.js';
import { SqlClient } from './sql-client.js';
import { ReaderGoneError, refuseExisting, writeFile, writeOutput } from './target.js';

export const exportHelp = `quarry export [DIMENSION | --sql SELECT | --segments] [-o FILE] [options]

Writes all rows of a dimension (by default of "default"), or the result of a SELECT, to a file or to standard output.
The file is written as FILE.part and renamed when it is complete and on disk. If the export fails, the file is removed.

  --dimension NAME  the same as DIMENSION
  --sql SELECT      write the rows of this SELECT
  -o, --output FILE the file to write; - is standard output (default: -)
  --format FORMAT   ${EXPORT_FORMATS.join(', ')} (default: by the name of FILE; ndjson on standard output)
                    .ndjson .jsonl, .csv, .arrows = Arrow stream, .arrow .feather = Arrow file, .parquet .pq
  --compression C   none, gzip, zstd (default: by .gz or .zst at the end of FILE); for Parquet snappy, gzip, zstd, none
                    (default: snappy)
  --events E        the events of a dimension: files = a file for each event column beside FILE, named FILE.COLUMN.FORMAT,
                    with entity ID, value and date of each event; nested = lines of NDJSON with lists of events, as
                    --format insert writes (default: without events)
  --segments        write the segments of the database as lines of JSON, which quarry import --segments reads: each with its
                    query, or with the IDs of its members that are entities
  --force           replace FILE

The file holds the entity ID and the attribute columns; what it leaves out is named. Parquet and Arrow keep types: lists
are lists, points are JSON texts; timestamps are UTC. --format insert holds everything: one line per entity, with its
events, in the form that POST /v1/insert accepts as application/x-ndjson and that quarry import reads. It runs several
queries, as --events files does, so rows that are written during the export may or may not be included (quarry backup
copies a store as of one time). It does not record which events of related event columns belong together.

${REMOTE_HELP}
Examples:
  quarry export flights -o flights.parquet
  quarry export --sql "SELECT country, COUNT(*) FROM [default] GROUP BY country" -o countries.csv
  quarry export visitors --events files -o visitors.parquet
  quarry export flights --format insert -o flights.ndjson.zst
  quarry export flights --format csv | head

Exit code 0: done; 1: the export failed and the file was removed; 2: wrong arguments or options.
`;

const FLAGS = {
  ...REMOTE_FLAGS,
  dimension: { type: 'string' },
  sql: { type: 'string' },
  output: { type: 'string', short: 'o' },
  format: { type: 'string' },
  compression: { type: 'string' },
  events: { type: 'string' },
  segments: { type: 'boolean' },
  force: { type: 'boolean' },
} as const;

export interface ExportLine {
  /** A SELECT statement, or the name of a dimension; null = the segments of the database. */
  readonly rows: { readonly sql: string } | { readonly dimension: string } | null;
  /** null = standard output. */
  readonly file: string | null;
  readonly form: FileForm;
  /** A file for each event column. */
  readonly eventFiles: boolean;
  readonly force: boolean;
}

/** Reads the command line, or returns the reason why it is wrong. */
export function readExportLine(
  positionals: readonly string[],
  flag: (name: keyof typeof FLAGS) => string | undefined,
): ExportLine | Wrong {
  const [sql, output] = [flag('sql'), flag('output')];
  if (positionals.length > 1)
    return { wrong: `export takes one dimension; unexpected argument ${JSON.stringify(positionals[1])}` };
  const named = [positionals[0], flag('dimension'), sql].filter((one) => one !== undefined);
  if (named.length > 1) return { wrong: 'export takes either one dimension or --sql' };
  if (named[0] === '' || output === '') return { wrong: 'the name of the dimension is empty' };
  const file = output === undefined || output === '-' ? null : path.resolve(output);
  const read = readForm({ format: flag('format'), compression: flag('compression') }, file);
  if ('wrong' in read) return read;
  const force = flag('force') !== undefined;
  if (flag('segments') !== undefined) {
    const isPlain = read.format === 'ndjson' && read.compression === 'none' && named.length === 0;
    return isPlain && flag('events') === undefined
      ? { rows: null, file, form: read, eventFiles: false, force }
      : {
          wrong:
            '--segments writes NDJSON: name a file such as segments.ndjson, and no dimension, SELECT or events',
        };
  }
  const events = flag('events');
  const wrongEvents = wrongOfEvents(events, read, file, sql);
  if (wrongEvents !== null) return { wrong: `--events: ${wrongEvents}` };
  const form: FileForm = events === 'nested' ? { ...read, format: 'insert' } : read;
  if (sql !== undefined && form.format === 'insert') {
    return { wrong: '--format insert exports a whole dimension, not a SELECT' };
  }
  const rows = sql === undefined ? { dimension: named[0] ?? 'default' } : { sql };
  return { rows, file, form, eventFiles: events === 'files', force };
}

function wrongOfEvents(
  events: string | undefined,
  { format }: FileForm,
  file: string | null,
  sql: string | undefined,
): string | null {
  if (events === undefined) return null;
  if (events !== 'files' && events !== 'nested')
    return `expected files or nested, not ${JSON.stringify(events)}`;
  if (sql !== undefined) return 'the events of a dimension, not of a SELECT, are exported';
  if (events === 'files' && file === null) return 'files are written beside FILE: name it with -o';
  if (events === 'files' && format === 'insert') return '--format insert holds the events already';
  const isLines = format === 'ndjson' || format === 'insert';
  return events === 'nested' && !isLines ? `nested events are NDJSON, not ${format}` : null;
}

export async function exportCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const read = readArguments(argv, FLAGS);
  if ('wrong' in read) return context.usage(read.wrong);
  const { positionals, flags } = read;
  const line = readExportLine(positionals, (name) => {
    const value = flags.get(name);
    return value === undefined ? undefined : String(value);
  });
  if ('wrong' in line) return context.usage(line.wrong);
  if (line.file === null && !isText(line.form) && context.stdout.isTTY === true) {
    return context.usage(
      `${line.form.format} cannot be shown on a terminal: write it to a file with -o FILE`,
    );
  }
  const access = await readRemote(flags, line.rows === null ? 'master-key' : 'read-key', context);
  if ('wrong' in access) return context.usage(access.wrong);
  const client = new RemoteClient(access, Number.POSITIVE_INFINITY);
  const signal = context.interrupted();
  try {
    await exportLine(line, { client, access, signal }, context);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof ReaderGoneError)) throw error;
  } finally {
    client.close();
  }
  return EXIT.done;
}

async function exportLine(
  line: ExportLine,
  { client, access, signal }: Pick<SqlClient, 'client' | 'access' | 'signal'>,
  context: CommandContext,
): Promise<void> {
  const { rows, file, form, eventFiles, force } = line;
  const shown = { progress: NO_PROGRESS };
  const note = (text: string): void => shown.progress.aside(() => context.note(text));
  const sqlClient = new SqlClient(client, access, signal, note);
  if (rows === null) {
    const count = await exportSegments(sqlClient, { file, force, stdout: context.stdout }, note);
    context.note(`${count} segments`);
    return;
  }
  const exported =
    'sql' in rows ? ofStatement(rows.sql) : ofDimension(await dimensionNamed(rows.dimension, sqlClient));
  const { whole } = exported;
  const events =
    whole === null || file === null || !eventFiles
      ? []
      : whole.events.map((column) => ({
          exported: ofEvents(whole, column),
          file: eventFile(file, column.apiName),
        }));
  const targets = [...(file === null ? [] : [file]), ...events.map((one) => one.file)];
  for (const target of targets) await refuseExisting(new NodeFileSystem(), target, force);
  const total = whole === null ? null : await sqlClient.number(`SELECT COUNT(*) FROM [${whole.name}]`);
  if (whole !== null) for (const text of omissions(whole, form, eventFiles)) context.note(text);
  await writeExport(exported, { ...line, total }, { sqlClient, shown, context });
  for (const one of events)
    await writeExport(one.exported, { ...line, file: one.file, total: null }, { sqlClient, shown, context });
}

async function writeExport(
  exported: Exported,
  {
    form,
    file,
    force,
    total,
  }: Pick<ExportLine, 'form' | 'file' | 'force'> & { readonly total: number | null },
  {
    sqlClient,
    shown,
    context: { stdout, stderr },
  }: {
    readonly sqlClient: SqlClient;
    /** Where notes learn of the progress beside which they are written. */
    readonly shown: { progress: Progress };
    readonly context: CommandContext;
  },
): Promise<void> {
  const progress = rowProgress(stderr, total, () => performance.now());
  shown.progress = progress;
  try {
    const bytes = exportedBytes(sqlClient, exported, form, (count, size) => progress.add(count, size));
    const written =
      file === null
        ? await writeOutput(stdout, bytes)
        : await writeFile(new NodeFileSystem(), file, bytes, force);
    progress.end(written, file ?? 'standard output');
  } catch (error) {
    progress.stop();
    throw error;
  } finally {
    shown.progress = NO_PROGRESS;
  }
}

/** "a.visit.csv.gz" of "a.csv.gz". */
const eventFile = (file: string, column: string): string =>
  file.replace(/(?:\.[^./]+)?(?:\.(?:gz|zst|zstd))?$/i, (endings) => `.${column}${endings}`);

async function dimensionNamed(name: string, sqlClient: SqlClient): Promise<DimensionModel> {
  const models = await readDimensions(sqlClient.client, sqlClient.access, sqlClient.signal);
  const model = models.find((one) => one.name === name);
  if (model !== undefined) return model;
  const names = models.map((one) => one.name);
  throw new Error(`there is no dimension ${JSON.stringify(name)}${suggestionOf(name, names)}`);
}

/** What the export leaves out of the dimension, a sentence each. */
function omissions(
  { events, relations, inactive }: DimensionModel,
  { format }: FileForm,
  eventFiles: boolean,
): string[] {
  const list = (names: readonly string[]): string => names.join(', ');
  const found: string[] = [];
  const hasEvents = eventFiles || format === 'insert';
  if (!hasEvents && events.length > 0)
    found.push(
      `the events of ${list(events.map(({ apiName }) => apiName))} are not exported (--events files or --format insert)`,
    );
  if (hasEvents && relations.length > 0)
    found.push(
      `the relation ${list(relations)} is not exported: the file does not record which events of its columns belong together`,
    );
  if (inactive.length > 0) found.push(`inactive columns are not exported: ${list(inactive)}`);
  return found;
}

export { exportCommand as run, exportHelp as help };
