/** One operand of a predicate, turned into a bound on a column's stored form, or a text as it is compared. */

import { QuarryError, quoted, TEXT_POINTS_MAX } from '../../base/index.js';
import { type Bound, exactly, instantBound, numberBound } from '../../ir/index.js';
import {
  type Column,
  codePointCount,
  lowerCase,
  parseInstant,
  readDecimal,
  SECONDS_PER_DAY,
  valueKindOf,
} from '../../schema/index.js';
import { ExactNumber, type Json, kindOf } from '../body/json.js';

/** The text of a JSON number or of a string that may hold one; null for everything else. */
export function numberText(json: Json): string | null {
  if (json instanceof ExactNumber) return json.text;
  return typeof json === 'string' && json.length <= TEXT_POINTS_MAX ? json : null;
}

/** A number of finite size, for degrees and distances; null when it is none. */
export function finiteNumber(json: Json): number | null {
  const text = numberText(json);
  if (text === null || readDecimal(text) === null) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

function dateBound(json: Json, secondsPerUnit: number, place: string): Bound {
  const seconds = typeof json === 'string' ? parseInstant(json) : null;
  if (seconds === null) throw new QuarryError(4044, `${place} must be a date in ISO 8601 form`);
  return instantBound(seconds, secondsPerUnit);
}

/** The bound of an operand for an ordered column. Throws 4047, 4049, and 4044 for dates, naming `place`. */
export function readBound(json: Json, column: Column, place: string): Bound {
  if (json === '') throw new QuarryError(4047, `${place} is an empty string`);
  switch (column.type) {
    case 'date':
      return dateBound(json, SECONDS_PER_DAY, place);
    case 'datetime':
      return dateBound(json, 1, place);
    case 'boolean':
      if (json === true || json === 'true') return exactly(1n);
      if (json === false || json === 'false') return exactly(0n);
      throw new QuarryError(4049, `${place} must be true or false, not ${shown(json)}`);
    default: {
      const text = numberText(json);
      const bound = text === null ? null : numberBound(text, column.decimalPlaces ?? 0);
      if (bound === null) throw new QuarryError(4049, `${place} must be a number, not ${shown(json)}`);
      return bound;
    }
  }
}

/** A text operand as it is compared. Throws 4047 when empty, 4049 when it is no string or too long. */
export function readText(json: Json, place: string): string {
  if (typeof json !== 'string') throw new QuarryError(4049, `${place} must be a string, not ${kindOf(json)}`);
  if (json === '') throw new QuarryError(4047, `${place} is an empty string`);
  if (codePointCount(json) > TEXT_POINTS_MAX) {
    throw new QuarryError(4049, `${place} is longer than ${TEXT_POINTS_MAX} characters`);
  }
  return lowerCase(json);
}

/** Whether values of the column are tested as 64-bit integers. */
export function isOrdered(column: Column): boolean {
  const kind = valueKindOf(column.type);
  return column.type !== 'unique-id' && kind !== 'code' && kind !== 'geo';
}

function shown(json: Json): string {
  return typeof json === 'string' ? quoted(json) : kindOf(json);
}
