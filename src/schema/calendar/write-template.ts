/**
 * TO_CHAR of dates: the template patterns of PostgreSQL, with the modifiers FM, TH and th. Text in double quotes and all
 * other characters are written unchanged. Datetimes have whole seconds, so fractions are zeros.
 */
import { quoted, rememberLast } from '../../base/index.js';
import {
  checkFormat,
  DateFields,
  dateError,
  type FieldWriter,
  JULIAN_EPOCH,
  MONTHS,
  padded,
  WEEKDAYS,
} from './date-fields.js';

const ROMAN = ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII'];
const NAME_CHARS = 9;

type NumberPattern = readonly [value: (fields: DateFields) => number, width: number];

/** Patterns of numbers with their width in digits; FM leaves out leading zeros. */
const NUMBERS: Readonly<Record<string, NumberPattern>> = {
  HH24: [({ hour }) => hour, 2],
  HH12: [({ hour12 }) => hour12, 2],
  HH: [({ hour12 }) => hour12, 2],
  MI: [({ minute }) => minute, 2],
  SS: [({ second }) => second, 2],
  SSSSS: [secondOfDay, 1],
  SSSS: [secondOfDay, 1],
  YYYY: [({ year }) => year, 4],
  YYY: [({ year }) => year % 1_000, 3],
  YY: [({ year }) => year % 100, 2],
  Y: [({ year }) => year % 10, 1],
  IYYY: [({ isoYear }) => isoYear, 4],
  IYY: [({ isoYear }) => isoYear % 1_000, 3],
  IY: [({ isoYear }) => isoYear % 100, 2],
  I: [({ isoYear }) => isoYear % 10, 1],
  CC: [({ century }) => century, 2],
  MM: [({ month }) => month, 2],
  DDD: [({ dayOfYear }) => dayOfYear, 3],
  IDDD: [({ isoWeek, isoWeekday }) => (isoWeek - 1) * 7 + isoWeekday, 3],
  DD: [({ day }) => day, 2],
  D: [({ weekday }) => weekday + 1, 1],
  ID: [({ isoWeekday }) => isoWeekday, 1],
  W: [({ day }) => Math.floor((day - 1) / 7) + 1, 1],
  WW: [({ dayOfYear }) => Math.floor((dayOfYear - 1) / 7) + 1, 2],
  IW: [({ isoWeek }) => isoWeek, 2],
  J: [({ days }) => days + JULIAN_EPOCH, 1],
  Q: [({ quarter }) => quarter, 1],
};

function secondOfDay({ hour, minute, second }: DateFields): number {
  return (hour * 60 + minute) * 60 + second;
}

type TextPattern = readonly [text: (fields: DateFields) => string, width: number];

/** Patterns of names, padded with blanks to their width unless FM precedes. */
const TEXTS: Readonly<Record<string, TextPattern>> = {
  Month: [({ month }) => MONTHS[month - 1], NAME_CHARS],
  Mon: [({ month }) => MONTHS[month - 1].slice(0, 3), 0],
  Day: [({ weekday }) => WEEKDAYS[weekday], NAME_CHARS],
  Dy: [({ weekday }) => WEEKDAYS[weekday].slice(0, 3), 0],
  RM: [({ month }) => ROMAN[month - 1], 4],
  AM: [({ hour }) => (hour < 12 ? 'AM' : 'PM'), 0],
  PM: [({ hour }) => (hour < 12 ? 'AM' : 'PM'), 0],
  'A.M.': [({ hour }) => (hour < 12 ? 'A.M.' : 'P.M.'), 0],
  'P.M.': [({ hour }) => (hour < 12 ? 'A.M.' : 'P.M.'), 0],
  AD: [() => 'AD', 0],
  BC: [() => 'AD', 0],
  'A.D.': [() => 'A.D.', 0],
  'B.C.': [() => 'A.D.', 0],
  TZH: [() => '+00', 0],
  TZM: [() => '00', 0],
  TZ: [() => 'UTC', 0],
  OF: [() => '+00', 0],
};

/** Patterns of digits that FM does not change: fractions of whole seconds, and a year with a comma. */
const DIGITS: Readonly<Record<string, FieldWriter>> = {
  'Y,YYY': ({ year }) => `${Math.floor(year / 1_000)},${padded(year % 1_000, 3)}`,
  MS: () => '000',
  US: () => '000000',
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((digits) => [`FF${digits}`, () => '0'.repeat(digits)])),
};
const ZONE_PATTERNS: ReadonlySet<string> = new Set(['TZH', 'TZM', 'TZ', 'OF']);

interface Pattern {
  readonly name: string;
  readonly letters: 'upper' | 'lower' | 'name';
}

/** The patterns as they are written: in upper case, in lower case, and names with a capital. */
const WRITTEN: ReadonlyMap<string, Pattern> = new Map(
  [NUMBERS, TEXTS, DIGITS].flatMap(Object.keys).flatMap((name): [string, Pattern][] => [
    [name, { name, letters: 'name' }],
    [name.toUpperCase(), { name, letters: 'upper' }],
    [name.toLowerCase(), { name, letters: 'lower' }],
  ]),
);
const LONGEST_FIRST = [...WRITTEN.keys()].sort((a, b) => b.length - a.length);

/** The written pattern at `at`, or null. */
function patternAt(template: string, at: number): string | null {
  return LONGEST_FIRST.find((written) => template.startsWith(written, at)) ?? null;
}

function numberText([value, width]: NumberPattern, compact: boolean, suffix: string | null): FieldWriter {
  return ordinalText(
    compact ? (fields) => String(value(fields)) : (fields) => padded(value(fields), width),
    suffix,
  );
}

function ordinalText(plain: FieldWriter, suffix: string | null): FieldWriter {
  if (suffix === null) return plain;
  return (fields) => {
    const digits = plain(fields);
    return digits + (suffix === 'TH' ? ordinal(digits).toUpperCase() : ordinal(digits));
  };
}

/** The suffix of an ordinal number: st, nd, rd or th. */
export function ordinal(digits: string): string {
  if (digits.at(-2) === '1') return 'th';
  return { 1: 'st', 2: 'nd', 3: 'rd' }[digits.at(-1) as '1' | '2' | '3'] ?? 'th';
}

function cased(text: string, { letters }: Pattern): string {
  if (letters === 'name') return text;
  return letters === 'upper' ? text.toUpperCase() : text.toLowerCase();
}

function writerOf(written: string, compact: boolean, suffix: string | null): FieldWriter {
  const pattern = WRITTEN.get(written) as Pattern;
  const digits = DIGITS[pattern.name];
  if (digits !== undefined) return ordinalText(digits, suffix);
  if (pattern.name === 'OF' && compact) return () => '+0';
  const number = NUMBERS[pattern.name];
  if (number !== undefined) return numberText(number, compact, suffix);
  const [text, width] = TEXTS[pattern.name];
  return (fields) => cased(text(fields), pattern).padEnd(compact ? 0 : width, ' ');
}

/** Reads a literal from `at`: quoted text, an escaped quotation mark or one character. */
function literalAt(template: string, at: number): { readonly text: string; readonly end: number } {
  if (template[at] === '\\' && template[at + 1] === '"') return { text: '"', end: at + 2 };
  if (template[at] !== '"') return { text: template[at], end: at + 1 };
  let text = '';
  let next = at + 1;
  while (next < template.length && template[next] !== '"') {
    if (template[next] === '\\' && next + 1 < template.length) next++;
    text += template[next++];
  }
  return { text, end: next + 1 };
}

/** The writers of a template. Throws 6000. `zoned`: the values are instants, not times of an unknown zone. */
function writersOf(template: string, zoned: boolean): readonly FieldWriter[] {
  checkFormat(template);
  const writers: FieldWriter[] = [];
  let at = 0;
  while (at < template.length) {
    const compact = /^(?:FM|fm)/.test(template.slice(at, at + 2));
    const from = compact ? at + 2 : at;
    const written = patternAt(template, from);
    if (written === null) {
      if (compact) {
        at += 2;
        continue;
      }
      const { text, end } = literalAt(template, at);
      writers.push(() => text);
      at = end;
      continue;
    }
    refuseZone(written, zoned, template);
    at = from + written.length;
    const suffix = /^(?:TH|th)/.exec(template.slice(at, at + 2))?.[0] ?? null;
    if (suffix !== null) at += 2;
    writers.push(writerOf(written, compact, suffix));
  }
  return writers;
}

function refuseZone(written: string, zoned: boolean, template: string): void {
  if (zoned || !ZONE_PATTERNS.has(written.toUpperCase())) return;
  throw dateError(
    `the format ${quoted(template)} writes a zone, but the result of AT TIME ZONE has none; leave out ${written}`,
  );
}

/** TO_CHAR(date, template, zoned). */
export function makeWriteTemplate(): (seconds: number, template: string, zoned: boolean) => string {
  const fields = new DateFields();
  const [ofLocal, ofInstant] = [false, true].map((zoned) =>
    rememberLast((template) => writersOf(template, zoned)),
  );
  return (seconds, template, zoned) =>
    written(seconds, fields, zoned ? ofInstant(template) : ofLocal(template));
}

/** The text of an instant. */
export function written(seconds: number, fields: DateFields, writers: readonly FieldWriter[]): string {
  fields.set(seconds);
  let text = '';
  for (let index = 0; index < writers.length; index++) text += writers[index](fields);
  return text;
}
