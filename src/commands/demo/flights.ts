/**
 * Reads the flights column by column in bounded memory: the Parquet file of 3 million by row group (about 270,000 rows), the
 * JSON file of 20,000 as a whole.
 * Rule: the files' dates have no zone and are read as UTC. No field of a flight is missing.
 */
import { invariant } from '../../base/index.js';
import type { FileHandle, FileSystem } from '../../io/index.js';
import { parseInstant } from '../../schema/index.js';
import {
  parquetBuffer,
  parquetMetadata,
  readParquetRange,
  rowsOfParts,
} from '../import/formats/parquet-file.js';
import { DEMO_FILES, readTextFile } from './files.js';

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

const COLUMNS = ['date', 'delay', 'distance', 'origin', 'destination'];

async function* parquetFlights(handle: FileHandle): AsyncGenerator<FlightColumns> {
  const file = await parquetBuffer(handle);
  const metadata = await parquetMetadata(file);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const count = Number(group.num_rows);
    const rowEnd = rowStart + count;
    const parts = await readParquetRange({
      file,
      metadata,
      rowStart,
      rowEnd,
      columns: COLUMNS,
      parsers: { timestampFromMicroseconds: (micros) => Number(micros / 1_000_000n) },
      utf8: true,
    });
    const column = <T>(name: string): ArrayLike<T> =>
      rowsOfParts(parts.get(name) ?? [], rowStart, rowEnd) as ArrayLike<T>;
    yield {
      count,
      seconds: column('date'),
      delays: column('delay'),
      distances: column('distance'),
      origins: column('origin'),
      destinations: column('destination'),
    };
    rowStart = rowEnd;
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

/** Every flight of the large or the small file, in the file's order. */
export async function* readFlights(files: FileSystem, small: boolean): AsyncGenerator<FlightColumns> {
  if (small) {
    const rows = JSON.parse(await readTextFile(files, DEMO_FILES.flightsSmall)) as FlightRow[];
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
