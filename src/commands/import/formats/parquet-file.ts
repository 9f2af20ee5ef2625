/**
 * Columns of Parquet files, decoded a range of rows at a time: all that Quarry knows of the package's reader.
 * Rule: whatever is wrong with a file is an Error that says what; memory is bounded by the range that is asked for,
 * and by the pages that hold it.
 */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { decompress as unzstd } from 'fzstd';
import {
  type AsyncBuffer,
  type Compressors,
  type DecodedArray,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadataAsync,
  parquetRead,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { FileHandle } from '../../../io/index.js';

/** No writer makes pages of nearly as much. */
const PAGE_BYTES_MAX = 2 ** 29;

export async function parquetBuffer(handle: FileHandle): Promise<AsyncBuffer> {
  const byteLength = await handle.size();
  return {
    byteLength,
    async slice(start, end = byteLength) {
      const from = start < 0 ? byteLength + start : start;
      if (!(from >= 0 && end >= from && end <= byteLength)) {
        throw new Error(`it names bytes ${from} to ${end} of ${byteLength}: it is cut or damaged`);
      }
      const bytes = new Uint8Array(end - from);
      const got = await handle.read(bytes, from);
      if (got < bytes.length) throw new Error(`it ends at byte ${from + got}: it became shorter`);
      return bytes.buffer;
    },
  };
}

export const parquetMetadata = (file: AsyncBuffer): Promise<FileMetaData> => parquetMetadataAsync(file);

type Unpack = (bytes: Uint8Array, outputLength: number) => Uint8Array;

const bounded =
  (unpack: Unpack): Unpack =>
  (bytes, outputLength) => {
    if (outputLength > PAGE_BYTES_MAX) throw new Error(`a page of ${outputLength} bytes: it is damaged`);
    const page = unpack(bytes, outputLength);
    if (page.length !== outputLength) throw new Error('a page has another size than its header says');
    return page;
  };

/** Node's own are faster where it has them. */
const NATIVE: Compressors = {
  GZIP: (bytes, outputLength) => gunzipSync(bytes, { maxOutputLength: outputLength + 1 }),
  BROTLI: (bytes, outputLength) => brotliDecompressSync(bytes, { maxOutputLength: outputLength + 1 }),
  ZSTD: (bytes, outputLength) => unzstd(bytes, new Uint8Array(outputLength)),
};

const BOUNDED: Compressors = Object.fromEntries(
  Object.entries({ ...compressors, ...NATIVE }).map(([codec, unpack]) => [codec, bounded(unpack)]),
);

export interface ParquetRange {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  /** 0-based, within one row group. */
  readonly rowStart: number;
  readonly rowEnd: number;
  readonly columns: readonly string[];
  readonly parsers: Partial<ParquetParsers>;
  /** Byte arrays that are not marked as text become strings. */
  readonly utf8: boolean;
}

/** The values of a column in rows that follow one another, as the pages hold them. */
export interface ParquetPart {
  readonly values: DecodedArray;
  /** Of the first value. */
  readonly rowStart: number;
}

/** By column, parts in ascending order that hold every row of the range, and perhaps more at both ends. */
export async function readParquetRange(range: ParquetRange): Promise<Map<string, ParquetPart[]>> {
  const { file, metadata, rowStart, rowEnd, columns, parsers, utf8 } = range;
  const parts = new Map<string, ParquetPart[]>(columns.map((name) => [name, []]));
  await parquetRead({
    file,
    metadata,
    rowStart,
    rowEnd,
    columns: [...columns],
    compressors: BOUNDED,
    parsers,
    utf8,
    useOffsetIndex: true,
    onChunk: ({ columnName, columnData, rowStart: from }) => {
      parts.get(columnName)?.push({ values: columnData, rowStart: from });
    },
  });
  return parts;
}

/** Rows [from, to) of a column, as a list of its own. */
export function rowsOfParts(parts: readonly ParquetPart[], from: number, to: number): ArrayLike<unknown> {
  const found: ArrayLike<unknown>[] = [];
  let at = from;
  for (const { values, rowStart } of parts) {
    const end = Math.min(to, rowStart + values.length);
    if (rowStart > at || end <= at) continue;
    found.push(values.slice(at - rowStart, end - rowStart));
    at = end;
  }
  if (at !== to) throw new Error(`a column ends at row ${at} of ${to}: it is damaged`);
  return found.length === 1 ? found[0] : found.flatMap((part) => Array.from(part));
}
