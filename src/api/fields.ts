/** Reading the fields of a request's objects: what every endpoint of the JSON interface checks in the same way. */
import { checkAll, type ErrorCode, QuarryError, quoted } from '../base/index.js';
import { type Column, type DatabaseModel, DEFAULT_DIMENSION, type Dimension } from '../schema/index.js';
import { ExactNumber, isObject, type Json, type JsonObject, kindOf } from './json.js';

/** More unknown fields of one object are not looked at; a refusal tells no more faults than these. */
const UNKNOWN_TOLD_MAX = 20;

/** What every reader gives, run in their order. When some refuse, all their faults are told, in that order. */
export function readAll<T extends object>(readers: { readonly [Key in keyof T]: () => T[Key] }): T {
  const entries: [string, () => unknown][] = Object.entries(readers);
  return Object.fromEntries(checkAll(entries, ([key, read]) => [key, read()])) as T;
}

/** What `read` gives of an object with the fields `known`. Unknown fields are told first, beside the faults of `read`. */
export function readKnown<T>(
  object: JsonObject,
  known: readonly string[],
  code: ErrorCode,
  place: string,
  read: () => T,
): T {
  return readAll({ unknown: () => refuseUnknown(object, known, code, place), known: read }).known;
}

/** What `read` gives, or null when it refuses: for what depends on a field whose fault is told elsewhere. */
export function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof QuarryError) return null;
    throw error;
  }
}

/** The body as an object, or the error `code` that says what stands there instead. */
export function objectAt(json: Json | undefined, code: ErrorCode, place: string): JsonObject {
  if (isObject(json)) return json;
  throw new QuarryError(code, `${place} must be an object, not ${kindOf(json)}`);
}

/** Refuses fields that `known` does not name, each of them with `code`. */
export function refuseUnknown(
  object: JsonObject,
  known: readonly string[],
  code: ErrorCode,
  place: string,
): void {
  const unknown = [...object.keys()].filter((key) => !known.includes(key));
  checkAll(unknown.slice(0, UNKNOWN_TOLD_MAX), (key) => {
    throw new QuarryError(code, `unknown field ${quoted(key)} in ${place}`);
  });
}

/** The string at `key`; `missing` when it is absent or null, `wrongType` when it is something else. */
export function requiredString(
  object: JsonObject,
  key: string,
  codes: { readonly missing: ErrorCode; readonly wrongType: ErrorCode },
  place: string,
): string {
  const value = object.get(key);
  if (value === undefined) throw new QuarryError(codes.missing, `${place} lacks ${quoted(key)}`);
  if (typeof value === 'string') return value;
  const code = value === null ? codes.missing : codes.wrongType;
  throw new QuarryError(code, `${quoted(key)} in ${place} must be a string, not ${kindOf(value)}`);
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

/** A positive integer; those above 2^53 - 1 count as that. Throws 4028. */
export function readLimit(json: Json, place: string): number {
  if (json instanceof ExactNumber && /^[1-9]\d*$/.test(json.text)) {
    return Math.min(Number(json.text), Number.MAX_SAFE_INTEGER);
  }
  const found = json instanceof ExactNumber ? json.text.slice(0, 40) : kindOf(json);
  throw new QuarryError(4028, `${place} must be a positive integer, not ${found}`);
}
