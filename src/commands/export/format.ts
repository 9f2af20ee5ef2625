/**
 * The export formats. The format is given by a flag, otherwise by the file's name.
 *   ndjson      a JSON object a line               csv         RFC 4180, a first line of names
 *   arrow       an Arrow IPC stream                arrow-file  the same with a footer: .arrow, .feather
 *   parquet     compressed inside                  insert      lines that POST /v1/insert takes as application/x-ndjson
 */
import type { Wrong } from '../admin/admin-options.js';
import { suggestionOf } from '../nearest.js';

export const EXPORT_FORMATS = ['ndjson', 'csv', 'arrow', 'arrow-file', 'parquet', 'insert'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const COMPRESSIONS = ['none', 'gzip', 'zstd', 'snappy'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

export interface FileForm {
  readonly format: ExportFormat;
  /** Compression of the whole file; for Parquet of its pages. */
  readonly compression: Compression;
}

const FORMAT_OF_ENDING: Readonly<Record<string, ExportFormat>> = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
  arrows: 'arrow',
  arrow: 'arrow-file',
  feather: 'arrow-file',
  parquet: 'parquet',
  pq: 'parquet',
};

const COMPRESSION_OF_ENDING: Readonly<Record<string, Compression>> = {
  gz: 'gzip',
  zst: 'zstd',
  zstd: 'zstd',
};

/** Whether a terminal can show the format. */
export const isText = ({ format, compression }: FileForm): boolean =>
  compression === 'none' && (format === 'ndjson' || format === 'csv' || format === 'insert');

/** `flags` has the values of --format and --compression; `file` is null for standard output. */
export function readForm(
  flags: { readonly format: string | undefined; readonly compression: string | undefined },
  file: string | null,
): FileForm | Wrong {
  const endings = file === null ? [] : file.toLowerCase().split('/').slice(-1)[0].split('.').slice(1);
  const named = COMPRESSION_OF_ENDING[endings.at(-1) ?? ''];
  const ending = endings.at(named === undefined ? -1 : -2);
  const format = oneOf('--format', flags.format, EXPORT_FORMATS) ?? formatOf(ending, file);
  if (typeof format !== 'string') return format;
  const compression = oneOf('--compression', flags.compression, COMPRESSIONS) ?? named;
  if (typeof compression === 'object') return compression;
  if (format === 'parquet') {
    if (named === undefined) return { format, compression: compression ?? 'snappy' };
    return {
      wrong: `${file}: Parquet files are compressed internally: omit .gz or .zst and use --compression`,
    };
  }
  if (compression === 'snappy') return { wrong: '--compression: snappy is for Parquet only' };
  return { format, compression: compression ?? 'none' };
}

function formatOf(ending: string | undefined, file: string | null): ExportFormat | Wrong {
  if (file === null) return 'ndjson';
  const format = FORMAT_OF_ENDING[ending ?? ''];
  if (format !== undefined) return format;
  const endings = Object.keys(FORMAT_OF_ENDING).map((known) => `.${known}`);
  return {
    wrong: `${file}: the format cannot be derived from the name (${endings.join(', ')}): use --format`,
  };
}

function oneOf<T extends string>(
  flag: string,
  flags: string | undefined,
  known: readonly T[],
): T | Wrong | undefined {
  if (flags === undefined) return undefined;
  const found = known.find((one) => one === flags);
  if (found !== undefined) return found;
  const message = `${flag}: expected one of ${known.join(', ')}, not ${JSON.stringify(flags)}`;
  return { wrong: `${message}${suggestionOf(flags, known)}` };
}
