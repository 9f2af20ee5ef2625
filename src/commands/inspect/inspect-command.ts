/** `quarry inspect PATH...`: prints the contents of a store's files as text or JSON. Nothing is changed or locked. */
import path from 'node:path';
import { CorruptionError, NewerFormatError } from '../../base/index.js';
import {
  decodeDeduplicationFile,
  decodeLineKeyFile,
  decodeManifest,
  LINE_KEY_ENTRY_BYTES,
} from '../../format/index.js';
import {
  readLogHead,
  readSnapshot,
  recordsFrom,
  recordsOfFile,
  rowOf,
  summarizeStore,
  withoutSecrets,
} from '../../inspect/index.js';
import { type FileSystem, NodeFileSystem } from '../../io/index.js';
import { listLogFiles } from '../../wal/index.js';
import { type FlagKinds, flagTextOf, readFlags, type Wrong } from '../admin/admin-options.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { printable } from '../printable.js';
import { formatBytes, formatCount } from '../progress.js';
import {
  EVERY_LSN,
  type LogPrint,
  type LsnRange,
  printLogSummary,
  printRecords,
  printRecordsAsJson,
} from './log-file.js';
import { snapshotText, summaryText } from './text.js';

export const inspectHelp = `quarry inspect PATH... [--records] [--lsn A..B] [--rows N] [--json]

Prints the contents of the files of a store, whether a server has it open or not. A PATH is a data directory, its
manifest, a folder of log files, a log file (log/*.qlog, also of an archive) or a snapshot file (snapshot/*/*.arrow).
Nothing is changed. Every byte that is printed was checked; quarry verify checks a whole store.

  --records    for a log or a data directory: one line per record
  --lsn A..B   only records A to B (A.. and ..B leave an end open; A alone is one record)
  --rows N     for a snapshot file: also its first N rows, one JSON object each
  --json       JSON instead of text; for logs one object per record with its whole content. Columns are named by their
               ids, decimals have no point, integers beyond 2^53 are texts. Hashes of keys and passwords are omitted

  quarry inspect /var/lib/quarry
  quarry inspect /var/lib/quarry --lsn 100..120
  quarry inspect /var/lib/quarry/log/*.qlog --json | jq 'select(.type == "delete")'
  quarry inspect /var/lib/quarry/snapshot/d1-1/entities-*.arrow --rows 3

Exit code 0: done; 1: a PATH could not be read or is none of these; 2: wrong arguments; 3: a file is damaged or of a
newer release; file, byte and reason are printed.
`;

export interface InspectLine {
  readonly paths: readonly string[];
  readonly records: boolean;
  readonly range: LsnRange;
  readonly rows: number;
  readonly json: boolean;
}

const FLAGS = {
  records: { type: 'boolean' },
  lsn: { type: 'string' },
  rows: { type: 'string' },
  json: { type: 'boolean' },
} as const satisfies FlagKinds;

/** Reads the command line, or returns the reason why it is wrong. */
export function readInspectLine(argv: readonly string[]): InspectLine | Wrong {
  const read = readFlags(argv, FLAGS);
  if ('wrong' in read) return read;
  const { positionals, flags } = read;
  if (positionals.length === 0) return { wrong: 'inspect takes the files or data directories to print' };
  const lsn = flagTextOf(flags, 'lsn');
  const range = lsn === undefined ? EVERY_LSN : rangeOf(lsn);
  if (range === null) {
    return { wrong: `--lsn: expected 17, 17..20, 17.. or ..20, not ${JSON.stringify(lsn)}` };
  }
  const rows = flagTextOf(flags, 'rows') ?? '0';
  if (!/^\d{1,9}$/.test(rows))
    return { wrong: `--rows: expected a whole number, not ${JSON.stringify(rows)}` };
  return {
    paths: positionals.map((word) => path.resolve(word)),
    records: flags.has('records') || lsn !== undefined,
    range,
    rows: Number(rows),
    json: flags.has('json'),
  };
}

function rangeOf(text: string): LsnRange | null {
  const match = /^(\d{1,15})?(\.\.)?(\d{1,15})?$/.exec(text);
  if (match === null || text === '' || text === '..') return null;
  const [, from, dots, to] = match;
  if (dots === undefined) return { from: Number(from), to: Number(from) };
  const range = { from: Number(from ?? EVERY_LSN.from), to: Number(to ?? EVERY_LSN.to) };
  return range.from <= range.to ? range : null;
}

export async function inspectCommand(
  argv: readonly string[],
  context: Pick<CommandContext, 'out' | 'note' | 'usage'>,
): Promise<ExitCode> {
  const line = readInspectLine(argv);
  if ('wrong' in line) return context.usage(line.wrong);
  let worst: ExitCode = EXIT.done;
  for (const file of line.paths) {
    if (line.paths.length > 1 && !line.json) context.out(`== ${printable(file)}\n`);
    try {
      await inspect(file, line, context);
    } catch (error) {
      const code = endingOf(error as Error);
      context.note((error as Error).message);
      if (code > worst) worst = code;
    }
  }
  return worst;
}

/** The exit code for an error of one path; other errors are thrown as bugs. */
function endingOf(error: Error): ExitCode {
  if (error instanceof CorruptionError || error instanceof NewerFormatError) return EXIT.corrupt;
  if (error instanceof NotOursError || typeof (error as NodeJS.ErrnoException).code === 'string')
    return EXIT.failed;
  throw error;
}

/** The path holds nothing that this command prints. */
class NotOursError extends Error {}

type InspectContext = Pick<CommandContext, 'out' | 'note'>;
type Print = (fs: FileSystem, file: string, line: InspectLine, context: InspectContext) => Promise<void>;

const BY_MAGIC: Readonly<Record<string, Print>> = {
  QRYMAN: inspectManifest,
  QRYLOG: inspectLogFile,
  QRYONC: inspectDeduplicationFile,
  QRYKEY: inspectLineKeyFile,
  ARROW1: inspectSnapshot,
};

/** Recognizes files whose first bytes are damaged by their names. */
const BY_NAME: readonly (readonly [RegExp, Print])[] = [
  [/^manifest$/, inspectManifest],
  [/^log-.*\.qlog$/, inspectLogFile],
  [/\.arrow$/, inspectSnapshot],
];

async function inspect(file: string, line: InspectLine, context: InspectContext): Promise<void> {
  const fs = new NodeFileSystem();
  const name = path.basename(file);
  if (name === 'keys.json') throw new NotOursError(`${file} holds keys in plain text and is not printed`);
  const magic = await magicOf(fs, file);
  if (magic === null) return inspectFolder(fs, file, line, context);
  const print = BY_MAGIC[magic] ?? BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
  if (print === undefined) {
    throw new NotOursError(`${file} is not a data directory, manifest, log file or snapshot file`);
  }
  return print(fs, file, line, context);
}

/** The first six bytes; null for a folder. */
async function magicOf(fs: FileSystem, file: string): Promise<string | null> {
  try {
    const handle = await fs.open(file, 'read');
    try {
      const head = Buffer.alloc(6);
      return head.toString('latin1', 0, await handle.read(head, 0));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return null;
    throw error;
  }
}

async function inspectFolder(
  fs: FileSystem,
  dir: string,
  line: InspectLine,
  context: InspectContext,
): Promise<void> {
  if (!(await fs.exists(path.join(dir, 'manifest')))) return inspectLogFolder(fs, dir, line, context);
  if (line.records) return inspectLogFolder(fs, path.join(dir, 'log'), line, context);
  const summary = await summarizeStore(fs, dir);
  if (summary === null) throw new NotOursError(`${dir} holds no store`);
  context.out(line.json ? `${JSON.stringify(summary)}\n` : summaryText(summary));
}

async function inspectLogFolder(
  fs: FileSystem,
  dir: string,
  line: InspectLine,
  context: InspectContext,
): Promise<void> {
  const [first] = await listLogFiles(fs, dir);
  if (first === undefined) throw new NotOursError(`${dir} holds neither a store nor log files`);
  const fromLsn = Math.max(first.firstLsn, line.range.from);
  return printLog(
    { ...context, range: line.range, read: (ended) => recordsFrom({ fs, dir, fromLsn }, ended) },
    line,
  );
}

async function inspectLogFile(
  fs: FileSystem,
  file: string,
  line: InspectLine,
  context: InspectContext,
): Promise<void> {
  const { version, firstLsn, bytes } = await readLogHead(fs, file);
  const name = `log-${String(firstLsn).padStart(16, '0')}.qlog`;
  if (path.basename(file) !== name) {
    throw new NotOursError(
      `${file} begins with LSN ${firstLsn}, so its name must be ${name}; copy it to that name`,
    );
  }
  if (!line.json && !line.records) {
    context.out(
      `log file, format version ${version}, ${formatBytes(bytes)} (including space for further records)\n`,
    );
  }
  return printLog({ ...context, range: line.range, read: (ended) => recordsOfFile(fs, file, ended) }, line);
}

function printLog(print: LogPrint, { json, records }: InspectLine): Promise<void> {
  if (json) return printRecordsAsJson(print);
  return records ? printRecords(print) : printLogSummary(print);
}

async function inspectManifest(
  fs: FileSystem,
  file: string,
  line: InspectLine,
  { out }: InspectContext,
): Promise<void> {
  const manifest = decodeManifest(await fs.readFile(file), file);
  if (line.json) return out(`${JSON.stringify(withoutSecrets(manifest))}\n`);
  const { storeId, checkpointLsn, shardCount, createdMs, files } = manifest;
  const made = new Date(createdMs).toISOString();
  out(
    `manifest of store ${printable(storeId)}: checkpoint at LSN ${checkpointLsn}, made ${made}, ${shardCount} shards\n`,
  );
  for (const { path: name, rowCount, bytes } of files) {
    out(`${printable(name)}  ${formatCount(rowCount)} rows  ${formatBytes(bytes)}\n`);
  }
}

async function inspectDeduplicationFile(
  fs: FileSystem,
  file: string,
  line: InspectLine,
  { out }: InspectContext,
): Promise<void> {
  let count = 0;
  for (const part of decodeDeduplicationFile(await fs.readFile(file), file)) count += part.length;
  out(
    line.json
      ? `${JSON.stringify({ file, namedWriteCount: count })}\n`
      : `${formatCount(count)} Idempotency-Keys\n`,
  );
}

async function inspectLineKeyFile(
  fs: FileSystem,
  file: string,
  line: InspectLine,
  { out }: InspectContext,
): Promise<void> {
  let count = 0;
  for (const part of decodeLineKeyFile(await fs.readFile(file), file))
    count += part.length / LINE_KEY_ENTRY_BYTES;
  out(
    line.json
      ? `${JSON.stringify({ file, lineKeyCount: count })}\n`
      : `${formatCount(count)} keys of lines\n`,
  );
}

async function inspectSnapshot(
  fs: FileSystem,
  file: string,
  line: InspectLine,
  { out }: InspectContext,
): Promise<void> {
  const snapshot = await readSnapshot(fs, file);
  const { table, columns, bytes, columnBytes, entry } = snapshot;
  if (line.json) {
    const described = columns.map((column) => ({ ...column, metadata: Object.fromEntries(column.metadata) }));
    const { rowCount } = table;
    out(`${JSON.stringify({ file, bytes, columnBytes, rowCount, columns: described, entry })}\n`);
  } else out(snapshotText(snapshot));
  for (let row = 0; row < Math.min(line.rows, table.rowCount); row++) {
    out(`${JSON.stringify(rowOf(table, row, file))}\n`);
  }
}

export { inspectCommand as run, inspectHelp as help };
