/** Detects the format of a file by its content first, then by its name, and opens it. */
import path from 'node:path';
import { arrowSource, isArrowFile } from './arrow.js';
import { csvSource } from './csv.js';
import { compressionOf, type Input, plainBytes } from './input.js';
import { textParts } from './lines.js';
import { ndjsonSource } from './ndjson.js';
import { parquetSource } from './parquet.js';
import { ImportError, type RowSource } from './row-block.js';

export const FORMATS = ['csv', 'ndjson', 'arrow', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

export interface FormatOptions {
  /** null = detect it. */
  readonly format: Format | null;
  /** null = the default of the format and the name. */
  readonly delimiter: string | null;
  readonly header: readonly string[] | null;
}

export interface OpenedSource {
  readonly source: RowSource;
  readonly format: Format;
  /** Description of the format, such as "CSV, gzip". */
  readonly description: string;
}

const FORMAT_NAMES: Readonly<Record<Format, string>> = {
  csv: 'CSV',
  ndjson: 'NDJSON',
  arrow: 'Arrow',
  parquet: 'Parquet',
};

const BY_ENDING: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.tab': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.arrow': 'arrow',
  '.arrows': 'arrow',
  '.ipc': 'arrow',
  '.feather': 'arrow',
  '.parquet': 'parquet',
  '.pq': 'parquet',
};
const COMPRESSION_ENDINGS = ['.gz', '.zst', '.zstd'];

/** The extension of the name, without the extension of a compression. */
function endingOf(name: string): string {
  const ending = path.extname(name).toLowerCase();
  return COMPRESSION_ENDINGS.includes(ending)
    ? path.extname(name.slice(0, -ending.length)).toLowerCase()
    : ending;
}

/** Detects the format by the first decompressed bytes; null for any text. */
function formatByContent(head: Uint8Array): Format | null {
  const latin = Buffer.from(head.subarray(0, 8)).toString('latin1');
  if (latin.startsWith('PAR1')) return 'parquet';
  // An Arrow stream begins with the marker of a message, which is not valid in a text.
  if (isArrowFile(head) || latin.startsWith('\xff\xff\xff\xff')) return 'arrow';
  const text = Buffer.from(head)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  return /^\{\s*("|\}|$)/.test(text) ? 'ndjson' : null;
}

/** Reads until the columns are known; for formats without a schema at most `sampleRows` rows. */
export async function openSource(
  input: Input,
  { format, delimiter, header }: FormatOptions,
  sampleRows: number,
): Promise<OpenedSource> {
  const { name } = input;
  const compression = compressionOf(input.head);
  const { head, bytes } = await withHead(plainBytes(input));
  const detected = format ?? formatByContent(head) ?? BY_ENDING[endingOf(name)] ?? 'csv';
  if (detected === 'parquet' && compression !== null) {
    throw new ImportError(
      `${name}: a Parquet file compressed with ${compression} cannot be read: decompress it first`,
    );
  }
  const description =
    compression === null ? FORMAT_NAMES[detected] : `${FORMAT_NAMES[detected]}, ${compression}`;
  const open = (): Promise<RowSource> => {
    switch (detected) {
      case 'parquet':
        return parquetSource(input);
      case 'arrow':
        return arrowSource(bytes, name);
      case 'ndjson':
        return ndjsonSource(textParts(bytes, name), name, sampleRows);
      case 'csv':
        return csvSource(textParts(bytes, name), name, {
          delimiter: delimiter ?? (['.tsv', '.tab'].includes(endingOf(name)) ? '\t' : ','),
          header,
        });
    }
  };
  return { source: await open(), format: detected, description };
}

/** Reads the first part and returns it with all bytes. */
async function withHead(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly bytes: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return { head: new Uint8Array(0), bytes: noBytes() };
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first.value;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  }
  return { head: first.value, bytes: all() };
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
