/**
 * CSV (RFC 4180 with any one-character delimiter, lines ended by LF or CRLF) -> blocks of rows.
 * A quoted field may hold delimiters, line breaks and doubled quotes. Empty lines are skipped. A row with more or fewer
 * fields than the header, or with wrong quotes, is broken; reading resumes at the line after the first line of that row.
 * Cost: a line without quotes takes one String.split. What can be sent as columns is read by text/csv-row.ts instead.
 */
import { readQuotedRow } from '../../../base/index.js';
import { textBlocksOf } from '../text/row-cutter.js';
import { TextBlocks } from '../text/text-block.js';
import { EmptyTexts } from './empty-texts.js';
import { ImportError, type RowSource } from './row-block.js';
import { brokenRow, type RowFormat, rowsOfBlocks, type TextRow, textBlocks } from './text-rows.js';

export interface CsvOptions {
  /** One character other than a quote. */
  readonly delimiter: string;
  /** Column names of a file without a header line; null = the first line is the header. */
  readonly header: readonly string[] | null;
}

type CsvRow = TextRow<readonly string[]>;

/** Rows of any number of fields. Empty quotes are counted in `empties`. */
const fieldReader =
  (delimiter: string, empties: EmptyTexts) =>
  (line: number, text: string): CsvRow => {
    if (!text.includes('"')) return { line, text, read: { values: text.split(delimiter) } };
    const read = readQuotedRow(text, 0, delimiter, true);
    if (!('fields' in read))
      return brokenRow(line, text, 'wrong' in read ? read.wrong : 'a quote is never closed');
    for (const column of read.emptyAt) empties.add(column, 1);
    return { line, text, read: { values: read.fields } };
  };

/** Rows of `names.length` fields. A column that is not in `used` is empty. */
export function csvFormat(
  delimiter: string,
  names: readonly string[],
  used: readonly number[],
  empties: EmptyTexts,
): RowFormat<readonly string[]> {
  const read = fieldReader(delimiter, empties);
  return {
    read: (line, text) => ofWidth(read(line, text), names.length),
    columnsOf: (rows) =>
      names.map((_, column) => (used.includes(column) ? rows.map((row) => row[column]) : [])),
  };
}

/** Makes names distinct: the second "a" becomes "a-2", an empty name "column-4". */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((header, index) => {
    const name = header.trim() === '' ? `column-${index + 1}` : header.trim();
    let unique = name;
    for (let count = 2; taken.has(unique); count++) unique = `${name}-${count}`;
    taken.add(unique);
    return unique;
  });
}

/** Reads the header. Rejects with ImportError when there is none. */
export async function csvSource(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  { delimiter, header }: CsvOptions,
): Promise<RowSource> {
  const empties = new EmptyTexts();
  const blocks = new TextBlocks(textBlocksOf(bytes, delimiter, header === null ? 0 : 1));
  const rows = rowsOfBlocks(blocks.read(), { read: fieldReader(delimiter, empties) });
  let first: CsvRow[] = [];
  while (first.length === 0) {
    const next = await rows.next();
    if (next.done === true) break;
    first = next.value;
  }
  const names = distinctNames(header ?? headerOf(first.shift(), name));
  return {
    columns: names.map((column) => ({ name: column, schema: null, unfit: null })),
    isText: true,
    empties,
    rowCount: null,
    blocks: (skipRows, used) => {
      const checked = checkedWidth(rows, names.length);
      const format = csvFormat(delimiter, names, used, empties);
      return textBlocks(
        first.map((row) => ofWidth(row, names.length)),
        checked,
        skipRows,
        format,
      );
    },
    text: { delimiter, blocks, noteLate() {} },
    notes: () => [],
  };
}

function headerOf(row: CsvRow | undefined, name: string): readonly string[] {
  if (row === undefined) throw new ImportError(`${name} is empty: a CSV file begins with a header line`);
  if ('wrong' in row.read)
    throw new ImportError(`${name}: the header line cannot be read: ${row.read.wrong}`);
  return row.read.values;
}

async function* checkedWidth(rows: AsyncGenerator<CsvRow[]>, width: number): AsyncGenerator<CsvRow[]> {
  for await (const some of rows) yield some.map((row) => ofWidth(row, width));
}

function ofWidth(row: CsvRow, width: number): CsvRow {
  if ('wrong' in row.read || row.read.values.length === width) return row;
  return brokenRow(row.line, row.text, `${row.read.values.length} fields, but the header has ${width}`);
}
