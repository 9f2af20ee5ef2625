/**
 * The fields of a column in the bodies of POST and PUT /v1/column, each with its own code. A field that does not fit
 * the column's type is refused, never ignored; beside a type that is refused itself, it is checked as if it fitted.
 * An optional field that is null counts as absent.
 */
import {
  DESCRIPTION_CHARS_MAX,
  type ErrorCode,
  INT64_MAX,
  INT64_MIN,
  QuarryError,
  quoted,
} from '../base/index.js';
import {
  baseTypeOf,
  COLUMN_TYPES,
  type Column,
  type ColumnType,
  codePointCount,
  isEventType,
  type Storage,
} from '../schema/index.js';
import { readAll, readKnown, readOrNull, requiredString } from './fields.js';
import { ExactNumber, isList, type Json, type JsonObject } from './json.js';
import { KNOWN_FIELDS } from './known-fields.js';
import { apiNameFrom, COLUMN_API_NAME, COLUMN_NAME, checkApiName, checkName } from './names.js';

export const DECIMAL_PLACES_DEFAULT = 6;
export const DECIMAL_PLACES_MAX = 20;
export const RANGE_BOUNDS_MAX = 10_000;
const INTEGER = /^-?\d+$/;

/** `dimension` names the place of an entity in an insert, so a column of that name could never be written. */
const RESERVED_COLUMN = 'dimension';

/**
 * A column from its fields, without the id, and what `readDimension` gives. Throws 3000 to 3017, naming the field and
 * `place`, and all of `readDimension`; every faulty field is told.
 */
export function readColumn<T>(
  object: JsonObject,
  place: string,
  readDimension: () => T,
): { readonly column: Omit<Column, 'id'>; readonly dimension: T } {
  const readName = () => readColumnName(object, 3000, place);
  const readOwnType = () => readType(object, place);
  const name = readOrNull(readName);
  const type = readOrNull(readOwnType);
  const readFields = (): Omit<Column, 'id'> =>
    readAll({
      name: readName,
      type: readOwnType,
      apiName: () => readApiName(object, name, place),
      description: () => readDescription(object, place),
      storage: () => readStorage(object, type, place),
      cardinality: () => readCardinality(object, type, place),
      decimalPlaces: () => readDecimalPlaces(object, type, place),
      range: () => readRange(object, type, place),
      retentionDays: () => readRetention(object, type, place),
      active: () => true,
    });
  const readers = { column: readFields, dimension: readDimension };
  return readKnown(object, KNOWN_FIELDS.newColumn, 3000, place, () => readAll(readers));
}

/** The value at `field`; undefined when it is absent or null. */
function given(object: JsonObject, field: string): Exclude<Json, null> | undefined {
  return object.get(field) ?? undefined;
}

/** The name, or `missing` when it is absent or null. Throws 3008 and 3014. */
export function readColumnName(object: JsonObject, missing: ErrorCode, place: string): string {
  return checkName(requiredString(object, 'name', { missing, wrongType: 3008 }, place), COLUMN_NAME);
}

function readType(object: JsonObject, place: string): ColumnType {
  const text = requiredString(object, 'type', { missing: 3000, wrongType: 3001 }, place);
  const type = COLUMN_TYPES.find((known) => known === text);
  if (type !== undefined && type !== 'unique-id') return type;
  throw new QuarryError(3001, `${quoted(text)} in ${place} is not a type that a column can be made with`);
}

/** The api-name; empty when it would be made from a `name` that was refused, which is null. */
function readApiName(object: JsonObject, name: string | null, place: string): string {
  const own = given(object, 'api-name') !== undefined;
  if (!own && name === null) return '';
  const apiName = own
    ? requiredString(object, 'api-name', { missing: 3007, wrongType: 3007 }, place)
    : apiNameFrom(name ?? '');
  if (apiName === RESERVED_COLUMN)
    throw new QuarryError(3007, `api-name ${quoted(apiName)} in ${place} is reserved`);
  if (!own && /^-*$/.test(apiName)) {
    const why = `the name ${quoted(name ?? '')} has no letter and no digit to make it from`;
    throw new QuarryError(3007, `${place} needs an "api-name": ${why}`);
  }
  return checkApiName(apiName, COLUMN_API_NAME);
}

/** The description; empty when it is absent or null. Throws 3009 and 3010. */
export function readDescription(object: JsonObject, place: string): string {
  const text = object.get('description') ?? '';
  if (typeof text !== 'string' || /['"]/.test(text)) {
    throw new QuarryError(3009, `"description" in ${place} must be a string without ' and "`);
  }
  if (codePointCount(text) > DESCRIPTION_CHARS_MAX) {
    throw new QuarryError(
      3010,
      `"description" in ${place} is longer than ${DESCRIPTION_CHARS_MAX} characters`,
    );
  }
  return text;
}

function readStorage(object: JsonObject, type: ColumnType | null, place: string): Storage | null {
  const value = given(object, 'storage');
  if (type !== null && isEventType(type)) {
    if (value === undefined) return null;
    throw new QuarryError(3006, `${place} has "storage", which event columns have not`);
  }
  if (value === undefined || value === 'latest-value') return 'latest-value';
  if (value === 'list-of-values') return value;
  throw new QuarryError(3006, `"storage" in ${place} must be "latest-value" or "list-of-values"`);
}

function readCardinality(object: JsonObject, type: ColumnType | null, place: string): 'low' | 'high' | null {
  const value = given(object, 'cardinality');
  if (type !== null && baseTypeOf(type) !== 'string') {
    if (value === undefined) return null;
    throw new QuarryError(3011, `${place} has "cardinality", which only string columns have`);
  }
  if (value === undefined) return type !== null && isEventType(type) ? null : 'high';
  if (value === 'low' || value === 'high') return value;
  throw new QuarryError(3011, `"cardinality" in ${place} must be "low" or "high"`);
}

function readDecimalPlaces(object: JsonObject, type: ColumnType | null, place: string): number | null {
  const value = given(object, 'decimal-places');
  if (type !== null && baseTypeOf(type) !== 'decimal') {
    if (value === undefined) return null;
    throw new QuarryError(3005, `${place} has "decimal-places", which only decimal columns have`);
  }
  if (value === undefined) return DECIMAL_PLACES_DEFAULT;
  if (!(value instanceof ExactNumber) || !INTEGER.test(value.text)) {
    throw new QuarryError(3005, `"decimal-places" in ${place} must be an integer`);
  }
  const places = Number(value.text);
  if (places >= 1 && places <= DECIMAL_PLACES_MAX) return places;
  throw new QuarryError(3012, `"decimal-places" in ${place} must be 1 to ${DECIMAL_PLACES_MAX}`);
}

function readRange(object: JsonObject, type: ColumnType | null, place: string): readonly bigint[] | null {
  const value = given(object, 'range');
  if (value === undefined) {
    if (type !== 'enumerated') return null;
    throw new QuarryError(3000, `${place} lacks "range"`);
  }
  if (type !== null && type !== 'enumerated') {
    throw new QuarryError(3016, `${place} has "range", which only enumerated columns have`);
  }
  const fault = (what: string) => new QuarryError(3016, `"range" in ${place} ${what}`);
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

function readRetention(object: JsonObject, type: ColumnType | null, place: string): number | null {
  const value = given(object, 'retention-time');
  if (value === undefined) return null;
  if (type !== null && !isEventType(type))
    throw new QuarryError(3017, `${place} has "retention-time", which only event columns have`);
  if (value === 'forever') return null;
  const days = value instanceof ExactNumber && INTEGER.test(value.text) ? Number(value.text) : 0;
  if (days >= 1 && Number.isSafeInteger(days)) return days;
  throw new QuarryError(3017, `"retention-time" in ${place} must be whole days, at least 1, or "forever"`);
}
