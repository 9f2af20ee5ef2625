/**
 * Parses events of an insert body: an object {value, date?} or a list of such objects, one row each. Readers take the offset of
 * the token and return the offset after it; 0 = not plain, or out of memory.
 */
import { DATE_BYTES, datetimeEnd, NO_DATE, readDays, readSeconds } from './_insert-dates';
import { addRow, Builder, Column, Relation, Walk } from './_insert-records';
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE, skipColon, skipSpace } from './_insert-text';
import { readValue } from './_insert-values';

/** EVENT_SECONDS_MIN of src/base. */
const EVENT_SECONDS_MIN: i64 = 631152000;
const SECONDS_PER_DAY: i64 = 86400;

/** `"value"` and `"date"`, in the lowest bytes of a word. */
const VALUE_KEY: u64 = 0x2265756c617622;
const VALUE_KEY_MASK: u64 = 0xffffffffffffff;
const DATE_KEY: u64 = 0x226574616422;
const DATE_KEY_MASK: u64 = 0xffffffffffff;

/** Parses events of a column in a relation; gives up if an entity names the column twice. */
export function readRelatedEvents(walk: Walk, column: Column, builder: Builder, row: u32, at: usize): usize {
  const entity = walk.entity;
  if (column.entity == entity) return 0;
  column.entity = entity;
  const before = builder.rowCount;
  const end = readEvents(walk, column, builder, row, at);
  if (end == 0) return 0;
  const relation = changetype<Relation>(column.relation);
  const eventCount = builder.rowCount - before;
  if (relation.entity == entity) return relation.eventCount == eventCount ? end : 0;
  relation.entity = entity;
  relation.eventCount = eventCount;
  return end;
}

export function readEvents(walk: Walk, column: Column, builder: Builder, row: u32, from: usize): usize {
  if (load<u8>(from) != OPEN_LIST) return readEvent(walk, column, builder, row, from);
  let at = skipSpace(from + 1);
  let more = load<u8>(at) != CLOSE_LIST;
  while (more) {
    at = readEvent(walk, column, builder, row, at);
    if (at == 0) return 0;
    at = skipSpace(at);
    more = load<u8>(at) == COMMA;
    if (more) at = skipSpace(at + 1);
  }
  return load<u8>(at) == CLOSE_LIST ? at + 1 : 0;
}

/** Parses a value and at most one date, in either order; the default date is the request's timestamp. */
function readEvent(walk: Walk, column: Column, builder: Builder, row: u32, from: usize): usize {
  if (load<u8>(from) != OPEN_OBJECT) return 0;
  const before = builder.valueCount;
  let date = NO_DATE;
  let at = from;
  do {
    at = skipSpace(at + 1);
    const key = load<u64>(at);
    if ((key & VALUE_KEY_MASK) == VALUE_KEY && builder.valueCount == before) {
      at = skipColon(at + 7);
      if (at == 0) return 0;
      at = readValue(walk, column, builder, at);
      if (at == 0) return 0;
    } else if ((key & DATE_KEY_MASK) == DATE_KEY && date == NO_DATE) {
      at = skipColon(at + 6);
      if (at == 0) return 0;
      date = eventDate(walk, column, at);
      if (date == NO_DATE) return 0;
      at = load<u8>(at + DATE_BYTES - 1) == QUOTE ? at + DATE_BYTES : datetimeEnd(at);
    } else return 0;
    at = skipSpace(at);
  } while (load<u8>(at) == COMMA);
  if (load<u8>(at) != CLOSE_OBJECT || builder.valueCount == before) return 0;
  addRow(builder, row, <u32>(date == NO_DATE ? walk.nowSeconds : date));
  walk.valueCount++;
  return at + 1;
}

/** Reads the date at `at`, a day or a datetime, and checks that an event of the column may have it now. */
// @ts-ignore: decorator
@inline
function eventDate(walk: Walk, column: Column, at: usize): i64 {
  let date = NO_DATE;
  if (load<u8>(at + DATE_BYTES - 1) == QUOTE) {
    const days = readDays(at);
    if (days != NO_DATE) date = days * SECONDS_PER_DAY;
  } else if (load<u8>(at) == QUOTE && datetimeEnd(at) != 0) date = readSeconds(at);
  if (date < EVENT_SECONDS_MIN || date > walk.nowSeconds) return NO_DATE;
  const days = column.retentionDays;
  return days >= 0 && date < walk.nowSeconds - <i64>days * SECONDS_PER_DAY ? NO_DATE : date;
}
