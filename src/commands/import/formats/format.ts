/** Detects the format of a file by its content first, then by its name, and opens it. */
import path from 'node:path';
import { arrowSource, isArrowFile } from './arrow.js';
import { csvSource } from './csv.js';
import { detectDelimiter } from './delimiter.js';
import { type Encoding, markedEncoding, utf8Bytes } from './encoding.js';
import { compressionOf, HEAD_BYTES, type Input, plainBytes } from './input.js';
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
  /** null = that of the byte order mark, otherwise UTF-8. */
  readonly encoding: Encoding | null;
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

export const BY_ENDING: Readonly<Record<string, Format>> = {
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
export const COMPRESSION_ENDINGS: readonly string[] = ['.gz', '.zst', '.zstd'];

/** The extension of the name, in lower case, without the extension of a compression; of an address that of its path. */
export function endingOf(named: string): string {
  const name = named.replace(/^(https?:\/\/[^?#]*)[?#].*$/i, '$1');
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
  options: FormatOptions,
  sampleRows: number,
): Promise<OpenedSource> {
  const { name } = input;
  const compression = compressionOf(input.head);
  const { encoding, head, bytes, isWhole } = await decodedBytes(input, options);
  const detected = options.format ?? formatByContent(head) ?? BY_ENDING[endingOf(name)] ?? 'csv';
  const isText = detected === 'csv' || detected === 'ndjson';
  if (!isText && options.encoding !== null)
    throw new ImportError(`${name}: --encoding is for CSV and NDJSON, not for ${FORMAT_NAMES[detected]}`);
  if (detected === 'parquet' && compression !== null) {
    throw new ImportError(
      `${name}: a Parquet file compressed with ${compression} cannot be read: decompress it first`,
    );
  }
  const usual = ['.tsv', '.tab'].includes(endingOf(name)) ? '\t' : ',';
  const delimiter =
    detected === 'csv'
      ? (options.delimiter ?? detectDelimiter(Buffer.from(head).toString('utf8'), isWhole, usual, name))
      : usual;
  const description = [
    FORMAT_NAMES[detected],
    ...(delimiter === usual ? [] : [`delimiter ${delimiter === '\t' ? 'tab' : delimiter}`]),
    ...(encoding === 'utf-8' ? [] : [encoding]),
    ...(compression === null ? [] : [compression]),
  ].join(', ');
  const open = (): Promise<RowSource> => {
    switch (detected) {
      case 'parquet':
        return parquetSource(input);
      case 'arrow':
        return arrowSource(bytes, name);
      case 'ndjson':
        return ndjsonSource(bytes, name, sampleRows);
      case 'csv':
        return csvSource(bytes, name, {
          delimiter,
          header: options.header,
        });
    }
  };
  return { source: await open(), format: detected, description };
}

interface HeadAndBytes {
  readonly head: Uint8Array;
  /** All bytes, with the head. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whether nothing follows the head. */
  readonly isWhole: boolean;
}

/** The decompressed bytes; texts as UTF-8. */
async function decodedBytes(
  input: Input,
  { encoding: named }: FormatOptions,
): Promise<HeadAndBytes & { readonly encoding: Encoding }> {
  const plain = await withHead(plainBytes(input));
  const marked = markedEncoding(plain.head);
  const encoding = (named === 'utf-16' ? marked : null) ?? named ?? marked ?? 'utf-8';
  if (encoding === 'utf-8') return { ...plain, encoding };
  return { ...(await withHead(utf8Bytes(plain.bytes, encoding, input.name))), encoding };
}

/** Reads the beginning, always the same bytes of a file, and returns it with all bytes. */
async function withHead(bytes: AsyncIterable<Uint8Array>): Promise<HeadAndBytes> {
  const iterator = bytes[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let length = 0;
  let isWhole = false;
  while (length < HEAD_BYTES && !isWhole) {
    const next = await iterator.next();
    if (next.done === true) isWhole = true;
    else {
      parts.push(next.value);
      length += next.value.length;
    }
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* parts.splice(0);
    if (isWhole) return;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  }
  const head = Buffer.concat(parts, Math.min(length, HEAD_BYTES));
  return { head, bytes: all(), isWhole: isWhole && length <= HEAD_BYTES };
}
