/**
 * The parameters of POST /v1/insert/lines: how the records of the body become entities and events. They are in the query of
 * the URL, because shippers let users choose URL and headers, but not the form of a record.
 */
import { QuarryError, quoted } from '../../base/index.js';
import type { RecordEvent, RecordId, RecordMapping, UnknownFields } from '../../ingest/index.js';
import { RECORD_PARAMETERS } from '../../interface/index.js';
import { columnNameOf } from '../../schema/index.js';

const UNKNOWN: readonly UnknownFields[] = ['refuse', 'ignore', 'create'];
const DELIMITERS: ReadonlyMap<string, string> = new Map([
  ...[',', ';', '|'].map((delimiter) => [delimiter, delimiter] as const),
  ['tab', '\t'],
]);
const REPEATED = 'event';
const DEDUPE = 'dedupe';
const NAMES: readonly string[] = Object.keys(RECORD_PARAMETERS);
const EVENTS_MAX = 100;

const ON_ERROR_WORDS = new Map([
  ['refuse', false],
  ['quarantine', true],
]);

/** Whether refused lines of a body are kept. `query`: that of the URL. Throws 4049. */
export const quarantines = (query: string): boolean =>
  oneOf(new URLSearchParams(query), 'on-error', false, ON_ERROR_WORDS);

/** The value of `dedupe` for bodies instead of a field. */
const WHOLE_BODY = ':body';

/**
 * Whether a body with the same bytes takes effect once. `query`: that of the URL; `hasRecords`: the body has records, which a field
 * may recognize. Throws 4049.
 */
export function dedupesBodies(query: string, hasRecords: boolean): boolean {
  const value = new URLSearchParams(query).get(DEDUPE);
  if (value === null || value === WHOLE_BODY) return value !== null;
  if (hasRecords) return false;
  throw wrong(
    DEDUPE,
    `is ${quoted(value)}, not ${WHOLE_BODY}: only records of /v1/insert/lines and rows of Arrow have fields`,
  );
}

/** Reads the query of a URL, without its question mark. Throws 4049 with the name of the parameter. */
export function recordMappingOf(query: string, format: RecordMapping['format']): RecordMapping {
  const parameters = new URLSearchParams(query);
  for (const name of new Set(parameters.keys())) {
    if (!NAMES.includes(name)) throw wrong(name, `is unknown; there are ${NAMES.join(', ')}`);
    if (name !== REPEATED && parameters.getAll(name).length > 1) throw wrong(name, 'is given twice');
  }
  const events = parameters.getAll(REPEATED);
  if (events.length > EVENTS_MAX) throw wrong(REPEATED, `is given more than ${EVENTS_MAX} times`);
  const creates = createdBy(parameters.get('auto-create'));
  const unknown = oneOf<UnknownFields>(
    parameters,
    'unknown',
    creates.has('column') ? 'create' : 'refuse',
    new Map(UNKNOWN.map((word) => [word, word])),
  );
  return {
    format,
    delimiter: oneOf(parameters, 'delimiter', ',', DELIMITERS),
    dimension: parameters.get('dimension'),
    id: idOf(parameters.get('id')),
    events: events.map(eventOf),
    eventFields: eventFieldsOf(parameters.get('event-fields')),
    time: fieldOf('time', parameters.get('time')),
    dedupe: dedupeOf(parameters.get(DEDUPE)),
    unknown,
    createsColumns: unknown === 'create' || creates.has('column'),
    createsDimension: creates.has('dimension'),
  };
}

function wrong(name: string, problem: string): QuarryError {
  return new QuarryError(4049, `the parameter ${quoted(name)} ${problem}`);
}

function oneOf<Value>(
  parameters: URLSearchParams,
  name: string,
  byDefault: Value,
  values: ReadonlyMap<string, Value>,
): Value {
  const text = parameters.get(name);
  if (text === null) return byDefault;
  const value = values.get(text);
  if (value === undefined)
    throw wrong(name, `is ${quoted(text)}, not one of ${[...values.keys()].join(' ')}`);
  return value;
}

function createdBy(text: string | null): ReadonlySet<string> {
  const names = text === null ? [] : text.split(',');
  if (names.every((name) => name === 'column' || name === 'dimension')) return new Set(names);
  throw wrong(
    'auto-create',
    `is ${quoted(text ?? '')}, not a list of column and dimension, with commas between them`,
  );
}

const dedupeOf = (text: string | null): string | null => (text === WHOLE_BODY ? null : fieldOf(DEDUPE, text));

function idOf(text: string | null): RecordId {
  if (text === null) throw wrong('id', 'is missing: a field of the records, :uuid or :hash');
  if (text === ':uuid') return { from: 'uuid' };
  if (text === ':hash') return { from: 'hash' };
  return { from: 'field', field: fieldOf('id', text) ?? '' };
}

function eventOf(text: string): RecordEvent {
  const parts = text.split(':');
  const [column, field = '', dateField = null] = parts;
  if (parts.length > 3 || column === '' || field === '') {
    throw wrong(REPEATED, `is ${quoted(text)}, not COLUMN:FIELD or COLUMN:FIELD:DATE`);
  }
  fieldOf(REPEATED, field);
  return { column, field, dateField: dateField === '' ? null : fieldOf(REPEATED, dateField) };
}

function eventFieldsOf(text: string | null): string | null {
  if (text === null || columnNameOf(text) === text) return fieldOf('event-fields', text);
  throw wrong('event-fields', `is ${quoted(text)}, not the api-name of a column`);
}

function fieldOf(name: string, text: string | null): string | null {
  if (text !== null && columnNameOf(text) === '') {
    throw wrong(name, `names the field ${quoted(text)}, which has no letter and no digit`);
  }
  return text;
}
