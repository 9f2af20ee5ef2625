/** The entity of a record, as a line of an insert body of lines: `{"id": ..., "dimension": ..., "column": value, ...}`. */
import { createHash, randomUUID } from 'node:crypto';
import { quoted } from '../../base/index.js';
import { baseTypeOf, type Column, columnNameOf, type Dimension, isEventType } from '../../schema/index.js';
import { isOfEvent } from '../infer/relate.js';
import { DIMENSION } from '../tables.js';
import { type Fields, RecordError } from './fields.js';
import { instantIn } from './instants.js';
import type { RecordMapping } from './mapping.js';
import { NewColumns } from './new-columns.js';

/** Half of a SHA-256: two different records have the same one never in practice. */
const HASH_BYTES = 16;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A field that is an event, and the one of its date, by the api-names of their columns. */
interface EventField {
  readonly column: string;
  readonly name: string;
  readonly dateName: string | null;
}

/** A mapping against one version of a dimension. */
export class EntityLines {
  readonly #mapping: RecordMapping;
  readonly #columns: ReadonlyMap<string, Column> | null;
  readonly #dimensionMember: string;
  /** The names of fields that are not columns of their own. */
  readonly #consumed: Set<string>;
  /** The name of the field of the line's key; null = lines have no keys. */
  readonly #dedupeName: string | null;
  readonly #newColumns: NewColumns;
  readonly #eventFields: string | null;
  readonly #timeName: string | null;
  readonly #events: readonly EventField[];

  /** `dimension` undefined = it does not exist yet. */
  constructor(mapping: RecordMapping, dimension: Dimension | undefined) {
    this.#mapping = mapping;
    this.#columns = dimension?.columns ?? null;
    this.#dimensionMember =
      mapping.dimension === null ? '' : `,"${DIMENSION}":${JSON.stringify(mapping.dimension)}`;
    const { id, time, dedupe = null, unknown } = mapping;
    this.#newColumns = new NewColumns(mapping.format === 'csv');
    this.#events = mapping.events.map(({ column, field, dateField }) => {
      const date = dateField ?? time;
      return { column, name: columnNameOf(field), dateName: date === null ? null : columnNameOf(date) };
    });
    const used = this.#events.flatMap(({ name, dateName }) => [name, dateName ?? name]);
    this.#eventFields = mapping.eventFields;
    this.#timeName = time === null ? null : columnNameOf(time);
    const ofTime = this.#eventFields === null || this.#timeName === null ? [] : [this.#timeName];
    const ofId = id.from === 'field' ? [columnNameOf(id.field)] : [];
    this.#consumed = new Set([...ofId, ...used, ...ofTime]);
    this.#dedupeName = dedupe === null ? null : columnNameOf(dedupe);
    // A field that only recognizes repeats needs no column.
    const isKeyOnly = unknown !== 'create' && this.#columns?.has(this.#dedupeName ?? '') !== true;
    if (this.#dedupeName !== null && isKeyOnly) this.#consumed.add(this.#dedupeName);
  }

  /** Whether every record of a part must be seen before the first entity is made. */
  get createsColumns(): boolean {
    return this.#mapping.createsColumns;
  }

  /** Notes the values of columns that do not exist yet. */
  see(fields: Fields): void {
    for (const { column, name } of this.#events) this.#see(column, fields.get(name));
    for (const [name, token] of fields) {
      if (!this.#consumed.has(name)) this.#see(name, this.#isEvent(name) ? eventToken(token) : token);
    }
  }

  /** Whether the field is an event of its own column. */
  #isEvent(name: string): boolean {
    return this.#eventFields !== null && isOfEvent(name, this.#eventFields);
  }

  #see(column: string, token: string | undefined): void {
    if (!isMissing(token) && this.#columns?.has(column) !== true) this.#newColumns.see(column, token);
  }

  #valueOf(column: string, token: string, name: string): string {
    const known = this.#columns?.get(column);
    return known === undefined ? this.#newColumns.token(column, token) : valueToken(token, known, name);
  }

  /** `record`: the bytes of the record, for an ID that is a hash. Throws RecordError. */
  of(fields: Fields, record: Uint8Array): string {
    this.#checkKey(fields);
    let line = `{"id":${this.#idOf(fields, record)}${this.#dimensionMember}`;
    for (const event of this.#events) line += this.#eventOf(event, fields.get(event.name), fields);
    for (const [name, token] of fields) {
      if (this.#consumed.has(name)) continue;
      line += this.#isEvent(name) ? this.#eventFieldOf(name, token, fields) : this.#memberOf(name, token);
    }
    return `${line}}`;
  }

  #checkKey(fields: Fields): void {
    const name = this.#dedupeName;
    if (name === null) return;
    const token = fields.get(name);
    if (isMissing(token)) {
      throw new RecordError(2003, `the field ${quoted(name)}, which recognizes repeats, has no value`);
    }
    if (token.startsWith('[')) {
      throw new RecordError(2007, `the field ${quoted(name)}, which recognizes repeats, is a list`);
    }
  }

  #eventFieldOf(name: string, token: string, fields: Fields): string {
    if (isMissing(token) || this.#isIgnored(name)) return '';
    const event = { column: name, name, dateName: this.#timeName };
    return this.#eventOf(event, eventToken(token), fields);
  }

  /** Whether a field that no column has is left out. Throws RecordError if such fields are refused. */
  #isIgnored(name: string): boolean {
    if (this.#columns?.has(name) === true) return false;
    const { unknown } = this.#mapping;
    if (unknown === 'ignore') return true;
    if (name === DIMENSION || unknown === 'refuse') {
      throw new RecordError(2011, `the dimension has no column ${quoted(name)}`);
    }
    return false;
  }

  #idOf(fields: Fields, record: Uint8Array): string {
    const { id } = this.#mapping;
    if (id.from === 'uuid') return `"${randomUUID()}"`;
    if (id.from === 'hash') {
      const digest = createHash('sha256').update(record).digest();
      return `"${digest.subarray(0, HASH_BYTES).toString('hex')}"`;
    }
    const token = fields.get(columnNameOf(id.field));
    if (isMissing(token)) throw new RecordError(2003, `the field ${quoted(id.field)} of the ID has no value`);
    return textToken(token, id.field);
  }

  #eventOf(event: EventField, token: string | undefined, fields: Fields): string {
    const { column, name, dateName } = event;
    if (isMissing(token)) return '';
    const value = this.#valueOf(column, token, name);
    if (dateName === null) return `,"${column}":[{"value":${value}}]`;
    return `,"${column}":[{"value":${value},"date":${dateToken(fields.get(dateName), dateName)}}]`;
  }

  #memberOf(name: string, token: string): string {
    if (isMissing(token)) return '';
    if (this.#isIgnored(name)) return '';
    const column = this.#columns?.get(name);
    const { unknown } = this.#mapping;
    if (column !== undefined && isEventType(column.type)) {
      if (unknown === 'ignore') return '';
      const how = `"event=${name}:FIELD:DATE" makes events of a field`;
      throw new RecordError(2007, `the column ${quoted(name)} has events: ${how}`);
    }
    const value = this.#valueOf(name, token, name);
    const isList = column?.storage === 'list-of-values' && !value.startsWith('[');
    return `,"${name}":${isList ? `[${value}]` : value}`;
  }
}

/** Null and empty strings are no values. */
const isMissing = (token: string | undefined): token is undefined | 'null' | '""' =>
  token === undefined || token === 'null' || token === '""';

/** A value as the column takes it; a value that it does not take is left as it is, for the parser to refuse. */
function valueToken(token: string, column: Column, name: string): string {
  const first = token.charCodeAt(0);
  const isList = first === 0x5b;
  if (isList) return token;
  const isText = first === 0x22;
  switch (baseTypeOf(column.type)) {
    case 'string':
      return isText ? token : JSON.stringify(token);
    case 'integer':
    case 'enumerated':
    case 'decimal':
      return isText && NUMBER.test(token.slice(1, -1)) ? token.slice(1, -1) : token;
    case 'boolean':
      return token === '"true"' || token === '"false"' ? token.slice(1, -1) : token;
    case 'datetime':
      return dateToken(token, name);
    default:
      return token;
  }
}

/** Events have no booleans and no lists: these are text. */
const eventToken = (token: string): string =>
  token === 'true' || token === 'false' || token.startsWith('[') ? JSON.stringify(token) : token;

function textToken(token: string, field: string): string {
  const first = token.charCodeAt(0);
  if (first === 0x22) return token;
  if (first === 0x5b) throw new RecordError(2007, `the field ${quoted(field)} of the ID is a list`);
  return `"${token}"`;
}

/** Throws RecordError if the field has no value or no date. */
function dateToken(token: string | undefined, name: string): string {
  if (isMissing(token)) throw new RecordError(2010, `the field ${quoted(name)} of the date has no value`);
  const text = token.startsWith('"') ? (JSON.parse(token) as string) : token;
  const instant = instantIn(text);
  if (instant === null) {
    const forms = 'ISO 8601 or seconds, milliseconds, microseconds or nanoseconds since 1970';
    throw new RecordError(2010, `the field ${quoted(name)} has ${quoted(text)}, which is not ${forms}`);
  }
  return `"${instant}"`;
}
