/**
 * The fields of a flat record, by the api-name of a column, each with its value as a JSON token: a string with its quotes and
 * escapes, a number as it was written, a list. Objects are flattened: `{"http": {"status": 200}}` has the field `http-status`.
 */
import { type ErrorCode, quoted, readQuotedRow, type WireError } from '../../base/index.js';
import { columnNameOf } from '../../schema/index.js';
import { skipColon, skipString, skipValue } from '../json.js';
import { COMMA, OPEN_OBJECT, QUOTE, type Source, skipSpace } from '../source.js';

export type Fields = Map<string, string>;

/** A record that cannot become an entity. Never leaves this folder. */
export class RecordError {
  readonly error: WireError;

  constructor(code: ErrorCode, message: string) {
    this.error = { code, message };
  }
}

/** Reads the fields of many records, which mostly have the same names. */
export class FieldReader {
  /** By the JSON text of a key and of the keys around it: the name of the field and of its column. */
  readonly #names = new Map<string, FieldName>();

  /** Reads the object at `at`. The source has passed checkLine. */
  fieldsOfObject(source: Source, at: number): Fields {
    const fields: Fields = new Map();
    const bytes = Buffer.from(source.bytes.buffer, source.bytes.byteOffset, source.end);
    this.#readMembers(source, bytes, at, '', fields);
    return fields;
  }

  #readMembers(source: Source, bytes: Buffer, from: number, prefix: string, fields: Fields): void {
    let at = skipSpace(bytes, from + 1);
    while (bytes[at] === QUOTE) {
      const keyEnd = skipString(source, at + 1);
      const name = this.#nameOf(prefix + bytes.toString('latin1', at + 1, keyEnd - 1));
      const valueAt = skipColon(source, keyEnd);
      const end = skipValue(source, valueAt, 1);
      if (bytes[valueAt] === OPEN_OBJECT) this.#readMembers(source, bytes, valueAt, `${name.text}.`, fields);
      else add(fields, name, bytes.toString('utf8', valueAt, end));
      at = skipSpace(bytes, end);
      if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
    }
  }

  /** `text`: the JSON text of a key in Latin-1, without quotes. */
  #nameOf(text: string): FieldName {
    let name = this.#names.get(text);
    if (name === undefined) {
      const field = JSON.parse(`"${Buffer.from(text, 'latin1').toString()}"`) as string;
      name = { text, field, column: columnNameOf(field) };
      if (this.#names.size === NAMES_MAX) this.#names.clear();
      this.#names.set(text, name);
    }
    return name;
  }
}

interface FieldName {
  readonly text: string;
  readonly field: string;
  readonly column: string;
}

const NAMES_MAX = 10_000;

/** Throws RecordError if the field has no name, or one that another field has. */
function add(fields: Fields, { field, column }: Pick<FieldName, 'field' | 'column'>, token: string): void {
  if (column === '') throw new RecordError(2007, `the field ${quoted(field)} has no letter and no digit`);
  if (fields.has(column)) throw new RecordError(2007, `two fields are called ${quoted(column)}`);
  fields.set(column, token);
}

/** The header of CSV. */
export const csvHeader = (line: string, delimiter: string): CsvHeader =>
  csvValues(line, delimiter).map((name) => ({ field: name, column: columnNameOf(name) }));

export type CsvHeader = readonly Pick<FieldName, 'field' | 'column'>[];

/** Reads a CSV line. */
export function fieldsOfCsv(line: string, names: CsvHeader, delimiter: string): Fields {
  const values = csvValues(line, delimiter);
  if (values.length !== names.length) {
    throw new RecordError(
      2007,
      `the line has ${values.length} values, and the header has ${names.length} names`,
    );
  }
  const fields: Fields = new Map();
  values.forEach((value, index) => {
    add(fields, names[index], JSON.stringify(value));
  });
  return fields;
}

/** The values of a CSV line (RFC 4180). Throws RecordError if its quotes are wrong. */
function csvValues(line: string, delimiter: string): readonly string[] {
  if (!line.includes('"')) return line.split(delimiter);
  const row = readQuotedRow(line, 0, delimiter, true);
  if ('fields' in row) return row.fields;
  throw new RecordError(1503, 'wrong' in row ? row.wrong : 'the line is not complete');
}
