/** Functions that readers of requests share: collecting the errors of several fields, and looking up names in the model. */
import { checkAll, type ErrorCode, QuarryError, quoted } from '../../base/index.js';
import { type Column, type DatabaseModel, DEFAULT_DIMENSION, type Dimension } from '../../schema/index.js';
import { isObject, type Json, type JsonObject, kindOf } from './json.js';

/** Runs the readers in order. If some of them throw, throws the errors of all of them, in that order. */
export function readAll<T extends object>(readers: { readonly [Key in keyof T]: () => T[Key] }): T {
  const entries: [string, () => unknown][] = Object.entries(readers);
  return Object.fromEntries(checkAll(entries, ([key, read]) => [key, read()])) as T;
}

/** Returns the result of `read`, or null if it throws: for fields that depend on a field whose error is reported elsewhere. */
export function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof QuarryError) return null;
    throw error;
  }
}

/** Returns the value as an object. Throws `code` for other values. */
export function objectAt(json: Json | undefined, code: ErrorCode, path: string): JsonObject {
  if (isObject(json)) return json;
  throw new QuarryError(code, `${path} must be an object, not ${kindOf(json)}`);
}

/** The dimension that a body names; the default dimension if it names none. Throws 5009 and 5008. */
export function dimensionOf(
  model: DatabaseModel,
  body: { get(name: 'dimension'): string | undefined },
): Dimension {
  return dimensionAt(model, body.get('dimension') ?? DEFAULT_DIMENSION);
}

/** The dimension with the api-name. Throws 5008 if there is none. */
export function dimensionAt(model: DatabaseModel, apiName: string): Dimension {
  const dimension = model.dimensions.get(apiName);
  if (dimension !== undefined) return dimension;
  throw new QuarryError(5008, `dimension ${quoted(apiName)} does not exist`);
}

/** The column with the api-name, active or not. Throws 3018 if there is none. */
export function columnAt(dimension: Dimension, apiName: string): Column {
  const column = dimension.columns.get(apiName);
  if (column !== undefined) return column;
  const where = `in dimension ${quoted(dimension.apiName)}`;
  throw new QuarryError(3018, `column ${quoted(apiName)} does not exist ${where}`);
}
