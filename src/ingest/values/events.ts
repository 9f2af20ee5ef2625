/**
 * Reads events: an object {value, date?} or a list of such objects, appended to the column's builder, one row each. If a key
 * occurs twice in an event, the last one counts. Dates are whole seconds; an event without a date has the request's timestamp.
 */
import { EVENT_SECONDS_MIN } from '../../base/index.js';
import { formatDateTime, SECONDS_PER_DAY } from '../../schema/index.js';
import type { ColumnBuilder } from '../builders.js';
import { InsertError } from '../insert-error.js';
import { skipColon, skipString, stringAt, unexpected } from '../json.js';
import { CLOSE_OBJECT, COMMA, OPEN_OBJECT, QUOTE, type Source, skipSpace, wordOf } from '../source.js';
import type { ModelTables } from '../tables.js';
import { NO_DATE, readInstant } from './dates.js';
import { kindOfValue } from './numbers.js';
import { readValue } from './values.js';

const VALUE_START = wordOf('"val');
const VALUE_REST = wordOf('ue"\0');
const DATE_START = wordOf('"dat');
const DATE_REST = wordOf('e"\0\0');
const KEY_SHOWN_CHARS_MAX = 80;

/** Reads the event object at `from` as an event of `row` and returns the offset after it. */
export function readEvent(
  source: Source,
  from: number,
  tables: ModelTables,
  slot: number,
  builder: ColumnBuilder,
  row: number,
  nowSeconds: number,
  result: Float64Array,
): number {
  const { bytes, view } = source;
  if (bytes[from] !== OPEN_OBJECT) {
    throw new InsertError(2007, from, `${kindOfValue(bytes[from])} is not an event {"value", "date"}`);
  }
  const valueCount = builder.valueCount;
  let date = nowSeconds;
  let at = skipSpace(bytes, from + 1);
  let more = bytes[at] !== CLOSE_OBJECT;
  while (more) {
    const start = view.getInt32(at, true);
    const rest = view.getInt32(at + 4, true);
    let isValue = start === VALUE_START && (rest & 0xffffff) === VALUE_REST;
    if (isValue) at += 7;
    else if (start === DATE_START && (rest & 0xffff) === DATE_REST) at += 6;
    else {
      isValue = otherKeyIsValue(source, at);
      at = skipString(source, at + 1);
    }
    at = skipColon(source, at);
    if (isValue) {
      if (builder.valueCount > valueCount) builder.cutValues(valueCount);
      at = readValue(source, at, tables, slot, builder, result);
    } else {
      const dateAt = at;
      at = readEventDate(source, at, result);
      date = result[0];
      checkDate(date, dateAt, nowSeconds, tables.columns[slot].retentionDays);
    }
    at = skipSpace(bytes, at);
    more = bytes[at] === COMMA;
    if (more) at = skipSpace(bytes, at + 1);
    else if (bytes[at] !== CLOSE_OBJECT) throw unexpected(source, at, "',' or '}'");
  }
  if (builder.valueCount === valueCount) throw new InsertError(2018, at, 'the event has no "value"');
  builder.addRow(row, date);
  return at + 1;
}

/** Returns whether the key at `at`, which has an unusual spelling, is "value" (otherwise "date"). Throws 2016 for other keys. */
function otherKeyIsValue(source: Source, at: number): boolean {
  if (source.bytes[at] !== QUOTE) throw unexpected(source, at, 'a key in quotes');
  const key = stringAt(source, at);
  if (key === 'value' || key === 'date') return key === 'value';
  const shown = JSON.stringify(key.slice(0, KEY_SHOWN_CHARS_MAX));
  throw new InsertError(2016, at, `the event has the key ${shown}; only "value" and "date" are allowed`);
}

function readEventDate(source: Source, at: number, result: Float64Array): number {
  if (source.bytes[at] !== QUOTE) {
    throw new InsertError(
      2010,
      at,
      `the event's date is ${kindOfValue(source.bytes[at])}, not an ISO 8601 string`,
    );
  }
  const end = readInstant(source, at, result);
  if (result[0] !== NO_DATE) return end;
  const shown = JSON.stringify(stringAt(source, at).slice(0, KEY_SHOWN_CHARS_MAX));
  throw new InsertError(2010, at, `the event's date ${shown} is not YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ`);
}

function checkDate(date: number, at: number, nowSeconds: number, retentionDays: number | null): void {
  if (date < EVENT_SECONDS_MIN) {
    throw new InsertError(2002, at, `the event's date ${formatDateTime(date)} is older than 1990-01-01`);
  }
  if (date > nowSeconds) {
    throw new InsertError(2006, at, `the event's date ${formatDateTime(date)} is in the future`);
  }
  if (retentionDays !== null && date < nowSeconds - retentionDays * SECONDS_PER_DAY) {
    const retention = `the ${retentionDays} days that the column keeps its events`;
    throw new InsertError(2001, at, `the event's date ${formatDateTime(date)} is older than ${retention}`);
  }
}
