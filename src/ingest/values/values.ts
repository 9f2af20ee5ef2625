/**
 * Reads one value token of any column type, checks it and appends it to its column's builder. A refused value throws
 * InsertError and may leave the builder with a partial value, because an error ends the request.
 */
import { TEXT_POINTS_MAX } from '../../base/index.js';
import type { ColumnBuilder } from '../builders.js';
import { InsertError } from '../insert-error.js';
import { stringAt, unexpected } from '../json.js';
import {
  CLOSE_LIST,
  COMMA,
  isFalse,
  isTrue,
  MINUS,
  OPEN_LIST,
  QUOTE,
  type Source,
  skipSpace,
} from '../source.js';
import {
  AS_BOOLEAN,
  AS_DATE,
  AS_DATETIME,
  AS_DECIMAL,
  AS_ENUMERATED,
  AS_INSTANT,
  AS_INTEGER,
  AS_TEXT,
  AS_UNCHANGED_TEXT,
  type ModelTables,
} from '../tables.js';
import { NO_DATE, parseDays, readDateTime, readInstant } from './dates.js';
import { replaceWithBound } from './enumerated.js';
import { kindOfValue, readDecimal, readFloat, readInteger, writeNumberWords } from './numbers.js';
import { decodeText, readText } from './text.js';

/** Reads the value at `at` for column `slot` and returns the offset after it. `result` is a one-element scratch array. */
export function readValue(
  source: Source,
  at: number,
  tables: ModelTables,
  slot: number,
  builder: ColumnBuilder,
  result: Float64Array,
): number {
  builder.reserveValue();
  const index = builder.valueCount++;
  switch (tables.reader[slot]) {
    case AS_TEXT:
      return readString(source, at, builder, index, false);
    case AS_UNCHANGED_TEXT:
      return readString(source, at, builder, index, true);
    case AS_INTEGER:
      return readInteger(source, at, builder.words, index * 2);
    case AS_DECIMAL:
      return readDecimal(source, at, tables.scales[slot], builder.words, index * 2);
    case AS_BOOLEAN:
      return readBoolean(source, at, builder.bits, index);
    case AS_DATE: {
      const end = parseDays(source, openingQuote(source, at, 'a date'), result);
      if (result[0] === NO_DATE)
        throw new InsertError(2014, at, `${shown(source, at)} is not a date YYYY-MM-DD`);
      builder.words[index] = result[0];
      return end;
    }
    case AS_DATETIME:
    case AS_INSTANT: {
      openingQuote(source, at, 'a datetime');
      const withDates = tables.reader[slot] === AS_INSTANT;
      const end = withDates ? readInstant(source, at, result) : readDateTime(source, at, result);
      if (result[0] === NO_DATE) {
        throw new InsertError(2007, at, `${shown(source, at)} is not a datetime YYYY-MM-DDThh:mm:ssZ`);
      }
      writeNumberWords(builder.words, index * 2, result[0]);
      return end;
    }
    case AS_ENUMERATED: {
      const end = readInteger(source, at, builder.words, index * 2);
      replaceWithBound(builder.words, index * 2, tables.bounds[slot], at);
      return end;
    }
    default:
      return readPoint(source, at, builder.floats, index * 2);
  }
}

function openingQuote(source: Source, at: number, expected: string): number {
  if (source.bytes[at] === QUOTE) return at;
  throw new InsertError(2007, at, `${kindOfValue(source.bytes[at])} is not ${expected}`);
}

/** Returns the string at `at` for a message. */
function shown(source: Source, at: number): string {
  const text = stringAt(source, at);
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

function readString(
  source: Source,
  at: number,
  builder: ColumnBuilder,
  index: number,
  keepsCase: boolean,
): number {
  const { text } = builder;
  const from = openingQuote(source, at, 'a string') + 1;
  const end = keepsCase ? decodeText(source, from, text, false) : readText(source, from, text);
  if (text.points === 0) throw new InsertError(2015, at, 'the string is empty');
  if (text.points > TEXT_POINTS_MAX) {
    throw new InsertError(2009, at, `the string is longer than ${TEXT_POINTS_MAX} characters`);
  }
  builder.words[index] = text.hash;
  builder.ends[index + 1] = text.length;
  return end;
}

function readBoolean(source: Source, at: number, bits: Uint8Array, index: number): number {
  const quoted = source.bytes[at] === QUOTE;
  const from = quoted ? at + 1 : at;
  const yes = isTrue(source, from);
  if (yes || isFalse(source, from)) {
    const end = from + (yes ? 4 : 5);
    if (!quoted || source.bytes[end] === QUOTE) {
      bits[index] = yes ? 1 : 0;
      return quoted ? end + 1 : end;
    }
  }
  const seen = quoted ? shown(source, at) : kindOfValue(source.bytes[at]);
  throw new InsertError(2007, at, `${seen} is neither true nor false`);
}

/** [longitude, latitude] */
function readPoint(source: Source, from: number, floats: Float64Array, index: number): number {
  const { bytes } = source;
  if (bytes[from] !== OPEN_LIST) {
    throw new InsertError(2007, from, `${kindOfValue(bytes[from])} is not a pair [longitude, latitude]`);
  }
  let at = readDegrees(source, skipSpace(bytes, from + 1), floats, index, 180, 'longitude');
  at = skipSpace(bytes, at);
  if (bytes[at] === CLOSE_LIST) throw new InsertError(2007, from, 'a geolocation has no latitude');
  if (bytes[at] !== COMMA) throw unexpected(source, at, "','");
  at = readDegrees(source, skipSpace(bytes, at + 1), floats, index + 1, 90, 'latitude');
  at = skipSpace(bytes, at);
  if (bytes[at] === COMMA) throw new InsertError(2007, at, 'a geolocation has more than two numbers');
  if (bytes[at] !== CLOSE_LIST) throw unexpected(source, at, "']'");
  return at + 1;
}

function readDegrees(
  source: Source,
  at: number,
  floats: Float64Array,
  index: number,
  bound: number,
  name: string,
): number {
  const byte = source.bytes[at];
  if (byte !== MINUS && !(byte >= 0x30 && byte <= 0x39)) {
    throw new InsertError(2007, at, `the ${name} is not a number`);
  }
  const end = readFloat(source, at, floats, index);
  if (floats[index] >= -bound && floats[index] <= bound) return end;
  throw new InsertError(2007, at, `the ${name} ${floats[index]} is outside -${bound} to ${bound}`);
}
