/**
 * The flights, column by column and in bounded memory: the Parquet file of 3 million one row group at a time
 * (about 270,000 rows), or the JSON file of 20,000 whole.
 * Rule: the files' dates have no zone and are read as UTC. No field of a flight is ever missing.
 */
import { decompress } from 'fzstd';
import { type AsyncBuffer, type DecodedArray, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { invariant } from '../../base/index.js';
import type { FileHandle, FileSystem } from '../../io/index.js';
import { parseInstant } from '../../schema/index.js';
import { DEMO_FILES, readText } from './files.js';

/** Equally long columns; row i of all of them is one flight. */
export interface FlightColumns {
  readonly count: number;
  /** Seconds since 1970-01-01. */
  readonly seconds: ArrayLike<number>;
  /** Minutes; negative = early. */
  readonly delays: ArrayLike<number | bigint>;
  /** Miles. */
  readonly distances: ArrayLike<number | bigint>;
  readonly origins: ArrayLike<string>;
  readonly destinations: ArrayLike<string>;
}

export const FLIGHT_COUNT = 3_000_000;
export const FLIGHT_COUNT_SMALL = 20_000;

async function asyncBuffer(handle: FileHandle): Promise<AsyncBuffer> {
  const byteLength = await handle.size();
  return {
    byteLength,
    async slice(start, end = byteLength) {
      const from = start < 0 ? byteLength + start : start;
      const bytes = new Uint8Array(end - from);
      const got = await handle.read(bytes, from);
      invariant(
        got === bytes.length,
        `the Parquet file ends at byte ${from + got}, inside of what its footer names`,
      );
      return bytes.buffer;
    },
  };
}

/** One column of a row group, its pages joined. */
function joined<T>(parts: readonly DecodedArray[], count: number): ArrayLike<T> {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  invariant(total === count, `a column holds ${total} of its row group's ${count} rows`);
  return (parts.length === 1 ? parts[0] : parts.flatMap((part) => Array.from<unknown>(part))) as ArrayLike<T>;
}

async function* parquetFlights(handle: FileHandle): AsyncGenerator<FlightColumns> {
  const file = await asyncBuffer(handle);
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const count = Number(group.num_rows);
    const parts = new Map<string, DecodedArray[]>();
    await parquetRead({
      file,
      metadata,
      rowStart,
      rowEnd: rowStart + count,
      compressors: { ZSTD: (bytes, outputLength) => decompress(bytes, new Uint8Array(outputLength)) },
      parsers: { timestampFromMicroseconds: (micros) => Number(micros / 1_000_000n) },
      onChunk: ({ columnName, columnData }) => {
        parts.set(columnName, [...(parts.get(columnName) ?? []), columnData]);
      },
    });
    const column = <T>(name: string): ArrayLike<T> => joined<T>(parts.get(name) ?? [], count);
    yield {
      count,
      seconds: column('date'),
      delays: column('delay'),
      distances: column('distance'),
      origins: column('origin'),
      destinations: column('destination'),
    };
    rowStart += count;
  }
}

interface FlightRow {
  /** "YYYY/MM/DD hh:mm" */
  readonly date: string;
  readonly delay: number;
  readonly distance: number;
  readonly origin: string;
  readonly destination: string;
}

function secondsOf(date: string): number {
  const seconds = parseInstant(`${date.replaceAll('/', '-').replace(' ', 'T')}:00Z`);
  invariant(seconds !== null, `a flight's date is ${JSON.stringify(date)}`);
  return seconds;
}

/** Every flight of the large file, or of the small one, in the file's order. */
export async function* readFlights(files: FileSystem, small: boolean): AsyncGenerator<FlightColumns> {
  if (small) {
    const rows = JSON.parse(await readText(files, DEMO_FILES.flightsSmall)) as FlightRow[];
    yield {
      count: rows.length,
      seconds: rows.map((row) => secondsOf(row.date)),
      delays: rows.map((row) => row.delay),
      distances: rows.map((row) => row.distance),
      origins: rows.map((row) => row.origin),
      destinations: rows.map((row) => row.destination),
    };
    return;
  }
  const handle = await files.open(DEMO_FILES.flights, 'read');
  try {
    yield* parquetFlights(handle);
  } finally {
    await handle.close();
  }
}
