/**
 * Decodes ranges of rows of Parquet columns; the only file that uses the package's reader.
 * Rule: every error of a file is an Error that describes it; memory is bounded by the requested range and the pages that
 * hold it.
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

/** Limit of a decompressed page, far above the pages of any writer. */
const PAGE_BYTES_MAX = 2 ** 29;

export async function parquetBuffer(handle: FileHandle): Promise<AsyncBuffer> {
  const byteLength = await handle.size();
  return {
    byteLength,
    async slice(start, end = byteLength) {
      const from = start < 0 ? byteLength + start : start;
      if (!(from >= 0 && end >= from && end <= byteLength)) {
        throw new Error(
          `the file refers to bytes ${from} to ${end} of ${byteLength}: it is truncated or damaged`,
        );
      }
      const bytes = new Uint8Array(end - from);
      const got = await handle.read(bytes, from);
      if (got < bytes.length)
        throw new Error(`the file ends at byte ${from + got}: it was truncated while it was read`);
      return bytes.buffer;
    },
  };
}

export const parquetMetadata = (file: AsyncBuffer): Promise<FileMetaData> => parquetMetadataAsync(file);

type Unpack = (bytes: Uint8Array, outputLength: number) => Uint8Array;

const bounded =
  (unpack: Unpack): Unpack =>
  (bytes, outputLength) => {
    if (outputLength > PAGE_BYTES_MAX)
      throw new Error(`a page has ${outputLength} bytes: the file is damaged`);
    const page = unpack(bytes, outputLength);
    if (page.length !== outputLength) throw new Error('the size of a page differs from its header');
    return page;
  };

/** Node's decompressors, which are faster than the package's. */
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
  /** Decode byte arrays that are not marked as text as strings. */
  readonly utf8: boolean;
}

/** Values of a column in consecutive rows, as in the pages. */
export interface ParquetPart {
  readonly values: DecodedArray;
  /** Row of the first value. */
  readonly rowStart: number;
}

/** Reads, per column, ascending parts that cover the range and may have further rows at both ends. */
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

/** Copies rows [from, to) of a column. */
export function rowsOfParts(parts: readonly ParquetPart[], from: number, to: number): ArrayLike<unknown> {
  const found: ArrayLike<unknown>[] = [];
  let at = from;
  for (const { values, rowStart } of parts) {
    const end = Math.min(to, rowStart + values.length);
    if (rowStart > at || end <= at) continue;
    found.push(values.slice(at - rowStart, end - rowStart));
    at = end;
  }
  if (at !== to) throw new Error(`a column ends at row ${at} of ${to}: the file is damaged`);
  return found.length === 1 ? found[0] : found.flatMap((part) => Array.from(part));
}
