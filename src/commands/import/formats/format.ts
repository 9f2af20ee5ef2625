/** What a file is: told by its content first, then by its name. */
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
  /** null = it is told. */
  readonly format: Format | null;
  /** null = that of the format and the name. */
  readonly delimiter: string | null;
  readonly header: readonly string[] | null;
}

export interface OpenedSource {
  readonly source: RowSource;
  readonly format: Format;
  /** Such as "CSV, gzip". */
  readonly words: string;
}

const FORMAT_WORDS: Readonly<Record<Format, string>> = {
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

/** The name's ending, without that of a compression. */
function endingOf(name: string): string {
  const ending = path.extname(name).toLowerCase();
  return COMPRESSION_ENDINGS.includes(ending)
    ? path.extname(name.slice(0, -ending.length)).toLowerCase()
    : ending;
}

/** By the first bytes, unpacked; null when they may be any text. */
function formatByContent(head: Uint8Array): Format | null {
  const latin = Buffer.from(head.subarray(0, 8)).toString('latin1');
  if (latin.startsWith('PAR1')) return 'parquet';
  // A stream begins with the mark of a message, which no text has.
  if (isArrowFile(head) || latin.startsWith('\xff\xff\xff\xff')) return 'arrow';
  const text = Buffer.from(head)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  return /^\{\s*("|\}|$)/.test(text) ? 'ndjson' : null;
}

/** Reads as far as the columns are known; `sampleRows` are read ahead at most where rows tell them. */
export async function openSource(
  input: Input,
  { format, delimiter, header }: FormatOptions,
  sampleRows: number,
): Promise<OpenedSource> {
  const { name } = input;
  const compression = compressionOf(input.head);
  const { head, bytes } = await withHead(plainBytes(input));
  const told = format ?? formatByContent(head) ?? BY_ENDING[endingOf(name)] ?? 'csv';
  if (told === 'parquet' && compression !== null) {
    throw new ImportError(`${name}: Parquet in ${compression} is not read: unpack it first`);
  }
  const words = compression === null ? FORMAT_WORDS[told] : `${FORMAT_WORDS[told]}, ${compression}`;
  const open = (): Promise<RowSource> => {
    switch (told) {
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
  return { source: await open(), format: told, words };
}

/** Reads the first part ahead. */
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
