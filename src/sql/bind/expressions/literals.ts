/**
 * Converts literals to constants, and texts to the type of the other operand: numbers exactly, dates in the interface's forms
 * (UTC if they have no zone).
 */
import { quoted } from '../../../base/index.js';
import { BOOLEAN, type Constant, FLOAT, INTEGER } from '../../../ir/index.js';
import {
  lowerCase,
  packInterval,
  parseDate,
  parseDateTime,
  readIntervalText,
} from '../../../schema/index.js';
import { DIGITS_MAX, type SqlType } from '../../../vector/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition } from '../../tree.js';
import { constantOf, DATE, DATETIME, INTERVAL } from './build.js';
import { isNumber } from './types.js';

/** Sign, digits, fractional digits, exponent. */
const NUMBER = /^([+-]?)(\d*)(?:(\.)(\d*))?([eE][+-]?\d+)?$/;

/** Longer texts are never numbers, dates or booleans. */
const TEXT_CHARS_MAX = 400;

/** Parses a number: a float if it has an exponent, a decimal of the written scale if it has a point. */
export function readNumber(text: string): Constant | 'no number' | 'too many digits' {
  const match = NUMBER.exec(text);
  if (match === null) return 'no number';
  const [, sign, whole, point, fraction = '', exponent] = match;
  if (whole === '' && fraction === '') return 'no number';
  if (exponent !== undefined) {
    const value = Number(text);
    // + 0 turns -0 into 0.
    return Number.isFinite(value) ? constantOf(FLOAT, value + 0) : 'too many digits';
  }
  let zeros = 0;
  while (zeros < whole.length && whole[zeros] === '0') zeros++;
  if (whole.length - zeros + fraction.length > DIGITS_MAX) return 'too many digits';
  const magnitude = BigInt(whole.slice(zeros) + fraction);
  const type: SqlType = point === undefined ? INTEGER : { type: 'decimal', scale: fraction.length };
  return constantOf(type, sign === '-' ? -magnitude : magnitude);
}

/** Converts a number literal. Throws 6000 for too many digits. */
export function numberLiteral(text: string, position: SourcePosition): Constant {
  const read = readNumber(text);
  if (read === 'no number') throw sqlError(`${quoted(text)} is not a number`, position);
  if (read !== 'too many digits') return read;
  const what = /[eE]/.test(text) ? 'is too large for a float' : `has more than ${DIGITS_MAX} digits`;
  throw sqlError(`the number ${quoted(text)} ${what}`, position);
}

/** A datetime in SQL: T or a space between date and time; seconds and zone are optional. */
const DATETIME_TEXT =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)? ?([Zz]|[+-]\d{2}:?\d{2}|[+-]\d{2})?$/;

/** Parses a date or datetime constant (without a zone: UTC); null for other texts. */
export function readInstant(text: string): Constant | null {
  const days = parseDate(text);
  if (days !== null) return constantOf(DATE, BigInt(days));
  const match = DATETIME_TEXT.exec(text);
  if (match === null) return null;
  const [, date, minutes, seconds = ':00', zone = 'Z'] = match;
  const instant = parseDateTime(`${date}T${minutes}${seconds}${canonicalZone(zone)}`);
  return instant === null ? null : constantOf(DATETIME, BigInt(instant));
}

/** Converts ±hh and ±hhmm to ±hh:mm. */
function canonicalZone(zone: string): string {
  if (zone.length === 3) return `${zone}:00`;
  return zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
}

function readInterval(text: string): Constant | null {
  const parts = readIntervalText(text);
  return parts === null ? null : constantOf(INTERVAL, BigInt(packInterval(parts.months, parts.seconds)));
}

const TRUE_TEXTS: readonly string[] = ['true', 't', 'yes', 'y', '1'];
const FALSE_TEXTS: readonly string[] = ['false', 'f', 'no', 'n', '0'];

function readTruth(text: string): Constant | null {
  const word = lowerCase(text);
  if (TRUE_TEXTS.includes(word)) return constantOf(BOOLEAN, true);
  return FALSE_TEXTS.includes(word) ? constantOf(BOOLEAN, false) : null;
}

/**
 * Reads `text` for use next to a value of `type`: as a number of its own scale next to numbers, as a date or datetime next to
 * either; null if it cannot be read so.
 */
export function readBeside(text: string, type: SqlType): Constant | null {
  if (type.type === 'text') return constantOf(type, text);
  if (text.length > TEXT_CHARS_MAX) return null;
  const bare = text.trim();
  if (isNumber(type)) {
    const read = readNumber(bare);
    return typeof read === 'string' ? null : read;
  }
  switch (type.type) {
    case 'boolean':
      return readTruth(bare);
    case 'interval':
      return readInterval(bare);
    case 'date':
    case 'datetime':
      return readInstant(bare);
    default:
      return null;
  }
}
