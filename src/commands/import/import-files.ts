/**
 * `quarry import`: imports the files one after another. The mapping of a file is shown before anything is created or sent.
 */
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { FileSystem } from '../../io/index.js';
import {
  formatBytes,
  formatCount,
  NO_PROGRESS,
  type Output,
  type Progress,
  startProgress,
} from '../progress.js';
import { type RemoteAccess, type RemoteAddress, RemoteClient, waiting } from '../remote/index.js';
import { badFilesOf, refuseSameIds, rowNameOf } from './derived-names.js';
import { openSource } from './formats/format.js';
import { fileInput, type Input, streamInput } from './formats/input.js';
import { ImportError } from './formats/row-block.js';
import { sampled } from './formats/row-range.js';
import { openUrl } from './formats/url-input.js';
import { bodiesOf, hashOfServer, type ImportedFile, type ImportReport, importFile } from './import-file.js';
import { type ImportOptions, LINE_ID } from './import-options.js';
import { idCaseOf, idColumnsOf, importDimensionOf, planMapping, usedColumns } from './mapping/mapping.js';
import { mappingLines } from './mapping/mapping-table.js';
import { fetchColumns, makeColumns, type ServerColumns } from './mapping/server-model.js';
import { isUrl, namedFiles } from './named-files.js';
import { bodyText, isDistinct } from './send/bodies.js';
import { InsertSender } from './send/insert-sender.js';

const SAMPLE_ROWS = 10_000;
/** Interval of progress lines for a stream, whose length is unknown. */
const STREAM_NOTE_MS = 5_000;
const SHOWN_BODY_CHARS = 1_000;

export interface ImportFilesContext {
  readonly options: ImportOptions;
  /** Path of text/thread.js. */
  readonly threadFile: string;
  readonly access: RemoteAccess & RemoteAddress;
  readonly files: FileSystem;
  readonly stdin: Readable;
  /** Receives the mapping and the totals. */
  readonly out: (text: string) => void;
  readonly progress: Output;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
  readonly elapsedMs: () => number;
  readonly nowMs: () => number;
  readonly random: () => number;
}

/** `bad` counts rows of this run and of the runs that it resumed. */
export interface ImportTotals {
  readonly bad: number;
}

/** Rejects with ImportError, RemoteError, UnreachableError or the system's error; inserted rows stay. */
export async function importFiles(context: ImportFilesContext): Promise<ImportTotals> {
  const { options, access } = context;
  const names = await namedFiles(options.files, context.files);
  if (names.length > 1 && (options.badFile !== null || options.stateFile !== null))
    throw new ImportError(`--bad and --state can only be used with a single file, not with ${names.length}`);
  await refuseSameIds(names, (name) => isNumbered(name, context));
  const client = new RemoteClient(access, options.connections, waiting(context.note));
  const badFiles = badFilesOf(names);
  let bad = 0;
  try {
    for (const name of names) {
      const badFile = path.resolve(options.badFile ?? badFiles(name));
      bad += await importOne(name, client, { ...context, badFile });
    }
  } finally {
    client.close();
  }
  return { bad };
}

/** `badFile` is the absolute path of the file's bad rows. */
type OneFileContext = ImportFilesContext & { readonly badFile: string };

async function importOne(name: string, client: RemoteClient, context: OneFileContext): Promise<number> {
  const { options, out, access } = context;
  const { input, close } = await openInput(name, context);
  try {
    const { source, description } = await openSource(input, options, SAMPLE_ROWS);
    const looked = await sampled(source, SAMPLE_ROWS);
    const server = await serverColumns(client, importDimensionOf(source, options), context);
    const planned = planMapping(source, looked.sample, options, server);
    const size = input.byteCount === null ? '' : `, ${formatBytes(input.byteCount)}`;
    const rows = source.rowCount === null ? '' : `, ${formatCount(source.rowCount)} rows`;
    out(`${name === '-' ? 'standard input' : name}: ${description}${size}${rows}\n`);
    out(`${mappingLines(planned, source, rowNameOf(name)).join('\n')}\n`);
    const file = { input, source, sampled: looked, mapping: planned };
    if (options.dryRun) return await dryRun(file, context);
    const made = planned.targets.flatMap((target) => target.made ?? []);
    const { dimension, isNewDimension } = planned;
    if (isNewDimension || made.length > 0) {
      await makeColumns(client, access.key, dimension, options.textCase, made);
    }
    if (!isNewDimension) return await sendAll(file, client, context);
    const idCase = idCaseOf(await fetchColumns(client, access.key, dimension));
    return await sendAll({ ...file, mapping: { ...planned, idCase } }, client, context);
  } finally {
    await close();
  }
}

async function openInput(
  name: string,
  { files, stdin, signal }: ImportFilesContext,
): Promise<{ readonly input: Input; readonly close: () => Promise<void> }> {
  if (name === '-') return { input: await streamInput(name, stdin), close: async () => {} };
  if (isUrl(name)) return openUrl(name, files, signal);
  const handle = await files.open(path.resolve(name), 'read');
  return { input: await fileInput(name, handle), close: () => handle.close() };
}

/** Whether IDs are made of row numbers. Standard input, which can be read only once, counts as such without an --id. */
async function isNumbered(name: string, context: ImportFilesContext): Promise<boolean> {
  const { options } = context;
  if (options.id !== null) return options.id[0] === LINE_ID;
  if (name === '-') return true;
  const { input, close } = await openInput(name, context);
  try {
    const { source } = await openSource(input, options, SAMPLE_ROWS);
    return idColumnsOf(source, options) === null;
  } finally {
    await close();
  }
}

/** The server's columns. A dry run works without the server: then every column counts as new. */
async function serverColumns(
  client: RemoteClient,
  dimension: string,
  { options, access, note }: ImportFilesContext,
): Promise<ServerColumns> {
  try {
    return await fetchColumns(client, access.key, dimension);
  } catch (error) {
    if (!options.dryRun) throw error;
    note(`the server did not answer, so all columns count as new: ${(error as Error).message}`);
    return null;
  }
}

async function dryRun(file: ImportedFile, { options, out }: ImportFilesContext): Promise<number> {
  let rows = 0;
  let bad = 0;
  let shown = false;
  for await (const body of bodiesOf(file, options, options.skipRows)) {
    rows += body.rows.length;
    bad += body.bad.length;
    if (!shown && body.rows.length > 0) {
      const text = bodyText(file.mapping, body.rows, isDistinct(body));
      const rest = text.length - SHOWN_BODY_CHARS;
      out(
        `the first insert:\n${text.slice(0, SHOWN_BODY_CHARS)}${rest > 0 ? `… and ${formatCount(rest)} more characters` : ''}\n`,
      );
      shown = true;
    }
    for (const { row, line, reason } of body.bad.slice(0, Math.max(0, 5 - (bad - body.bad.length)))) {
      out(`  bad: ${line === null ? `row ${row}` : `line ${line}`}: ${reason}\n`);
    }
  }
  out(`${formatCount(rows)} rows would be sent, ${formatCount(bad)} are bad; nothing was sent\n`);
  for (const note of notesOf(file, options)) out(`  note: ${note}\n`);
  return bad;
}

/** What the user should know about the rows that were read. */
function notesOf({ source, sampled: { empties }, mapping }: ImportedFile, { nulls }: ImportOptions) {
  const names = source.columns.map(({ name }) => name);
  const used = usedColumns(mapping).toSorted((a, b) => a - b);
  return [...source.notes(), ...(nulls.includes('') ? [] : empties.notes(names, used))];
}

async function sendAll(file: ImportedFile, client: RemoteClient, context: OneFileContext): Promise<number> {
  const { options, access, elapsedMs, note, signal, out } = context;
  const startMs = elapsedMs();
  const progress = progressOf(file, context);
  const aside = (text: string): void => progress.aside(() => note(text));
  const insertSender = new InsertSender({
    ...context,
    note: aside,
    client,
    key: access.key,
    retrySeconds: options.retrySeconds,
  });
  const report = await importFile(file, {
    ...context,
    insertSender,
    serverHash: hashOfServer(access.url, access.key),
    signal,
    note: aside,
    onRows: (latest) => progress.add(latest),
  }).finally(() => progress.stop());
  const seconds = Math.max(0.001, (elapsedMs() - startMs) / 1_000);
  out(
    `${formatCount(report.rows)} rows, ${formatCount(report.entities)} entities, ${formatCount(report.bad)} bad, ` +
      `${seconds.toFixed(1)} s, ${formatCount(report.rows / seconds)} rows/s, ${(report.bytes / 1e6 / seconds).toFixed(1)} MB/s of ${report.bodies}\n`,
  );
  for (const text of notesOf(file, options)) note(text);
  return report.bad;
}

interface RowProgress extends Pick<Progress, 'aside' | 'stop'> {
  add(report: ImportReport): void;
}

/** A bar over the file's bytes, or over its rows if their number is known; lines if the length is unknown. */
function progressOf(
  { input, source }: ImportedFile,
  { progress: out, elapsedMs }: ImportFilesContext,
): RowProgress {
  let latest: ImportReport = { rows: 0, entities: 0, bad: 0, bytes: 0, bodies: 'JSON' };
  const badText = (): string => (latest.bad === 0 ? '' : `, ${formatCount(latest.bad)} bad`);
  const total = source.rowCount ?? input.byteCount;
  if (total === null || total === 0) return streamProgress(out, elapsedMs);
  const isRows = source.rowCount !== null;
  const tail = (): string =>
    isRows ? `${formatCount(latest.bad)} bad` : `${formatCount(latest.rows)} rows${badText()}`;
  const what = isRows ? 'rows' : path.basename(input.name);
  const bar: Progress = startProgress(out, { what, total, unit: isRows ? 'rows' : 'bytes', tail }, elapsedMs);
  let taken = 0;
  return {
    add(report) {
      const more = isRows ? report.rows - latest.rows : input.bytesRead() - taken;
      const bytes = report.bytes - latest.bytes;
      latest = { ...report };
      taken = input.bytesRead();
      bar.add(more, bytes);
    },
    aside: (write) => bar.aside(write),
    stop: () => bar.stop(),
  };
}

function streamProgress(out: Output, elapsedMs: () => number): RowProgress {
  const startMs = elapsedMs();
  let notedMs = startMs;
  return {
    add({ rows, bad }) {
      const nowMs = elapsedMs();
      if (nowMs - notedMs < STREAM_NOTE_MS) return;
      notedMs = nowMs;
      const rate = formatCount((rows / (nowMs - startMs)) * 1_000);
      out.write(`  ${formatCount(rows)} rows | ${rate} rows/s | ${formatCount(bad)} bad\n`);
    },
    aside: NO_PROGRESS.aside,
    stop() {},
  };
}

/** `importFiles` rejects with ImportError for errors that the user can correct. */
export { ImportError, type Input };
