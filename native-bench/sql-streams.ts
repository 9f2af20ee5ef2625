/**
 * The SELECT of the sql line whose rows are streamed, in every format, and the check that its rows are generated people.
 * Invariant: the answers are read by Arrow's own library, by JSON.parse and by splitting lines, never by the server's code.
 */
import { tableFromIPC } from 'apache-arrow';
import { BLOCK_ENTITIES, cityName, countryName, instantText, type People } from './data/people.js';

export const STREAMED_COLUMNS = ['entity-id', 'country', 'city', 'age', 'income', 'joined'] as const;

/** Selects any `rowCount` people. */
export const streamedSql = (rowCount: number): string =>
  `SELECT [entity-id], country, city, age, income, joined FROM default LIMIT ${rowCount}`;

/** A row of the answer; the income in hundredths, `joined` in seconds since 1970-01-01. */
interface StreamedRow {
  readonly id: string;
  readonly country: string;
  readonly city: string;
  readonly age: number;
  readonly income: number;
  readonly joined: number;
}

export interface StreamFormat {
  readonly name: string;
  /** Requested content type. */
  readonly accept: string;
  /** Goal in 10^6 bytes per second, if there is one. */
  readonly wantedMegabytes: number | null;
  readonly read: (body: Buffer) => StreamedRow[];
  /** Checks a whole answer; with a limit and without an order, its choice of rows is not determined. */
  readonly countRows: (body: Buffer) => number;
}

function readArrow(body: Buffer): StreamedRow[] {
  const table = tableFromIPC(body);
  const found = table.schema.fields.map(({ name }) => name);
  if (found.join() !== STREAMED_COLUMNS.join()) throw new Error(`the answer has the columns ${found}`);
  const rows: StreamedRow[] = [];
  for (const batch of table.batches) {
    const [ids, countries, cities, ages, incomes, joined] = batch.data.children;
    const [age, income] = [ages.values as BigInt64Array, incomes.values as Uint32Array];
    const seconds = new BigInt64Array(joined.values.buffer, joined.values.byteOffset, batch.numRows);
    const [id, country, city] = [ids, countries, cities].map(({ values, valueOffsets }) => {
      const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
      return (row: number): string => bytes.toString('latin1', valueOffsets[row], valueOffsets[row + 1]);
    });
    for (let row = 0; row < batch.numRows; row++) {
      rows.push({
        id: id(row),
        country: country(row),
        city: city(row),
        age: Number(age[row]),
        // 128 bits; none is as large as 2^32.
        income: income[row * 4],
        joined: Number(seconds[row]),
      });
    }
  }
  return rows;
}

const hundredthsOf = (income: number): number => Math.round(income * 100);
const secondsOf = (instant: string): number => Date.parse(instant) / 1000;

const linesOf = (body: Buffer): string[] => body.toString('latin1').trimEnd().split(/\r?\n/);

function readCsv(body: Buffer): StreamedRow[] {
  const [head, ...lines] = linesOf(body);
  if (head !== STREAMED_COLUMNS.join()) throw new Error(`the answer has the columns ${head}`);
  return lines.map((line) => {
    const [id, country, city, age, income, joined] = line.split(',');
    return {
      id,
      country,
      city,
      age: Number(age),
      income: hundredthsOf(Number(income)),
      joined: secondsOf(joined),
    };
  });
}

function readNdjson(body: Buffer): StreamedRow[] {
  return linesOf(body).map((line) => {
    const { 'entity-id': id, country, city, age, income, joined } = JSON.parse(line);
    return { id, country, city, age, income: hundredthsOf(income), joined: secondsOf(joined) };
  });
}

const NEWLINE = 10;

function countLines(body: Buffer): number {
  let lines = 0;
  for (let at = body.indexOf(NEWLINE); at >= 0; at = body.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

export const STREAM_FORMATS: readonly StreamFormat[] = [
  {
    ...{ name: 'Arrow', accept: 'application/vnd.apache.arrow.stream', wantedMegabytes: 300 },
    ...{ read: readArrow, countRows: (body: Buffer) => tableFromIPC(body).numRows },
  },
  {
    ...{ name: 'CSV', accept: 'text/csv', wantedMegabytes: null },
    ...{ read: readCsv, countRows: (body: Buffer) => countLines(body) - 1 },
  },
  {
    ...{ name: 'NDJSON', accept: 'application/x-ndjson', wantedMegabytes: null },
    ...{ read: readNdjson, countRows: countLines },
  },
];

/** Description of an error in the rows: each must be one of the people, none twice; null = none. */
export function streamError(rows: readonly StreamedRow[], rowCount: number, people: People): string | null {
  if (rows.length !== rowCount) return `${rows.length} rows instead of ${rowCount}`;
  const numbers = Float64Array.from(rows, ({ id }, row) => Number(id.slice(1)) * 2 ** 24 + row).sort();
  let block = people.block(0);
  for (const [at, number] of numbers.entries()) {
    const person = Math.floor(number / 2 ** 24);
    if (at > 0 && Math.floor(numbers[at - 1] / 2 ** 24) === person) return `person ${person} came twice`;
    if (person < block.from || person >= block.from + BLOCK_ENTITIES) {
      block = people.block(Math.floor(person / BLOCK_ENTITIES));
    }
    const index = person - block.from;
    const row = rows[number % 2 ** 24];
    const isRight =
      row.country === countryName(block.country[index]) &&
      row.city === cityName(block.city[index]) &&
      row.age === block.age[index] &&
      row.income === block.income[index] &&
      row.joined === block.joined[index];
    if (!isRight) return `${JSON.stringify(row)} joined at ${instantText(block.joined[index])}`;
  }
  return null;
}
