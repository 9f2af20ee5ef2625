/**
 * The fields of a column in the bodies of POST and PUT /v1/column, each with its own code. A field that does not fit
 * the column's type is refused, never ignored.
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
import { refuseUnknown, requiredString } from './fields.js';
import { ExactNumber, isList, type JsonObject } from './json.js';
import { apiNameFrom, COLUMN_API_NAME, COLUMN_NAME, checkApiName, checkName } from './names.js';

const FIELDS = [
  'name',
  'api-name',
  'type',
  'description',
  'dimension',
  'storage',
  'cardinality',
  'decimal-places',
  'range',
  'retention-time',
];
const DECIMAL_PLACES_DEFAULT = 6;
const DECIMAL_PLACES_MAX = 20;
const RANGE_BOUNDS_MAX = 10_000;
const INTEGER = /^-?\d+$/;

/** `dimension` names the place of an entity in an insert, so a column of that name could never be written. */
const RESERVED_COLUMN = 'dimension';

/** A column from its fields, without the id. Throws 3000 to 3017, naming the field and `place`. */
export function readColumn(object: JsonObject, place: string): Omit<Column, 'id'> {
  refuseUnknown(object, FIELDS, 3000, place);
  const name = readColumnName(object, 3000, place);
  const type = readType(object, place);
  return {
    name,
    apiName: readApiName(object, name, place),
    description: readDescription(object, place),
    type,
    storage: readStorage(object, type, place),
    cardinality: readCardinality(object, type, place),
    decimalPlaces: readDecimalPlaces(object, type, place),
    range: readRange(object, type, place),
    retentionDays: readRetention(object, type, place),
    active: true,
  };
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

function readApiName(object: JsonObject, name: string, place: string): string {
  const given = object.has('api-name')
    ? requiredString(object, 'api-name', { missing: 3007, wrongType: 3007 }, place)
    : apiNameFrom(name);
  if (given === RESERVED_COLUMN)
    throw new QuarryError(3007, `api-name ${quoted(given)} in ${place} is reserved`);
  return checkApiName(given, COLUMN_API_NAME);
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

function readStorage(object: JsonObject, type: ColumnType, place: string): Storage | null {
  const given = object.get('storage');
  if (isEventType(type)) {
    if (given === undefined) return null;
    throw new QuarryError(3006, `${place} has "storage", which event columns have not`);
  }
  if (given === undefined || given === 'latest-value') return 'latest-value';
  if (given === 'list-of-values') return given;
  throw new QuarryError(3006, `"storage" in ${place} must be "latest-value" or "list-of-values"`);
}

function readCardinality(object: JsonObject, type: ColumnType, place: string): 'low' | 'high' | null {
  const given = object.get('cardinality');
  if (baseTypeOf(type) !== 'string') {
    if (given === undefined) return null;
    throw new QuarryError(3011, `${place} has "cardinality", which only string columns have`);
  }
  if (given === undefined) return isEventType(type) ? null : 'high';
  if (given === 'low' || given === 'high') return given;
  throw new QuarryError(3011, `"cardinality" in ${place} must be "low" or "high"`);
}

function readDecimalPlaces(object: JsonObject, type: ColumnType, place: string): number | null {
  const given = object.get('decimal-places');
  if (baseTypeOf(type) !== 'decimal') {
    if (given === undefined) return null;
    throw new QuarryError(3005, `${place} has "decimal-places", which only decimal columns have`);
  }
  if (given === undefined) return DECIMAL_PLACES_DEFAULT;
  if (!(given instanceof ExactNumber) || !INTEGER.test(given.text)) {
    throw new QuarryError(3005, `"decimal-places" in ${place} must be an integer`);
  }
  const places = Number(given.text);
  if (places >= 1 && places <= DECIMAL_PLACES_MAX) return places;
  throw new QuarryError(3012, `"decimal-places" in ${place} must be 1 to ${DECIMAL_PLACES_MAX}`);
}

function readRange(object: JsonObject, type: ColumnType, place: string): readonly bigint[] | null {
  const given = object.get('range');
  if (type !== 'enumerated') {
    if (given === undefined) return null;
    throw new QuarryError(3016, `${place} has "range", which only enumerated columns have`);
  }
  if (given === undefined) throw new QuarryError(3000, `${place} lacks "range"`);
  const fault = (what: string) => new QuarryError(3016, `"range" in ${place} ${what}`);
  if (!isList(given) || given.length === 0) throw fault('must be a list of bounds');
  if (given.length > RANGE_BOUNDS_MAX) throw fault(`has more than ${RANGE_BOUNDS_MAX} bounds`);
  const bounds = given.map((bound, index) => {
    if (!(bound instanceof ExactNumber) || !INTEGER.test(bound.text))
      throw fault(`has no integer at [${index}]`);
    const value = BigInt(bound.text);
    if (value < INT64_MIN || value > INT64_MAX) throw fault(`is outside 64-bit integers at [${index}]`);
    return value;
  });
  bounds.forEach((bound, index) => {
    if (index > 0 && bound <= bounds[index - 1]) throw fault(`does not ascend at [${index}]`);
  });
  return bounds;
}

function readRetention(object: JsonObject, type: ColumnType, place: string): number | null {
  const given = object.get('retention-time');
  if (given === undefined) return null;
  if (!isEventType(type))
    throw new QuarryError(3017, `${place} has "retention-time", which only event columns have`);
  if (given === 'forever') return null;
  const days = given instanceof ExactNumber && INTEGER.test(given.text) ? Number(given.text) : 0;
  if (days >= 1 && Number.isSafeInteger(days)) return days;
  throw new QuarryError(3017, `"retention-time" in ${place} must be whole days, at least 1, or "forever"`);
}
