/** `quarry export`: writes rows of a running server to a file or to standard output. */
import path from 'node:path';
import { NodeFileSystem } from '../../io/index.js';
import { readArguments, type Wrong } from '../admin/admin-options.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { suggestionOf } from '../nearest.js';
import { NO_PROGRESS, type Progress } from '../progress.js';
import { REMOTE_FLAGS, REMOTE_HELP, RemoteClient, readRemote } from '../remote/index.js';
import { type DimensionModel, readDimensions } from './dimension.js';
import { type Exported, exportedBytes, ofDimension, ofStatement } from './export-rows.js';
import { EXPORT_FORMATS, type FileForm, isText, readForm } from './format.js';
import { rowProgress } from './progress-of-rows.js';
import { SqlClient } from './sql-client.js';
import { ReaderGoneError, writeFile, writeOutput } from './target.js';

export const exportHelp = `quarry export [DIMENSION | --sql SELECT] [-o FILE] [options]

Writes all rows of a dimension (by default of "default"), or the result of a SELECT, to a file or to standard output.
The file is written as FILE.part and renamed when it is complete and on disk. If the export fails, the file is removed.

  --dimension NAME  the same as DIMENSION
  --sql SELECT      write the rows of this SELECT
  -o, --output FILE the file to write; - is standard output (default: -)
  --format FORMAT   ${EXPORT_FORMATS.join(', ')} (default: by the name of FILE; ndjson on standard output)
                    .ndjson .jsonl, .csv, .arrows = Arrow stream, .arrow .feather = Arrow file, .parquet .pq
  --compression C   none, gzip, zstd (default: by .gz or .zst at the end of FILE); for Parquet snappy, gzip, zstd, none
                    (default: snappy)
  --force           replace FILE

All formats except insert hold the entity ID and the attribute columns, without events. Parquet and Arrow keep types: lists
are lists, points are JSON texts. --format insert holds everything: one line per entity, with its events, in the form that
POST /v1/insert accepts as application/x-ndjson and that quarry import reads. It runs several queries, so rows that are
written during the export may or may not be included (quarry backup copies a store as of one time). It does not record
which events of related event columns belong together.

${REMOTE_HELP}
Examples:
  quarry export flights -o flights.parquet
  quarry export --sql "SELECT country, COUNT(*) FROM [default] GROUP BY country" -o countries.csv
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
  force: { type: 'boolean' },
} as const;

export interface ExportLine {
  /** A SELECT statement, or the name of a dimension. */
  readonly rows: { readonly sql: string } | { readonly dimension: string };
  /** null = standard output. */
  readonly file: string | null;
  readonly form: FileForm;
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
  const form = readForm({ format: flag('format'), compression: flag('compression') }, file);
  if ('wrong' in form) return form;
  if (sql !== undefined && form.format === 'insert') {
    return { wrong: '--format insert exports a whole dimension, not a SELECT' };
  }
  const rows = sql === undefined ? { dimension: named[0] ?? 'default' } : { sql };
  return { rows, file, form, force: flag('force') !== undefined };
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
  const access = await readRemote(flags, 'read-key', context);
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
  { rows, file, form, force }: ExportLine,
  { client, access, signal }: Pick<SqlClient, 'client' | 'access' | 'signal'>,
  { stdout, stderr, note }: CommandContext,
): Promise<void> {
  let shown: Progress = NO_PROGRESS;
  const sqlClient = new SqlClient(client, access, signal, (text) => shown.aside(() => note(text)));
  const exported =
    'sql' in rows ? ofStatement(rows.sql) : ofDimension(await dimensionNamed(rows.dimension, sqlClient));
  const total =
    exported.whole === null ? null : await sqlClient.number(`SELECT COUNT(*) FROM [${exported.whole.name}]`);
  if (form.format === 'insert') warnOfRelations(exported, stderr);
  const progress = rowProgress(stderr, total, () => performance.now());
  shown = progress;
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
  }
}

async function dimensionNamed(name: string, sqlClient: SqlClient): Promise<DimensionModel> {
  const models = await readDimensions(sqlClient.client, sqlClient.access, sqlClient.signal);
  const model = models.find((one) => one.name === name);
  if (model !== undefined) return model;
  const names = models.map((one) => one.name);
  throw new Error(`there is no dimension ${JSON.stringify(name)}${suggestionOf(name, names)}`);
}

function warnOfRelations({ whole }: Exported, stderr: CommandContext['stderr']): void {
  for (const relation of whole?.relations ?? []) {
    stderr.write(
      `the relation ${relation} is not exported: the file does not record which events of its columns belong together\n`,
    );
  }
}

export { exportCommand as run, exportHelp as help };
