/** Converts an operand of a predicate into a bound on a column's stored form, or into the text that is compared. */

import { QuarryError, quoted, TEXT_POINTS_MAX } from '../../base/index.js';
import { type Bound, exactly, instantBound, numberBound } from '../../ir/index.js';
import {
  type Column,
  codePointCount,
  parseInstant,
  readDecimal,
  SECONDS_PER_DAY,
  storedText,
  valueKindOf,
} from '../../schema/index.js';
import { ExactNumber, type Json, kindOf } from '../body/json.js';

/** The text of a JSON number, or of a string, which may contain one; null for other values. */
export function numberText(json: Json): string | null {
  if (json instanceof ExactNumber) return json.text;
  return typeof json === 'string' && json.length <= TEXT_POINTS_MAX ? json : null;
}

/** The value as a finite number, for degrees and distances; null if it is not one. */
export function finiteNumber(json: Json): number | null {
  const text = numberText(json);
  if (text === null || readDecimal(text) === null) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

function dateBound(json: Json, secondsPerUnit: number, path: string): Bound {
  const seconds = typeof json === 'string' ? parseInstant(json) : null;
  if (seconds === null) throw new QuarryError(4044, `${path} must be a date in ISO 8601 form`);
  return instantBound(seconds, secondsPerUnit);
}

/** The bound of an operand for an ordered column. Throws 4047, 4049, and 4044 for dates; messages name `path`. */
export function readBound(json: Json, column: Column, path: string): Bound {
  if (json === '') throw new QuarryError(4047, `${path} is an empty string`);
  switch (column.type) {
    case 'date':
      return dateBound(json, SECONDS_PER_DAY, path);
    case 'datetime':
      return dateBound(json, 1, path);
    case 'boolean':
      if (json === true || json === 'true') return exactly(1n);
      if (json === false || json === 'false') return exactly(0n);
      throw new QuarryError(4049, `${path} must be true or false, not ${shown(json)}`);
    default: {
      const text = numberText(json);
      const bound = text === null ? null : numberBound(text, column.decimalPlaces ?? 0);
      if (bound === null) throw new QuarryError(4049, `${path} must be a number, not ${shown(json)}`);
      return bound;
    }
  }
}

/** The text of an operand in the form in which texts of `column` are compared. Throws 4047 if it is empty, 4049 if it is not a string or too long. */
export function readText(json: Json, column: Pick<Column, 'textCase'>, path: string): string {
  if (typeof json !== 'string') throw new QuarryError(4049, `${path} must be a string, not ${kindOf(json)}`);
  if (json === '') throw new QuarryError(4047, `${path} is an empty string`);
  if (codePointCount(json) > TEXT_POINTS_MAX) {
    throw new QuarryError(4049, `${path} is longer than ${TEXT_POINTS_MAX} characters`);
  }
  return storedText(json, column);
}

/** Whether the values of the column are tested as 64-bit integers. */
export function isOrdered(column: Column): boolean {
  const kind = valueKindOf(column.type);
  return column.type !== 'unique-id' && kind !== 'code' && kind !== 'geo';
}

function shown(json: Json): string {
  return typeof json === 'string' ? quoted(json) : kindOf(json);
}
