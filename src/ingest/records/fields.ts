/**
 * The fields of a flat record, by the api-name of a column, each with its value as a JSON token: a string with its quotes and
 * escapes, a number as it was written, a list. Objects are flattened: `{"http": {"status": 200}}` has the field `http-status`.
 */
import { type ErrorCode, quoted, type WireError } from '../../base/index.js';
import { eachMember, skipValue, stringAt } from '../json.js';
import { OPEN_OBJECT, type Source } from '../source.js';
import { columnNameOf } from './mapping.js';

export type Fields = Map<string, string>;

/** A record that cannot become an entity. Never leaves this folder. */
export class RecordError {
  readonly error: WireError;

  constructor(code: ErrorCode, message: string) {
    this.error = { code, message };
  }
}

const decoder = new TextDecoder();

/** Reads the object at `at`. The source has passed checkLine. */
export function fieldsOfObject(source: Source, at: number): Fields {
  const fields: Fields = new Map();
  readMembers(source, at, '', fields);
  return fields;
}

function readMembers(source: Source, at: number, prefix: string, fields: Fields): void {
  eachMember(source, at, 1, (keyAt, valueAt) => {
    const name = prefix + stringAt(source, keyAt);
    if (source.bytes[valueAt] === OPEN_OBJECT) readMembers(source, valueAt, `${name}.`, fields);
    else add(fields, name, decoder.decode(source.bytes.subarray(valueAt, skipValue(source, valueAt, 1))));
  });
}

/** Throws RecordError if the field has no name, or one that another field has. */
function add(fields: Fields, field: string, token: string): void {
  const name = columnNameOf(field);
  if (name === '') throw new RecordError(2007, `the field ${quoted(field)} has no letter and no digit`);
  if (fields.has(name)) throw new RecordError(2007, `two fields are called ${quoted(name)}`);
  fields.set(name, token);
}

/** Reads a CSV line. `names`: those of the header. */
export function fieldsOfCsv(line: string, names: readonly string[], delimiter: string): Fields {
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

/** The values of a CSV line (RFC 4180). Throws RecordError if a quoted value has no end or text after it. */
export function csvValues(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter);
  const values: string[] = [];
  for (let at = 0; ; ) {
    let end: number;
    if (line[at] === '"') {
      end = endOfQuoted(line, at);
      values.push(line.slice(at + 1, end - 1).replaceAll('""', '"'));
    } else {
      const found = line.indexOf(delimiter, at);
      end = found === -1 ? line.length : found;
      values.push(line.slice(at, end));
    }
    if (end === line.length) return values;
    if (line[end] !== delimiter) throw new RecordError(1503, 'a quoted value is followed by text');
    at = end + 1;
  }
}

/** The index after the closing quote. */
function endOfQuoted(line: string, at: number): number {
  for (let quote = line.indexOf('"', at + 1); quote !== -1; quote = line.indexOf('"', quote + 2)) {
    if (line[quote + 1] !== '"') return quote + 1;
  }
  throw new RecordError(1503, 'a quoted value has no end');
}
