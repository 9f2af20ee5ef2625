/**
 * Parses one value of an insert body and appends it to the builder of its column and shard. All readers take the offset of the
 * token and return the offset after it; 0 = not plain, or out of memory.
 */
import { DATE_BYTES, datetimeEnd, NO_DATE, readDays, readSeconds } from './_insert-dates';
import { DECODED_BYTES_MAX, decodeText } from './_insert-decode';
import { readDecimal, readDegrees, readInteger } from './_insert-numbers';
import { Builder, Column, reserveEntry, reserveText, Walk } from './_insert-records';
import { CLOSE_LIST, COMMA, copyText, lowerText, OPEN_LIST, plainLength, QUOTE, skipSpace } from './_insert-text';

/** How a value is read: the numbers of src/ingest/tables.ts. */
const AS_TEXT: u32 = 0;
const AS_INTEGER: u32 = 1;
const AS_DECIMAL: u32 = 2;
const AS_BOOLEAN: u32 = 3;
const AS_DATE: u32 = 4;
const AS_DATETIME: u32 = 5;
const AS_POINT: u32 = 6;
const AS_ENUMERATED: u32 = 7;
const AS_UNCHANGED_TEXT: u32 = 9;

const TRUE: u32 = 0x65757274;
const FALSE: u32 = 0x736c6166;

/** Appends one value; the caller adds its row. */
export function readValue(walk: Walk, column: Column, builder: Builder, at: usize): usize {
  const index = builder.valueCount;
  if (!reserveEntry(walk, builder, index)) return 0;
  builder.valueCount = index + 1;
  const values = <usize>builder.valuesAt;
  switch (column.reader) {
    case AS_TEXT:
      return readText(walk, builder, index, at, false);
    case AS_UNCHANGED_TEXT:
      return readText(walk, builder, index, at, true);
    case AS_INTEGER:
      return readInteger(at, values + (index << 3));
    case AS_DECIMAL:
      return readDecimal(at, column.places, values + (index << 3));
    case AS_BOOLEAN:
      return readBoolean(at, values + index);
    case AS_DATE: {
      const days = readDays(at);
      store<i32>(values + (index << 2), <i32>days);
      return days == NO_DATE ? 0 : at + DATE_BYTES;
    }
    case AS_DATETIME: {
      const end = load<u8>(at) == QUOTE ? datetimeEnd(at) : 0;
      if (end == 0) return 0;
      const seconds = readSeconds(at);
      store<i64>(values + (index << 3), seconds);
      return seconds == NO_DATE ? 0 : end;
    }
    case AS_POINT:
      return readPoint(at, values + (index << 4));
    case AS_ENUMERATED: {
      const end = readInteger(at, values + (index << 3));
      return end != 0 && replaceWithBound(column, values + (index << 3)) ? end : 0;
    }
    default:
      return 0;
  }
}

// @ts-ignore: decorator
@inline
function readText(walk: Walk, builder: Builder, index: u32, at: usize, keepsCase: bool): usize {
  if (load<u8>(at) != QUOTE) return 0;
  const length = plainLength(at + 1);
  if (length == 0) return readDecoded(walk, builder, index, at, keepsCase);
  if (!reserveText(walk, builder, length)) return 0;
  const start = builder.textLength;
  const hash = keepsCase
    ? copyText(at + 1, builder.textAt + start, length)
    : lowerText(at + 1, builder.textAt + start, length);
  store<u32>(builder.valuesAt + (index << 2), hash);
  store<u32>(builder.endsAt + ((index + 1) << 2), start + length);
  builder.textLength = start + length;
  return at + length + 2;
}

function readDecoded(walk: Walk, builder: Builder, index: u32, at: usize, keepsCase: bool): usize {
  if (!reserveText(walk, builder, DECODED_BYTES_MAX)) return 0;
  const start = builder.textLength;
  const end = decodeText(walk, at + 1, builder.textAt + start, keepsCase);
  if (end == 0) return 0;
  const textEnd = start + walk.textLength;
  store<u32>(builder.valuesAt + (index << 2), walk.textHash);
  store<u32>(builder.endsAt + ((index + 1) << 2), textEnd);
  builder.textLength = textEnd;
  return end;
}

/** Reads true or false, also in quotes. */
function readBoolean(at: usize, to: usize): usize {
  const inQuotes = load<u8>(at) == QUOTE;
  const from = inQuotes ? at + 1 : at;
  const word = load<u32>(from);
  const isTrue = word == TRUE;
  if (!isTrue && (word != FALSE || load<u8>(from + 4) != 0x65)) return 0;
  const end: usize = isTrue ? from + 4 : from + 5;
  if (inQuotes && load<u8>(end) != QUOTE) return 0;
  store<u8>(to, isTrue ? 1 : 0);
  return inQuotes ? end + 1 : end;
}

/** [longitude, latitude] */
function readPoint(from: usize, to: usize): usize {
  if (load<u8>(from) != OPEN_LIST) return 0;
  let at = readDegrees(skipSpace(from + 1), 180, to);
  if (at == 0) return 0;
  at = skipSpace(at);
  if (load<u8>(at) != COMMA) return 0;
  at = readDegrees(skipSpace(at + 1), 90, to + 8);
  if (at == 0) return 0;
  at = skipSpace(at);
  return load<u8>(at) == CLOSE_LIST ? at + 1 : 0;
}

/** Replaces the integer at `at` with the greatest bound not above it; false = there is none. */
function replaceWithBound(column: Column, at: usize): bool {
  const value = load<i64>(at);
  let from: u32 = 0;
  let to = column.boundCount;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (load<i64>(column.boundsAt + (middle << 3)) <= value) from = middle + 1;
    else to = middle;
  }
  if (from == 0) return false;
  store<i64>(at, load<i64>(column.boundsAt + ((from - 1) << 3)));
  return true;
}
