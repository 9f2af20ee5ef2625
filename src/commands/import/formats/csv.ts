/**
 * CSV (RFC 4180 with any one-character delimiter, lines ended by LF or CRLF) -> blocks of rows.
 * A quoted field may hold delimiters, line breaks and doubled quotes. Empty lines are skipped. A row with more or fewer
 * fields than the header, or with wrong quotes, is broken; reading resumes at the line after the first line of that row.
 * Cost: a line without quotes takes one String.split; a general parser that also gives lines and texts takes ten times as
 * long.
 */
import { readQuotedRow } from '../../../base/index.js';
import { EmptyTexts } from './empty-texts.js';
import { LINE_BYTES_MAX, type TextPart } from './lines.js';
import { ImportError, type RowSource } from './row-block.js';
import { brokenRow, overlongLine, type TextRow, textBlocks } from './text-rows.js';

export interface CsvOptions {
  /** One character other than a quote. */
  readonly delimiter: string;
  /** Column names of a file without a header line; null = the first line is the header. */
  readonly header: readonly string[] | null;
}

type CsvRow = TextRow<readonly string[]>;

const CARRIAGE_RETURN = 13;

function lineEndsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Splits text into rows; keeps an incomplete row until the next text. */
class CsvCutter {
  #rest = '';
  #line = 1;
  readonly #delimiter: string;
  readonly #empties: EmptyTexts;

  /** Empty quotes are counted in `empties`. */
  constructor(delimiter: string, empties: EmptyTexts) {
    this.#delimiter = delimiter;
    this.#empties = empties;
  }

  /** Returns the complete rows. `last` means that no text follows, so that the last row is complete. */
  rows(more: string, last: boolean): CsvRow[] {
    const text = this.#rest + more;
    const rows: CsvRow[] = [];
    let at = 0;
    let quoteAt = text.indexOf('"');
    while (at < text.length) {
      const newline = text.indexOf('\n', at);
      if (newline < 0 && !last) break;
      const lineEnd = newline < 0 ? text.length : newline;
      if (quoteAt >= 0 && quoteAt < at) quoteAt = text.indexOf('"', at);
      if (quoteAt >= 0 && quoteAt < lineEnd) {
        const end = this.#quoted(text, at, lineEnd, last, rows);
        if (end === null) break;
        at = end;
        continue;
      }
      this.#plain(text, at, lineEnd, rows);
      at = lineEnd + 1;
    }
    this.#rest = text.slice(at);
    return rows;
  }

  /** A row for a line that is too long; `beginning` is the kept part. */
  overlong(beginning: string): CsvRow {
    return overlongLine(this.#line++, beginning);
  }

  #plain(text: string, at: number, lineEnd: number, rows: CsvRow[]): void {
    const end = lineEnd > at && text.charCodeAt(lineEnd - 1) === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
    if (end > at) {
      const line = text.slice(at, end);
      rows.push({ line: this.#line, text: line, read: { values: line.split(this.#delimiter) } });
    }
    this.#line++;
  }

  /** The offset after the row at `at`, whose first line ends at `lineEnd`; null when it may continue in the next text. */
  #quoted(text: string, at: number, lineEnd: number, last: boolean, rows: CsvRow[]): number | null {
    const read = readQuotedRow(text, at, this.#delimiter, last);
    if ('fields' in read) {
      const raw = text.slice(at, read.end);
      for (const column of read.emptyAt) this.#empties.add(column, 1);
      rows.push({ line: this.#line, text: raw.replace(/\r?\n$/, ''), read: { values: read.fields } });
      this.#line += lineEndsIn(raw);
      return read.end;
    }
    const isTooLong = text.length - at > LINE_BYTES_MAX;
    if ('unfinished' in read && !isTooLong) return null;
    const wrong = 'wrong' in read ? read.wrong : 'a quote is not closed within 1 MiB';
    rows.push(brokenRow(this.#line++, text.slice(at, lineEnd), wrong));
    return lineEnd + 1;
  }
}

async function* csvRows(
  parts: AsyncIterable<TextPart>,
  delimiter: string,
  empties: EmptyTexts,
): AsyncGenerator<CsvRow[]> {
  const cutter = new CsvCutter(delimiter, empties);
  for await (const part of parts) {
    if ('text' in part) yield cutter.rows(part.text, false);
    else yield [...cutter.rows('', true), cutter.overlong(part.overlong)];
  }
  yield cutter.rows('', true);
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
  parts: AsyncIterable<TextPart>,
  name: string,
  { delimiter, header }: CsvOptions,
): Promise<RowSource> {
  const empties = new EmptyTexts();
  const rows = csvRows(parts, delimiter, empties);
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
      const isUsed = names.map((_, column) => used.includes(column));
      const checked = checkedWidth(rows, names.length);
      return textBlocks(ofWidth(first, names.length), checked, skipRows, (fields) =>
        isUsed.map((wanted, column) => (wanted ? fields.map((row) => row[column]) : [])),
      );
    },
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
  for await (const some of rows) yield ofWidth(some, width);
}

function ofWidth(rows: readonly CsvRow[], width: number): CsvRow[] {
  return rows.map((row) => {
    if ('wrong' in row.read || row.read.values.length === width) return row;
    return brokenRow(row.line, row.text, `${row.read.values.length} fields, but the header has ${width}`);
  });
}
