/**
 * The fields of a column in the bodies of POST and PUT /v1/column, each with its own code. A field that does not fit
 * the column's type is refused, never ignored; if the type itself is invalid, the field is checked as if it fitted.
 * An optional field that is null counts as absent.
 */
import { INT64_MAX, INT64_MIN, QuarryError, quoted } from '../../base/index.js';
import { DECIMAL_PLACES_DEFAULT, type newColumn, RANGE_BOUNDS_MAX } from '../../interface/index.js';
import {
  baseTypeOf,
  type Column,
  type ColumnType,
  isEventType,
  type Storage,
  type TextCase,
} from '../../schema/index.js';
import { readAll, readOrNull } from '../body/fields.js';
import { ExactNumber, isList, type Json } from '../body/json.js';
import type { RequestBody } from '../body/request-body.js';

const INTEGER = /^-?\d+$/;

/** `dimension` names an entity's dimension in an insert, so a column with this name could never be written. */
const RESERVED_COLUMN = 'dimension';

export type ColumnBody = RequestBody<typeof newColumn.properties>;

/**
 * Reads a column without its id, and the result of `readDimension`; `textCase` is that of the database. Throws 3000 to 3017 with the name of the field, and the
 * errors of `readDimension`; an error reports all invalid fields.
 */
export function readColumn<T>(
  body: ColumnBody,
  textCase: TextCase,
  readDimension: () => T,
): { readonly column: Omit<Column, 'id'>; readonly dimension: T } {
  const name = readOrNull(() => body.get('name'));
  const type = readOrNull(() => body.get('type'));
  const readFields = (): Omit<Column, 'id'> =>
    readAll({
      name: () => body.get('name'),
      type: () => body.get('type'),
      apiName: () => readApiName(body, name),
      description: () => body.get('description') ?? '',
      storage: () => readStorage(body, type),
      cardinality: () => readCardinality(body, type),
      decimalPlaces: () => readDecimalPlaces(body, type),
      range: () => readRange(body, type),
      retentionDays: () => readRetention(body, type),
      textCase: () => readTextCase(body, type, textCase),
      active: () => true,
    });
  return body.read(() => readAll({ column: readFields, dimension: readDimension }));
}

/** The api-name; empty if it would be derived from an invalid name (`name` is null). */
function readApiName(body: ColumnBody, name: string | null): string {
  const value = body.get('api-name');
  if (value === undefined && name === null) return '';
  const apiName = value ?? apiNameFrom(name ?? '');
  if (apiName === RESERVED_COLUMN) throw body.error('api-name', `is reserved: ${quoted(apiName)}`);
  if (value !== undefined || !/^-*$/.test(apiName)) return apiName;
  const why = `the name ${quoted(name ?? '')} has no letter and no digit to make it from`;
  throw body.error('api-name', `is needed: ${why}`);
}

/** The api-name derived from a name: lower case, all other characters become dashes, repeated dashes one dash. */
function apiNameFrom(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

type OfSomeTypes = 'storage' | 'cardinality' | 'case' | 'decimal-places' | 'range' | 'retention-time';

/** Throws for a field that columns of the type do not have. */
function checkFits(body: ColumnBody, field: OfSomeTypes, fits: boolean, kind: string): void {
  if (!fits && body.has(field)) throw body.error(field, `is for ${kind} columns only`);
}

function readStorage(body: ColumnBody, type: ColumnType | null): Storage | null {
  const isEvent = type !== null && isEventType(type);
  if (isEvent && body.has('storage')) throw body.error('storage', 'is not for event columns');
  return body.get('storage') ?? (isEvent ? null : 'latest-value');
}

function readCardinality(body: ColumnBody, type: ColumnType | null): 'low' | 'high' | null {
  checkFits(body, 'cardinality', type === null || baseTypeOf(type) === 'string', 'string');
  return body.get('cardinality') ?? (type === null || type === 'string' ? 'high' : null);
}

function readTextCase(body: ColumnBody, type: ColumnType | null, byDefault: TextCase): TextCase {
  const fits = type === null || baseTypeOf(type) === 'string';
  checkFits(body, 'case', fits, 'string');
  return body.get('case') ?? (fits ? byDefault : 'fold');
}

function readDecimalPlaces(body: ColumnBody, type: ColumnType | null): number | null {
  const fits = type === null || baseTypeOf(type) === 'decimal';
  checkFits(body, 'decimal-places', fits, 'decimal');
  return body.get('decimal-places') ?? (fits ? DECIMAL_PLACES_DEFAULT : null);
}

function readRange(body: ColumnBody, type: ColumnType | null): readonly bigint[] | null {
  checkFits(body, 'range', type === null || type === 'enumerated', 'enumerated');
  if (!body.has('range')) {
    if (type !== 'enumerated') return null;
    throw new QuarryError(3000, `"range" in ${body.path} is missing`);
  }
  const value = body.get('range');
  const fault = (what: string) => body.error('range', what);
  if (!isList(value) || value.length === 0) throw fault('must be a list of bounds');
  if (value.length > RANGE_BOUNDS_MAX) throw fault(`has more than ${RANGE_BOUNDS_MAX} bounds`);
  const bounds = value.map((bound, index) => {
    if (!(bound instanceof ExactNumber) || !INTEGER.test(bound.text))
      throw fault(`has no integer at [${index}]`);
    const integer = BigInt(bound.text);
    if (integer < INT64_MIN || integer > INT64_MAX) throw fault(`is outside 64-bit integers at [${index}]`);
    return integer;
  });
  bounds.forEach((bound, index) => {
    if (index > 0 && bound <= bounds[index - 1]) throw fault(`does not ascend at [${index}]`);
  });
  return bounds;
}

function readRetention(body: ColumnBody, type: ColumnType | null): number | null {
  checkFits(body, 'retention-time', type === null || isEventType(type), 'event');
  return retentionDaysOf(body.get('retention-time') ?? 'forever', body);
}

/** The days of a retention time; null = forever. Throws 3017, made by `body`. */
export function retentionDaysOf(
  value: Json,
  body: { error(name: 'retention-time', text: string): QuarryError },
): number | null {
  if (value === 'forever') return null;
  const days = value instanceof ExactNumber && INTEGER.test(value.text) ? Number(value.text) : 0;
  if (days >= 1 && Number.isSafeInteger(days)) return days;
  const found = value === null ? ', not null' : '';
  throw body.error('retention-time', `must be whole days, at least 1, or "forever"${found}`);
}
