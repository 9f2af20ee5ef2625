/** Reading the fields of a request's objects: what every endpoint of the JSON interface checks in the same way. */
import { type ErrorCode, QuarryError, quoted } from '../base/index.js';
import { type Column, type DatabaseModel, DEFAULT_DIMENSION, type Dimension } from '../schema/index.js';
import { isObject, type Json, type JsonObject, kindOf } from './json.js';

/** The body as an object, or the error `code` that says what stands there instead. */
export function objectAt(json: Json | undefined, code: ErrorCode, place: string): JsonObject {
  if (isObject(json)) return json;
  throw new QuarryError(code, `${place} must be an object, not ${kindOf(json)}`);
}

/** Refuses fields that `known` does not name; the first one is named in the message. */
export function refuseUnknown(
  object: JsonObject,
  known: readonly string[],
  code: ErrorCode,
  place: string,
): void {
  for (const key of object.keys()) {
    if (!known.includes(key)) throw new QuarryError(code, `unknown field ${quoted(key)} in ${place}`);
  }
}

/** The string at `key`; `missing` when it is absent or null, `wrongType` when it is something else. */
export function requiredString(
  object: JsonObject,
  key: string,
  codes: { readonly missing: ErrorCode; readonly wrongType: ErrorCode },
  place: string,
): string {
  const value = object.get(key) ?? null;
  if (value === null) throw new QuarryError(codes.missing, `${place} lacks ${quoted(key)}`);
  if (typeof value === 'string') return value;
  throw new QuarryError(codes.wrongType, `${quoted(key)} in ${place} must be a string, not ${kindOf(value)}`);
}

/** The dimension that a query names; the default one when absent or null. Throws 5009 and 5008. */
export function dimensionAt(model: DatabaseModel, name: Json | undefined, place: string): Dimension {
  const wanted = name ?? DEFAULT_DIMENSION;
  if (typeof wanted !== 'string') {
    throw new QuarryError(5009, `${place} must be a dimension's api-name, not ${kindOf(wanted)}`);
  }
  const dimension = model.dimensions.get(wanted);
  if (dimension === undefined) throw new QuarryError(5008, `dimension ${quoted(wanted)} does not exist`);
  return dimension;
}

/** The column of that api-name, active or not. Throws 3018. */
export function columnAt(dimension: Dimension, apiName: string): Column {
  const column = dimension.columns.get(apiName);
  if (column !== undefined) return column;
  const where = `in dimension ${quoted(dimension.apiName)}`;
  throw new QuarryError(3018, `column ${quoted(apiName)} does not exist ${where}`);
}
