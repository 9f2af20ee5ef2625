/**
 * STRFTIME and STRPTIME: the specifiers of DuckDB. Datetimes are in UTC and have whole seconds, so fractions are written as
 * zeros and dropped when they are read.
 */
import { quoted, rememberLast } from '../../base/index.js';
import {
  checkFormat,
  DateFields,
  dateError,
  type FieldWriter,
  MONTHS,
  padded,
  WEEKDAYS,
} from './date-fields.js';
import { type FieldReader, makeReader, type ReadDate } from './read-fields.js';
import { written } from './write-template.js';

/** Weeks of a year that begin on `first` (0 = Sunday); days before the first such day are in week 0. */
const weekFrom =
  (first: number) =>
  ({ dayOfYear, weekday }: DateFields): number =>
    Math.floor((dayOfYear + 6 - ((weekday - first + 7) % 7)) / 7);

const NUMBERS: Readonly<Record<string, readonly [value: (fields: DateFields) => number, width: number]>> = {
  d: [({ day }) => day, 2],
  m: [({ month }) => month, 2],
  y: [({ year }) => year % 100, 2],
  H: [({ hour }) => hour, 2],
  I: [({ hour12 }) => hour12, 2],
  M: [({ minute }) => minute, 2],
  S: [({ second }) => second, 2],
  j: [({ dayOfYear }) => dayOfYear, 3],
};

const WRITERS: Readonly<Record<string, FieldWriter>> = {
  ...Object.fromEntries(
    Object.entries(NUMBERS).flatMap(([name, [value, width]]): [string, FieldWriter][] => [
      [name, (fields) => padded(value(fields), width)],
      [`-${name}`, (fields) => String(value(fields))],
    ]),
  ),
  a: ({ weekday }) => WEEKDAYS[weekday].slice(0, 3),
  A: ({ weekday }) => WEEKDAYS[weekday],
  w: ({ weekday }) => String(weekday),
  u: ({ isoWeekday }) => String(isoWeekday),
  b: ({ month }) => MONTHS[month - 1].slice(0, 3),
  B: ({ month }) => MONTHS[month - 1],
  Y: ({ year }) => padded(year, 4),
  G: ({ isoYear }) => padded(isoYear, 4),
  V: ({ isoWeek }) => padded(isoWeek, 2),
  U: (fields) => padded(weekFrom(0)(fields), 2),
  W: (fields) => padded(weekFrom(1)(fields), 2),
  p: ({ hour }) => (hour < 12 ? 'AM' : 'PM'),
  f: () => '000000',
  g: () => '000',
  n: () => '000000000',
  z: () => '+00',
  Z: () => 'UTC',
  '%': () => '%',
};
/** Specifiers that stand for several. */
const GROUPS: Readonly<Record<string, string>> = {
  c: '%Y-%m-%d %H:%M:%S',
  x: '%Y-%m-%d',
  X: '%H:%M:%S',
};

const SPECIFIER = /%(-?[A-Za-z%])?/g;

/** The literals and specifiers of a format, alternating, beginning with a literal. Throws 6000. */
function partsOf(format: string): readonly string[] {
  checkFormat(format);
  const whole = format.replace(/%([cxX%])/g, (specifier, name: string) => GROUPS[name] ?? specifier);
  const parts: string[] = [];
  let from = 0;
  for (const match of whole.matchAll(SPECIFIER)) {
    parts.push(whole.slice(from, match.index), match[1] ?? '');
    from = match.index + match[0].length;
  }
  parts.push(whole.slice(from));
  return parts;
}

const unknown = (specifier: string, known: readonly string[]): Error =>
  dateError(
    `there is no specifier ${quoted(`%${specifier}`)} here; specifiers are ${known.map((name) => `%${name}`).join(', ')}`,
  );

function writersOf(format: string): readonly FieldWriter[] {
  return partsOf(format).map((part, index): FieldWriter => {
    if (index % 2 === 0) return () => part;
    const writer = WRITERS[part];
    if (writer === undefined) throw unknown(part, [...Object.keys(WRITERS), ...Object.keys(GROUPS)]);
    return writer;
  });
}

/** STRFTIME(date, format). Throws 6000. */
export function makeStrftime(): (seconds: number, format: string) => string {
  const fields = new DateFields();
  const writers = rememberLast(writersOf);
  return (seconds, format) => written(seconds, fields, writers(format));
}

const READERS: Readonly<Record<string, FieldReader>> = {
  Y: { field: 'year', form: /\d{4}/y },
  y: { field: 'year-of-century', form: /\d{1,2}/y },
  m: { field: 'month', form: /\d{1,2}/y },
  b: { field: 'month-name', form: /[a-z]{3}/iy },
  B: { field: 'month-name', form: /[a-z]+/iy },
  d: { field: 'day', form: /\d{1,2}/y },
  j: { field: 'day-of-year', form: /\d{1,3}/y },
  a: { field: 'weekday-name', form: /[a-z]{3}/iy },
  A: { field: 'weekday-name', form: /[a-z]+/iy },
  H: { field: 'hour', form: /\d{1,2}/y },
  I: { field: 'hour12', form: /\d{1,2}/y },
  M: { field: 'minute', form: /\d{1,2}/y },
  S: { field: 'second', form: /\d{1,2}/y },
  p: { field: 'half-day', form: /[ap]m/iy },
  f: { field: 'fraction', form: /\d{1,6}/y },
  g: { field: 'fraction', form: /\d{1,3}/y },
  n: { field: 'fraction', form: /\d{1,9}/y },
  z: { field: 'offset', form: /[+-]\d{2}(?::?\d{2})?/y },
};

function readersOf(format: string): readonly FieldReader[] {
  return partsOf(format).flatMap((part, index): FieldReader[] => {
    if (index % 2 === 0) return part === '' ? [] : [{ field: 'literal', text: part }];
    if (part === '%') return [{ field: 'literal', text: '%' }];
    const reader = READERS[part.replace('-', '')];
    if (reader === undefined) throw unknown(part, [...Object.keys(READERS), '%', ...Object.keys(GROUPS)]);
    return [reader];
  });
}

/** STRPTIME(text, format): seconds since 1970-01-01. Throws 6000 if the text does not match, or returns null with `lenient`. */
export const makeStrptime =
  (lenient: boolean): (() => ReadDate) =>
  () =>
    makeReader(readersOf, lenient);
